"""Exit codes: the first that fits says what became of all."""

from collections.abc import Iterable
from enum import IntEnum

from sayso.core.errors import ProposalError, Refused, SaysoError, SetupError
from sayso.core.record import State
from sayso.runtime.outcome import Report


class Exit(IntEnum):
    """What a program that calls sayso is told."""

    FINE = 0
    FAILED = 1
    USAGE = 2
    NOT_DECIDED = 3
    UNKNOWN = 4


_UNKNOWN = frozenset({State.UNKNOWN})
_FAILED = frozenset({State.FAILED, State.INVALID, State.SKIPPED})
_NOT_DECIDED = frozenset({State.REFUSED, State.DECLINED, State.EXPIRED, State.WAITING})


def exit_of(report: Report) -> Exit:
    """Return the exit code of a run."""
    code = exit_of_states(outcome.record.state for outcome in report.outcomes)
    return Exit.NOT_DECIDED if report.needs_clarification and code is Exit.FINE else code


def exit_of_states(states: Iterable[State]) -> Exit:
    """Return the exit code of what ended in these states."""
    seen = set(states)
    for states_, code in ((_UNKNOWN, Exit.UNKNOWN), (_FAILED, Exit.FAILED), (_NOT_DECIDED, Exit.NOT_DECIDED)):
        if seen & states_:
            return code
    return Exit.FINE


def exit_of_error(problem: SaysoError) -> Exit:
    """Return the exit code where a command could not be carried out at all."""
    if isinstance(problem, SetupError):
        return Exit.USAGE
    if isinstance(problem, Refused):
        return Exit.NOT_DECIDED
    names_nothing = problem.code.endswith((".unknown", ".malformed")) or problem.code.startswith("arguments.")
    return Exit.USAGE if isinstance(problem, ProposalError) and names_nothing else Exit.FAILED
