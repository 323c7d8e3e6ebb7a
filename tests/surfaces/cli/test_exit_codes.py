"""The exit code of a command that could not be carried out."""

import pytest

from sayso.core.errors import ProposalError, ProviderError, Refused, SaysoError, SetupError
from sayso.core.record import State
from sayso.runtime.results import Report
from sayso.surfaces.cli.exit_codes import exit_of, exit_of_error, exit_of_states


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (SetupError("x"), 2),
        (ProposalError("x", "id.malformed"), 2),
        (ProposalError("x", "action.unknown"), 2),
        (ProposalError("x", "undo.no_way_back"), 1),
        (ProposalError("x", "action.not_waiting"), 1),
        (ProviderError("x"), 1),
        (Refused("x", "terminal.needed"), 3),
    ],
)
def test_errors_have_codes_too(problem: SaysoError, code: int):
    assert exit_of_error(problem) == code


@pytest.mark.parametrize(
    ("states", "code"),
    [
        ("", 0),
        ("done unchanged planned undone", 0),
        ("done waiting", 3),
        ("refused", 3),
        ("declined", 3),
        ("expired", 3),
        ("declined failed", 1),
        ("invalid waiting", 1),
        ("skipped", 1),
        ("failed unknown waiting", 4),
    ],
)
def test_the_first_that_fits_says_what_became_of_all(states: str, code: int):
    assert exit_of_states(State(name) for name in states.split()) == code


def test_a_clarification_is_needed():
    assert exit_of(Report("run_", "commands", (), needs_clarification=True)) == 3
