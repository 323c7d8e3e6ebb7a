"""The exit codes of runs and errors."""

from collections.abc import Iterable, Iterator
from enum import IntEnum

from sayso.core.errors import ProposalError, Refused, SaysoError, SetupError
from sayso.core.lazy import load
from sayso.core.record import State
from sayso.runtime.results import Outcome, Report


class Exit(IntEnum):
    """Exit codes of `sayso`."""

    FINE = 0
    FAILED = 1
    USAGE = 2
    NOT_DECIDED = 3
    UNKNOWN = 4


def exit_of_error(problem: SaysoError) -> Exit:
    """Return the exit code of a command that ended with this error."""
    if isinstance(problem, SetupError):
        return Exit.USAGE
    if isinstance(problem, Refused):
        return Exit.NOT_DECIDED
    names_nothing = problem.code.endswith((".unknown", ".malformed")) or problem.code.startswith("arguments.")
    return Exit.USAGE if isinstance(problem, ProposalError) and names_nothing else Exit.FAILED


_UNKNOWN = frozenset({State.UNKNOWN})
_FAILED = frozenset({State.FAILED, State.INVALID, State.SKIPPED})
_NOT_DECIDED = frozenset({State.REFUSED, State.DECLINED, State.EXPIRED, State.WAITING})


def exit_of(report: Report) -> Exit:
    """Return the exit code of one run."""
    return exit_of_all([report])


def exit_of_all(reports: Iterable[Report]) -> Exit:
    """Return the common exit code of several runs. For edited actions, the runs that replaced them count."""
    every = [one for report in reports for one in _with_edits(report)]
    code = exit_of_states(
        _state_here(outcome)
        for report in every
        for outcome in load("sayso.surfaces.cli.render:without_edited")(report).outcomes
    )
    asks_back = any(report.needs_clarification for report in every)
    return Exit.NOT_DECIDED if asks_back and code is Exit.FINE else code


def _state_here(outcome: Outcome) -> State:
    """Return the state that counts for the exit code: what was decided elsewhere was not decided here."""
    state = outcome.record.state
    return State.DECLINED if outcome.elsewhere and state is not State.UNKNOWN else state


def _with_edits(report: Report) -> Iterator[Report]:
    yield report
    for edit in report.edits:
        yield from _with_edits(edit)


def exit_of_states(states: Iterable[State]) -> Exit:
    """Return the exit code for final states: unknown counts first, then failed, then not decided."""
    seen = set(states)
    for states_, code in ((_UNKNOWN, Exit.UNKNOWN), (_FAILED, Exit.FAILED), (_NOT_DECIDED, Exit.NOT_DECIDED)):
        if seen & states_:
            return code
    return Exit.FINE
