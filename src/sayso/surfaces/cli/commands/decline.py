"""`sayso decline`: say no to what waits; that needs no terminal, since nothing happens."""

import argparse

from sayso.assembly import Home
from sayso.core.ports import Approver
from sayso.runtime.results import Report
from sayso.surfaces.cli.context import Here
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.registry import Command
from sayso.surfaces.cli.render import reference
from sayso.surfaces.cli.run_loop import carry, show
from sayso.surfaces.cli.terminal import NoTerminal


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("ref", metavar="ID|RUN", help="what waits, as “sayso pending” lists it")


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Say no to it."""
    ref = reference(arguments.ref)

    async def work(home: Home, approver: Approver) -> Report:
        return await home.decline(ref, "command")

    show(here, carry(here, work, NoTerminal("a no asks nothing")), why_waiting="")
    return Exit.FINE  # what was asked for was done: it is declined


COMMAND = Command(configure, act, "sayso decline run_0D8M2YQ5Z3F4K")
