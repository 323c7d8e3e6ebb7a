"""`sayso approve`: show the person what waits, ask, and carry it out on a yes."""

import argparse

from sayso.assembly import Home
from sayso.core.ports import Approver
from sayso.runtime.outcome import Report
from sayso.surfaces.cli.approving import Remembering
from sayso.surfaces.cli.carrying import carry, show
from sayso.surfaces.cli.command import Command
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.persons import needs_person, no_questions_in_json
from sayso.surfaces.cli.references import reference


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("ref", metavar="ID|RUN", help="what waits, as “sayso pending” lists it")


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Ask about it."""
    no_questions_in_json("sayso approve", here)
    ref = reference(arguments.ref)
    terminal = needs_person("sayso approve")

    async def work(home: Home, approver: Approver) -> Report:
        return await home.approve(ref, Remembering(approver, home, here))

    return show(here, carry(here, work, terminal), why_waiting="nobody answered")


COMMAND = Command(configure, act, "sayso approve run_0D8M2YQ5Z3F4K")
