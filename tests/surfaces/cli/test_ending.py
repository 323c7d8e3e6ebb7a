"""Exit codes of what was carried out: the first that fits."""

import pytest

from sayso.core.record import State
from sayso.runtime.outcome import Report
from sayso.surfaces.cli.ending import exit_of, exit_of_states


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
