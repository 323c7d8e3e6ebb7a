"""A window that is not exactly where it was to go is said to be where it is."""

import pytest

from sayso.providers.apps.facts import Running, WindowAt
from sayso.providers.apps.linux.telling import where
from sayso.providers.apps.steps import Activate, OpenPlaced, Place, PlaceNew, Steps

PLACE = Place("XTerm", "1", 100, 50, 800, 550)


def at(left: int, top: int, right: int, bottom: int, state: str = "normal") -> WindowAt:
    return WindowAt("1", "XTerm", left, top, right, bottom, state)


@pytest.mark.parametrize(
    ("step", "left", "said"),
    [
        (PLACE, at(100, 50, 800, 550), ""),
        (PLACE, at(100, 50, 796, 547), "the window of XTerm is now at 100, 50, 696 wide and 497 high"),
        (PLACE, at(100, 50, 800, 550, "tiled"), "the window of XTerm is now at 100, 50, 700 wide and 500 high, tiled"),
        (PlaceNew("XTerm", 0, 0, 9, 9), at(0, 0, 8, 8), "the window of XTerm is now at 0, 0, 8 wide and 8 high"),
        (PlaceNew("XTerm", 0, 0, 9, 9, fit=True), at(0, 0, 8, 8), ""),
        (OpenPlaced("XTerm", "x", 0, 0, 9, 9), at(0, 0, 9, 9), ""),
        (Activate("XTerm"), at(0, 0, 9, 9), ""),
    ],
)
def test_only_a_difference_is_told(step: Steps, left: WindowAt, said: str):
    assert where(step, (Running("XTerm", ("1",)), left)) == said


def test_without_a_window_there_is_nothing_to_tell():
    assert where(PLACE, ()) == ""
