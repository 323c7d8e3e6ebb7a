"""Run proposals at a terminal, choose the approver that answers their questions, and show the results."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from msgspec import Struct

from sayso.assembly import Home
from sayso.assembly.parts import foreign_sections
from sayso.core.decision import Decision, Question
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError
from sayso.core.lazy import load
from sayso.core.operation import Operation
from sayso.core.ports import Approver
from sayso.core.quotes import quoted
from sayso.policy.case import Case
from sayso.policy.rules import is_listed, unlisted_apps
from sayso.policy.settings import Mode, Policy
from sayso.runtime.questions import Nobody
from sayso.runtime.results import Report, report_json
from sayso.runtime.services import NoDelay, SilentDelay
from sayso.runtime.system import SystemClock
from sayso.surfaces.cli.context import OUT, CommandContext, discard, terminal_width
from sayso.surfaces.cli.exit_codes import Exit, exit_of, exit_of_all
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.progress import Countdown, ProgressLine, StopSignals, progress, stopping
from sayso.surfaces.cli.render import how_to_decide, lines_of
from sayso.surfaces.cli.terminal import NoTerminal, Terminal

T = TypeVar("T")


class QuietApprover(Struct, frozen=True):
    """Asks through `approver`, and hides the progress line until the answer."""

    approver: Approver
    progress: ProgressLine

    async def ask(self, question: Question) -> Decision | None:
        """Return the decision."""
        with self.progress.quiet():
            return await self.approver.ask(question)


class AttendedApprover(Struct, frozen=True):
    """Everything that concerns the person during a run: the approver, the progress line and the signals to stop."""

    approver: Approver
    progress: ProgressLine
    stop: StopSignals
    at: Any = None
    """The `TerminalApprover` that asks the person; None if nobody can be asked."""


class RunOptions(Struct, frozen=True):
    """The person's options for one run."""

    mode: Mode | None = None
    edit_first: bool = False
    at_once: bool = False
    """Whether actions start without their delay."""


NONE = RunOptions()


def carry(
    here: CommandContext,
    work: Callable[[Home, Approver], Awaitable[T]],
    terminal: Terminal | NoTerminal,
    options: RunOptions = NONE,
) -> T:
    """Open the home and do `work` with an approver: the person at the terminal, or `Nobody`."""

    async def alone(home: Home, person: AttendedApprover) -> T:
        done = await work(home, person.approver)
        return done if person.at is None else await load("sayso.surfaces.cli.commands.grants:add_hint")(home, done)

    return run_attended(here, alone, terminal, options)


def run_attended(
    here: CommandContext,
    work: Callable[[Home, AttendedApprover], Awaitable[T]],
    terminal: Terminal | NoTerminal,
    options: RunOptions = NONE,
) -> T:
    """Open the home and do `work`, with an approver, a progress line and a way to stop by Ctrl-C."""
    going_on = progress(here.err, "working", here.environ)
    with stopping(lambda said: here.tell(f"sayso: {said}")) as stop, going_on as telling:

        async def asking(home: Home) -> T:
            home.while_reading = stop.leaving
            if not isinstance(terminal, Terminal):
                return await work(home, AttendedApprover(Nobody(), telling, stop))
            # The module of the approver is large, so it is imported only if somebody can be asked.
            person = load("sayso.surfaces.cli.prompts:person")(
                here, home, terminal, stop, edit_first=options.edit_first
            )
            return await work(home, AttendedApprover(QuietApprover(person, telling), telling, stop, person))

        waits = NoDelay() if options.at_once else Countdown(here, telling, SilentDelay(SystemClock()))
        return in_home(here, asking, mode=options.mode, stopping=stop.asked, waits=waits)


def show_all(here: CommandContext, reports: Sequence[Report], *, why_waiting: str) -> Exit:
    """Print several runs, one after the other, and return their common exit code."""
    for number, report in enumerate(reports):
        if number:
            here.print("")
        show(here, report, why_waiting=why_waiting)
    return exit_of_all(reports)


