"""`sayso backup`: a checked copy of the journal in a new file."""

import argparse
from pathlib import Path

from sayso.assembly import Home
from sayso.surfaces.cli.command import Command
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.exits import Exit
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.homes import in_home


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", metavar="FILE", help="a file that is not there yet")


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Copy it."""
    target = Path(arguments.file).absolute()

    async def copy(home: Home) -> None:
        await home.journal.backup(str(target))

    in_home(here, copy)
    size = target.stat().st_size
    if here.json:
        here.document({"path": str(target), "bytes": size})
    else:
        here.print(f"✓ the journal is in {visible(str(target))} ({size:,} bytes)")
        here.print("  To go back to it, put it in the place that “sayso config path” calls database.")
    return Exit.FINE


COMMAND = Command(configure, act, "sayso backup ~/Documents/sayso-2024-01-28.db")
