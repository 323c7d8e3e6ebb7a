"""The exit code of a command that could not be carried out."""

import pytest

from sayso.core.errors import ProposalError, ProviderError, Refused, SaysoError, SetupError
from sayso.surfaces.cli.exits import exit_of_error


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
