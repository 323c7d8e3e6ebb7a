"""`sayso approve`, `decline` and `settle`: decide waiting actions, and resolve unknown outcomes."""

import argparse

from sayso.assembly import Home
from sayso.core.ports import Approver
from sayso.runtime.results import Outcome, Report, result_json
from sayso.surfaces.cli.app import Command
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.render import action_ref, outcome_lines, reference
from sayso.surfaces.cli.run_loop import AllowlistApprover, RunOptions, carry, show, show_all
from sayso.surfaces.cli.terminal import NoTerminal, needs_person, no_questions_in_json, only_on_terminal


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "refs",
        nargs="+",
        metavar="ID|RUN",
        help="what waits, as “sayso pending” lists it; several of one run go together",
    )
    parser.add_argument("--edit", action="store_true", help="edit it first; you are then asked about what you saved")
    parser.add_argument("--now", action="store_true", help="do at once what would be held back for a while")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Ask the person about the waiting actions. Raises `Refused`."""
    no_questions_in_json("sayso approve", here)
    refs = [reference(ref) for ref in arguments.refs]
    terminal = needs_person("sayso approve")

    async def work(home: Home, approver: Approver) -> list[Report]:
        return await home.approve_all(refs, AllowlistApprover(approver, home, here))

    reports = carry(here, work, terminal, RunOptions(edit_first=arguments.edit, at_once=arguments.now))
    return show_all(here, reports, why_waiting="nobody answered")


APPROVE = Command(configure, act, "sayso approve run_0D8M2YQ5Z3F4K")


def configure_decline(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("ref", metavar="ID|RUN", help="what waits, as “sayso pending” lists it")


def act_decline(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Decline the waiting actions."""
    ref = reference(arguments.ref)

    async def work(home: Home, approver: Approver) -> Report:
        return await home.decline(ref, "command")

    show(here, carry(here, work, NoTerminal("a no asks nothing")), why_waiting="")
    return Exit.FINE  # declining succeeded


DECLINE = Command(configure_decline, act_decline, "sayso decline run_0D8M2YQ5Z3F4K")


def configure_settle(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("ref", metavar="ID", help="the action, as “sayso log --state unknown” lists it")
    parser.add_argument("how", choices=("done", "not-done"), help="how it ended, as you have seen it")


def act_settle(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Record how an action ended. Raises `Refused` without a terminal."""
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


SETTLE = Command(
    configure_settle,
    act_settle,
    "sayso settle do_0D8M2YQ5Z3F4K not-done",
    "Look for yourself first. sayso finds out what it can by itself; this is for what it cannot find out.",
)
