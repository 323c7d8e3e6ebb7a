"""Commands for the person's own lists; typing such a command counts as its approval."""

import argparse
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from sayso.assembly import Home
from sayso.core.decision import Decision, Question
from sayso.core.encoding import Json
from sayso.core.ports import Approver
from sayso.core.proposal import Origin, Proposal
from sayso.core.quotes import quoted, visible
from sayso.core.record import State
from sayso.providers.tasks import formats
from sayso.providers.tasks.formats import Imported, entries_of
from sayso.providers.tasks.lists import Task
from sayso.providers.tasks.store import Tasks
from sayso.runtime.results import Report
from sayso.runtime.system import SystemClock
from sayso.surfaces.cli.app import UsageProblem, near
from sayso.surfaces.cli.context import CommandContext, new_file
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.run_loop import carry, show
from sayso.surfaces.cli.terminal import NoTerminal, Terminal, find_terminal


class Subcommand(Struct, frozen=True):
    """A subcommand; `takes` are the options that it accepts, by their names in the namespace."""

    act: Callable[[argparse.Namespace, CommandContext], int]
    takes: tuple[str, ...] = ()
    words: bool = True


def find_subcommand(command: str, deeds: Mapping[str, Subcommand], arguments: argparse.Namespace) -> Subcommand:
    """Return the named subcommand. Raises `UsageProblem` if it is unknown or does not accept a given option or word."""
    what: str = arguments.what
    if what not in deeds:
        raise UsageProblem(f"sayso {command} does not know {quoted(what)}{near(what, deeds)}")
    deed = deeds[what]
    if arguments.words and not deed.words:
        raise UsageProblem(f"sayso {command} {what} does not take {quoted(arguments.words[0])}")
    for option in dict.fromkeys(option for each in deeds.values() for option in each.takes):
        if option not in deed.takes and _is_given(getattr(arguments, option)):
            others = ", ".join(name for name, each in deeds.items() if option in each.takes)
            spelt = f"--{option.replace('_', '-')}"
            raise UsageProblem(
                f"sayso {command} {what} does not take {quoted(spelt)}; it is for sayso {command} {others}"
            )
    return deed


def act_on(command: str, deeds: Mapping[str, Subcommand]) -> Callable[[argparse.Namespace, CommandContext], int]:
    """Return what carries out the named subcommand; it raises `UsageProblem` like `find_subcommand`."""
    return lambda arguments, here: find_subcommand(command, deeds, arguments).act(arguments, here)


def require_words(arguments: argparse.Namespace, command: str, part: str = "text") -> str:
    """Return the words after a subcommand, which name a thing by this part of it. Raises `UsageProblem` without any."""
    text = " ".join(arguments.words)
    if not text.strip():
        raise UsageProblem(f"sayso {command} {arguments.what}: which {command}? write its {part}")
    return text


def _is_given(value: object) -> bool:
    return value is not None and value is not False


T = TypeVar("T")
FORMATS = ("markdown", "ical")


def look_at_lists(here: CommandContext, look: Callable[[Tasks], Awaitable[T]]) -> T:
    """Open the home and return what `look` returns for its tasks."""

    async def look_in_home(home: Home) -> T:
        return await look(cast("Tasks", home.tools.backend("tasks").reads))

    return in_home(here, look_in_home)


def now_of() -> str:
    """Return the current time in UTC, in the format used in the lists."""
    return SystemClock().now().isoformat(timespec="seconds").replace("+00:00", "Z")


def form_of(file: str, named: str | None) -> str:
    """Return the named format, or else the one that the file's extension indicates."""
    return named or ("ical" if file.lower().endswith((".ics", ".ical")) else "markdown")


def read_import(text: str, form: str) -> Imported:
    """Return the tasks in a text."""
    return formats.read_ical(text) if form == "ical" else formats.read_markdown(text)


def save(here: CommandContext, tasks: tuple[Task, ...], file: str, form: str) -> Exit:
    """Write tasks into a new file, or print them if `file` is `-`. Raises `SetupError` if the file exists already."""
    entries = list(entries_of(tasks))
    text = formats.write_ical(entries, now_of()) if form == "ical" else formats.write_markdown(entries)
    if file == "-":
        if here.json:
            here.document({"format": form, "tasks": len(tasks), "text": text})
        else:
            here.write(visible_lines(text) if here.out.isatty() else text)
        return Exit.FINE
    with new_file(file) as opened:
        opened.write(text)
    if here.json:
        here.document({"format": form, "tasks": len(tasks), "path": str(Path(file).absolute())})
    else:
        here.print(f"✓ {len(tasks):,} task{'' if len(tasks) == 1 else 's'} written to {visible(file)}")
    return Exit.FINE


def visible_lines(text: str) -> str:
    """Return a text whose lines are escaped for the terminal."""
    return "".join(f"{visible(line)}\n" for line in text.splitlines())


@dataclass(frozen=True)
class DirectApprover:
    """Approves what the person typed themselves; asks about deletions whose target was named only in part."""

    otherwise: Approver
    at_terminal: bool

    async def ask(self, question: Question) -> Decision | None:
        """Return the yes that typing the command implies.

        Deletions with a warning go to `otherwise`. Other deletions are approved if they were typed at a terminal; if
        they were not, None is returned, and they wait.
        """
        losing = [card.plan for card in question.cards if card.plan.loses]
        if not losing:
            return question.yes("command")
        if any(plan.warns for plan in losing):
            return await self.otherwise.ask(question)
        return question.yes("command") if self.at_terminal else None


def _not_shown(report: Report) -> Iterator[str]:
    """Yield what the plans warn of, for actions that were not asked about, but done because the command was typed."""
    for outcome in report.outcomes:
        plan, marks = outcome.record.plan, outcome.record.marks
        if plan is not None and outcome.record.state is State.DONE and marks.approved_by != "terminal":
            yield from cast("Sequence[str]", plan.get("warns") or ())


def carry_out(here: CommandContext, operation: str, arguments: dict[str, Json], *, dry_run: bool = False) -> int:
    """Propose one operation on the person's behalf, print its outcome, and return the exit code."""
    deletes = operation.endswith(".delete") and not dry_run
    terminal = find_terminal() if deletes else NoTerminal("nothing is asked")
    at_terminal = isinstance(terminal, Terminal)
    if here.json and isinstance(terminal, Terminal):
        terminal.close()
        terminal = NoTerminal("with --json nothing is asked")

    async def work(home: Home, approver: Approver):
        proposal = Proposal(0, "", operation, arguments)
        return await home.take(
            [proposal], Origin("", "command"), DirectApprover(approver, at_terminal), dry_run=dry_run
        )

    report = carry(here, work, terminal)
    if not here.json:
        report = replace(report, warnings=(*report.warnings, *_not_shown(report)))
    why = terminal.why if isinstance(terminal, NoTerminal) else "nobody answered"
    return show(here, report, why_waiting=why)
