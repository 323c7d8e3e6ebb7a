"""`sayso backup`: copy the journal and the person's lists into new files."""

import argparse
from pathlib import Path

from sayso.assembly import Home
from sayso.core.errors import SetupError
from sayso.core.ports import Copies
from sayso.core.quotes import quoted, visible
from sayso.surfaces.cli.app import Command
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", metavar="FILE", help="a file that does not exist yet")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Write the copies. Raises `SetupError` if a file exists already."""
    target = Path(arguments.file).absolute()

    beside = target.with_name(f"{target.stem}-tasks{target.suffix}")

    async def copy(home: Home) -> bool:
        if beside.exists():
            raise SetupError(f"{quoted(beside)} is there already, and is not overwritten", "backup.exists")
        await home.journal.backup(str(target))
        lists = home.tools.backends.get("tasks")
        return isinstance(lists, Copies) and lists.copy(str(beside))

    has_lists = in_home(here, copy)
    size = target.stat().st_size
    if here.json:
        here.document({"path": str(target), "bytes": size, "lists": str(beside) if has_lists else None})
    else:
        here.print(f"✓ the journal is in {visible(str(target))} ({size:,} bytes)")
        here.print("  To go back to it, put it in the place that “sayso config path” calls database.")
        if has_lists:
            here.print(f"✓ your tasks and habits are in {visible(str(beside))}; they belong beside it, as tasks.db")
    return Exit.FINE


COMMAND = Command(
    configure,
    act,
    "sayso backup ~/Documents/sayso-2024-01-28.db",
    "Your tasks and habits, where there are any, are copied beside it, as “…-tasks.db”.",
)
