"""The exit code of a command that could not be carried out."""

import io
import logging
from collections.abc import Iterator

import pytest

from sayso.core.errors import ProposalError, ProviderError, Refused, SaysoError, SetupError
from sayso.core.record import State
from sayso.runtime.results import Report
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import exit_of, exit_of_error, exit_of_states
from sayso.surfaces.cli.home import quiet


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


@pytest.fixture(autouse=True)
def put_back() -> Iterator[None]:
    logger = logging.getLogger("sayso")
    before, propagates = list(logger.handlers), logger.propagate
    yield
    logger.handlers[:], logger.propagate = before, propagates


def told(**environ: str) -> str:
    """Return what is told of a fault."""
    err = io.StringIO()
    quiet(CommandContext(io.StringIO(), err, None, environ))
    logging.getLogger("sayso").error("it broke\x1b[31m", exc_info=ValueError("deep inside"))
    return err.getvalue()


def test_a_fault_is_told_in_one_visible_line():
    said = told()

    assert said.startswith("sayso: it broke")
    assert said.endswith("; with SAYSO_DEBUG=1 the details are printed\n")
    assert "\x1b" not in said
    assert "deep inside" not in said


def test_the_details_are_told_on_demand():
    assert "deep inside" in told(SAYSO_DEBUG="1")
