"""`sayso approve`: show the person what waits, ask, and carry it out on a yes."""

import argparse

from sayso.assembly import Home
from sayso.core.ports import Approver
from sayso.runtime.results import Report
from sayso.surfaces.cli.context import Here
from sayso.surfaces.cli.prompts import Remembering
from sayso.surfaces.cli.registry import Command
from sayso.surfaces.cli.render import reference
from sayso.surfaces.cli.run_loop import Wishes, carry, show_all
from sayso.surfaces.cli.terminal import needs_person, no_questions_in_json


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "refs",
        nargs="+",
        metavar="ID|RUN",
        help="what waits, as “sayso pending” lists it; several of one run go together",
    )
    parser.add_argument(
        "--edit", action="store_true", help="open your editor on it first; what you save is asked about"
    )
    parser.add_argument("--now", action="store_true", help="let go at once what would be held back for a while")


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Ask about it."""
    no_questions_in_json("sayso approve", here)
    refs = [reference(ref) for ref in arguments.refs]
    terminal = needs_person("sayso approve")

    async def work(home: Home, approver: Approver) -> list[Report]:
        return await home.approve_all(refs, Remembering(approver, home, here))

    reports = carry(here, work, terminal, Wishes(edit_first=arguments.edit, at_once=arguments.now))
    return show_all(here, reports, why_waiting="nobody answered")


COMMAND = Command(configure, act, "sayso approve run_0D8M2YQ5Z3F4K")
