"""A window's change holds where it goes and how it was."""

import pytest

from sayso.core.errors import ProviderError
from sayso.core.plan import Change, Fact
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.placing import place, target, words
from sayso.providers.apps.steps import Place
from sayso.providers.apps.store import Window

MAIN = Monitor("Built-in", Bounds(0, 0, 1920, 1080), main=True)
FACT = Fact("w")


def window(state: str) -> Window:
    return Window("w", "Notes", Bounds(0, 0, 1920, 1080), state, FACT)


def test_a_maximised_window_comes_back_maximised():
    change = place(window("maximised"), Bounds(0, 0, 960, 1080), [MAIN])

    back = Place("Notes", "w", 0, 0, 1920, 1080, "maximised")
    assert change == Change(Place("Notes", "w", 0, 0, 960, 1080), undo=back, expects=(FACT,))


def test_a_maximised_window_is_not_there_already():
    assert place(window("maximised"), Bounds(0, 0, 1920, 1080), [MAIN]) is not None
    assert place(window("normal"), Bounds(0, 0, 1920, 1080), [MAIN]) is None


def test_places_are_told_in_words():
    assert words(MAIN) == "on the monitor “Built-in”"
    assert words(Bounds(-10, 5, 790, 605)) == "at -10, 5, 800 wide and 600 high"


def test_without_any_monitor_none_is_found():
    with pytest.raises(ProviderError):
        target(None, "left", [])
