"""`sayso approve`, `decline` and `settle`: decide waiting actions, and resolve unknown outcomes."""

import argparse
from collections.abc import Mapping, Sequence

from sayso.assembly import Home
from sayso.core.ports import Approver
from sayso.core.quotes import quoted, visible
from sayso.core.record import Record
from sayso.runtime.results import Outcome, Report, result_json
from sayso.runtime.system import RandomIds
from sayso.surfaces.cli.app import Command, UsageProblem
from sayso.surfaces.cli.commands.history import waiting
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.progress import stopping
from sayso.surfaces.cli.prompts import BatchKey, ToggleNumbers, UnclearChoice, choice, word_from
from sayso.surfaces.cli.references import find_reference
from sayso.surfaces.cli.render import action_ref, moment, outcome_lines
from sayso.surfaces.cli.run_loop import AllowlistApprover, RunOptions, carry, show_all
from sayso.surfaces.cli.terminal import (
    NoTerminal,
    PromptTerminal,
    Terminal,
    find_terminal,
    needs_person,
    no_questions_in_json,
    only_on_terminal,
)
from sayso.surfaces.cli.text import sentence, style_at


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "refs",
        nargs="*",
        metavar="ID|RUN",
        help="what waits, as “sayso pending” lists it; several of one run go together; without any, what waits now",
    )
    parser.add_argument("--edit", action="store_true", help="edit it first; you are then asked about what you saved")
    parser.add_argument("--now", action="store_true", help="do at once what would be held back for a while")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Ask the person about the waiting actions. Raises `Refused`."""
    no_questions_in_json("sayso approve", here)
    refs = [find_reference(ref, here) for ref in arguments.refs]
    refs = refs or _pick(here, "sayso approve", "you are asked about what you pick")
    if not refs:
        return Exit.FINE
    terminal = needs_person("sayso approve")

    async def work(home: Home, approver: Approver) -> list[Report]:
        return await home.approve_all(refs, AllowlistApprover(approver, home, here))

    reports = carry(here, work, terminal, RunOptions(edit_first=arguments.edit, at_once=arguments.now))
    return show_all(here, reports, why_waiting="nobody answered")


APPROVE = Command(configure, act, "sayso approve run_0D8M2YQ5Z3F4K")


def configure_decline(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "ref", nargs="?", metavar="ID|RUN", help="what waits, as “sayso pending” lists it; without it, what waits now"
    )
    parser.add_argument(
        "--because", default="", metavar="WHY", help="your reason, which is told to whoever proposed it"
    )


def act_decline(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Decline the waiting actions."""
    ref: str | None = arguments.ref
    refs = _pick(here, "sayso decline", "what you pick is declined") if ref is None else [find_reference(ref, here)]

    async def work(home: Home, approver: Approver) -> list[Report]:
        return [await home.decline(ref, "command", arguments.because) for ref in refs]

    if refs:
        show_all(here, carry(here, work, NoTerminal("a no asks nothing")), why_waiting="")
    return Exit.FINE  # declining succeeded


DECLINE = Command(configure_decline, act_decline, 'sayso decline run_0D8M2YQ5Z3F4K --because "it belongs in Archive"')


def _pick(here: CommandContext, command: str, then: str) -> list[str]:
    """Return the run that waits, or those of several that the person picks; none, after saying so, if nothing waits.

    Raises `UsageProblem`, which names them, if several wait and nobody can pick here.
    """
    records = waiting(here)
    runs = {run: [one for one in reversed(records) if one.run == run] for run in dict.fromkeys(r.run for r in records)}
    if len(runs) < _SEVERAL:
        if not runs:
            here.print("Nothing waits for you.")
        return [*runs]
    terminal = NoTerminal("") if here.json else find_terminal()
    if isinstance(terminal, NoTerminal):
        named = "; ".join(f"{run} ({_in_short(of)})" for run, of in runs.items())
        raise UsageProblem(f"{len(runs)} requests wait for you; name one, as in {quoted(f'{command} RUN')}: {named}")
    try:
        return _picked(here, terminal, runs, then)
    finally:
        terminal.close()


_SEVERAL = 2


def _picked(here: CommandContext, terminal: Terminal, runs: Mapping[str, Sequence[Record]], then: str) -> list[str]:
    with stopping(lambda said: here.tell(f"sayso: {said}")) as stop:
        talk = PromptTerminal(
            terminal, word_from(RandomIds().token()), style_at(here.environ), stop.descriptor, lambda: False
        )
        talk.say(f"{len(runs):,} requests wait for you; {then}.")
        talk.gap()
        for number, of in enumerate(runs.values(), 1):
            talk.quote(sentence(visible(f"{_in_short(of)}, since {moment(of[0].time)}"), talk.width, f"{number:>3}. "))
        talk.gap()
        while True:
            match choice(talk.line("Which? [number, all, Enter for none]"), range(1, len(runs) + 1)):
                case ToggleNumbers(numbers):
                    return [run for number, run in enumerate(runs, 1) if number in numbers]
                case BatchKey.ALL:
                    return [*runs]
                case UnclearChoice(why):
                    talk.say(f"{visible(why)}; type a number, or Enter for none")
                case _:
                    talk.say("none; everything still waits")
                    return []


def _in_short(records: Sequence[Record]) -> str:
    """Return what a run would do: its first action, and how many more there are."""
    more = f" and {len(records) - 1:,} more" if len(records) > 1 else ""
    return f"{records[0].about}{more}"


def configure_settle(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("ref", metavar="ID", help="the action, as “sayso log --state unknown” lists it")
    parser.add_argument("how", choices=("done", "not-done"), help="how it ended, as you have seen it")


def act_settle(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Record how an action ended. Raises `Refused` without a terminal."""
    ref = action_ref(find_reference(arguments.ref, here))
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
