"""Exit codes, and the one of a command that could not be carried out at all."""

from enum import IntEnum

from sayso.core.errors import ProposalError, Refused, SaysoError, SetupError


class Exit(IntEnum):
    """What a program that calls sayso is told."""

    FINE = 0
    FAILED = 1
    USAGE = 2
    NOT_DECIDED = 3
    UNKNOWN = 4


def exit_of_error(problem: SaysoError) -> Exit:
    """Return the exit code where a command could not be carried out at all."""
    if isinstance(problem, SetupError):
        return Exit.USAGE
    if isinstance(problem, Refused):
        return Exit.NOT_DECIDED
    names_nothing = problem.code.endswith((".unknown", ".malformed")) or problem.code.startswith("arguments.")
    return Exit.USAGE if isinstance(problem, ProposalError) and names_nothing else Exit.FAILED
