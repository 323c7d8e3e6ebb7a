"""`sayso settle`: take the person's word for an outcome that nobody else can know."""

import argparse

from sayso.assembly import Home
from sayso.runtime.outcome import Outcome
from sayso.runtime.results import result_json
from sayso.surfaces.cli.command import Command
from sayso.surfaces.cli.exits import Exit
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.homes import in_home
from sayso.surfaces.cli.outcomes import outcome_lines
from sayso.surfaces.cli.persons import only_on_terminal
from sayso.surfaces.cli.references import action_ref
from sayso.surfaces.cli.width import width_of


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
        here.print(*outcome_lines(outcome, width_of(here), here.style))
    return Exit.FINE


COMMAND = Command(
    configure,
    act,
    "sayso settle do_0D8M2YQ5Z3F4K not-done",
    "Look for yourself first: sayso asks the world, and this is for what the world does not show.",
)
