"""The short form of every long run finds nothing as sayso is, and finds each bug that is planted in it."""

import pytest

from tests.harness.check import HARNESSES, checked, needed, runs

RUNS = list(runs(HARNESSES))


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("harness", "planted", "n"),
    [pytest.param(*run, marks=pytest.mark.needs(*needed(run[0])), id=f"{run[0]}-{run[1] or 'clean'}") for run in RUNS],
)
def test_a_harness_passes_what_is_sound_and_catches_what_is_planted(harness: str, planted: str | None, n: int):
    found = checked(harness, planted, n)

    assert found.as_it_should, found
