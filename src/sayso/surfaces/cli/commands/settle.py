"""`sayso settle`: take the person's word for an outcome that nobody else can know."""

import argparse

from sayso.assembly import Home
from sayso.runtime.results import Outcome, result_json
from sayso.surfaces.cli.context import Here, in_home, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.registry import Command
from sayso.surfaces.cli.render import action_ref, outcome_lines
from sayso.surfaces.cli.terminal import only_on_terminal


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("ref", metavar="ID", help="the action, as “sayso log --state unknown” lists it")
    parser.add_argument("how", choices=("done", "not-done"), help="how it ended, as you have seen it")


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Settle it."""
    ref = action_ref(arguments.ref)
    only_on_terminal("sayso settle")

    async def work(home: Home) -> Outcome:
        return await home.settle(ref, done=arguments.how == "done")

    outcome = in_home(here, work)
    if here.json:
        here.document({"results": [result_json(outcome)]})
    else:
        here.print(*outcome_lines(outcome, terminal_width(here), here.style))
    return Exit.FINE


COMMAND = Command(
    configure,
    act,
    "sayso settle do_0D8M2YQ5Z3F4K not-done",
    "Look for yourself first: sayso asks the world, and this is for what the world does not show.",
)