def show(
    here: CommandContext,
    report: Report,
    *,
    why_waiting: str,
    nothing: str | None = "Nothing to do.",
    more: Mapping[str, Json] = MappingProxyType({}),
) -> Exit:
    """Print a run and return its exit code, even if the output cannot be written.

    `nothing` is printed for an empty run; `more` is added to the JSON document.
    """
    try:
        _print(here, report, nothing, more)
    except BrokenPipeError:
        discard(OUT)
    except OSError as full:
        discard(OUT)
        here.tell(f"sayso: {_describe_unprinted(report)}: {full.strerror}")
    waiting = how_to_decide(report, why_waiting)
    if waiting is not None:
        here.tell(f"sayso: {waiting}")
    return exit_of(report)


def _describe_unprinted(report: Report) -> str:
    if not report.outcomes:
        return "there was nothing to do, and that could not be printed"
    return f"run {report.run} has happened and stands in “sayso log”, but could not be printed"


def _print(here: CommandContext, report: Report, nothing: str | None, more: Mapping[str, Json]) -> None:
    if here.json:
        here.document({**report_json(report), **more})
    else:
        here.print(*(lines_of(report, terminal_width(here), here.style) or ([nothing] if nothing else [])))
    here.out.flush()


ALLOWED = "policy.allowed_apps"


class YesAlways(Decision, frozen=True):
    """A yes to applications that are not in the allowlist, with the wish to add them to it (T-31)."""


class FlagFirst(Struct, frozen=True):
    """Counts the option `--yes` as the person's yes to `mode` questions; other questions go to `otherwise`."""

    otherwise: Approver

    async def ask(self, question: Question) -> Decision | None:
        """Return a yes to a `mode` question, otherwise the decision of `otherwise`."""
        if question.level == "mode":
            return Decision(yes=True, by="flag", digest=question.digest)
        return await self.otherwise.ask(question)


def with_flag(approver: Approver, *, yes: bool) -> Approver:
    """Return `approver`, wrapped in `FlagFirst` if the flag was given."""
    return FlagFirst(approver) if yes else approver


class AllowlistApprover(Struct, frozen=True):
    """Adds applications to the allowlist if the person answered “always”, before the yes takes effect (T-31)."""

    otherwise: Approver
    home: Home
    here: CommandContext

    async def ask(self, question: Question) -> Decision | None:
        """Return the decision of `otherwise`. If the allowlist cannot be changed, the yes still counts this once."""
        decision = await self.otherwise.ask(question)
        if isinstance(decision, YesAlways):
            asked = question if decision.ticked is None else question.only(decision.ticked)
            before = self.home.settings
            self.here.tell(f"sayso: {self._list_new_apps(asked)}")
            changes = load("sayso.assembly.own_changes:differences")(before, self.home.settings)
            await load("sayso.runtime.own_changes:note")(self.home.tools, changes, by="terminal")
        return decision

    def _list_new_apps(self, question: Question) -> str:
        names = find_unlisted_apps(question, self.home.operations, self.home.settings.policy)
        if not names:
            return "what this opens or quits has been allowed meanwhile"
        said = " and ".join(quoted(name) for name in names)
        try:
            load("sayso.config.write:add_to_key")(self.home.settings.places, ALLOWED, names, foreign_sections())
        except (SaysoError, OSError) as wrong:
            return f"{said} could not be added to {ALLOWED}, so this yes is for once: {wrong}"
        policy = self.home.settings.policy
        if not all(is_listed(name, policy) for name in names):
            return f"{said} added to {ALLOWED}, but an administrator restricts that list, so this yes is for once"
        return f"{said} added to {ALLOWED}; opened and quit without this question from now on"


def find_unlisted_apps(question: Question, operations: Mapping[str, Operation], policy: Policy) -> tuple[str, ...]:
    """Return the names of the unlisted applications that caused the question, without duplicates."""
    cases = [Case(policy, operations[card.operation], card.arguments, card.plan) for card in question.asking]
    return tuple(dict.fromkeys(name for case in cases for name in unlisted_apps(case)))
