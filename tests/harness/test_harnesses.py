"""The short form of every long run finds nothing as sayso is, and finds each bug that is planted in it."""

import pytest

from tests.harness.check import HARNESSES, checked, needed, runs

RUNS = list(runs(HARNESSES))
PROVES = {
    "fuzz": ("PA-11",),
    "injection": ("T-111",),
    "races": ("FS-04", "FS-08", "FS-14"),
    "kills": ("CR-01", "CR-02"),
}
"""The cases that a clean run is about."""


def marks(harness: str, planted: str | None) -> list[pytest.MarkDecorator]:
    """Return what a run needs, and what it proves."""
    proves = PROVES.get(harness, ()) if planted is None else ()
    return [pytest.mark.needs(*needed(harness)), *([pytest.mark.req(*proves)] if proves else [])]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("harness", "planted", "n"),
    [pytest.param(*run, marks=marks(run[0], run[1]), id=f"{run[0]}-{run[1] or 'clean'}") for run in RUNS],
)
def test_a_harness_passes_what_is_sound_and_catches_what_is_planted(harness: str, planted: str | None, n: int):
    found = checked(harness, planted, n)

    assert found.as_it_should, f"{found.code}: {found.seen}\n{found.line}"
