"""The short form of every long run finds nothing as sayso is, and finds each bug that is planted in it.

Without a planted bug a short form walks a fixed list, so that it does the same each time; the planted bugs are looked
for in the thorough ring.
"""

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
LATER = {"races", "leftovers"}
"""The harnesses that run in the thorough ring alone: what they look for has tests of its own in the first."""
DRAWN = {"kills": 4, "races": 4, "fuzz": 2, "leftovers": 2}
"""The runs whose short form walks a fixed list, and how many times as long they are where they draw."""


def marks(harness: str, planted: str | None) -> list[pytest.MarkDecorator]:
    """Return what a run needs, what it proves, and in which ring it is."""
    proves = PROVES.get(harness, ()) if planted is None else ()
    return [
        pytest.mark.needs(*needed(harness)),
        *([pytest.mark.req(*proves)] if proves else []),
        *([pytest.mark.thorough] if planted or harness in LATER else []),
    ]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("harness", "times"),
    [pytest.param(name, times, marks=pytest.mark.needs(*needed(name)), id=name) for name, times in DRAWN.items()],
)
def test_a_harness_finds_nothing_where_it_draws_what_it_tries(harness: str, times: int):
    (short,) = [n for name, planted, n in RUNS if name == harness and planted is None]

    found = checked(harness, None, times * short)

    assert found.as_it_should, f"{found.code}: {found.seen}\n{found.line}"


@pytest.mark.parametrize(
    ("harness", "planted", "n"),
    [pytest.param(*run, marks=marks(run[0], run[1]), id=f"{run[0]}-{run[1] or 'clean'}") for run in RUNS],
)
def test_a_harness_passes_what_is_sound_and_catches_what_is_planted(harness: str, planted: str | None, n: int):
    found = checked(harness, planted, n)

    assert found.as_it_should, f"{found.code}: {found.seen}\n{found.line}"
