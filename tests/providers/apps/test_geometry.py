"""Where windows go is plain arithmetic, also beyond the left edge of the main monitor."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import SetupError
from sayso.providers.apps.geometry import (
    Bounds,
    Monitor,
    Placement,
    Preset,
    Side,
    carry_to_monitor,
    fit_within,
    monitor_called,
    read,
)

MIDDLE = Monitor("Middle", Bounds(0, 0, 1920, 1080), main=True)
WEST = Monitor("West", Bounds(-1280, 0, 0, 1024))
EAST = Monitor("East", Bounds(1920, 0, 3840, 1080))

edges = st.integers(-5000, 5000)
sizes = st.integers(1, 4000)


def rectangle(left: int, top: int, width: int, height: int) -> Bounds:
    return Bounds(left, top, left + width, top + height)


rectangles = st.builds(rectangle, edges, edges, sizes, sizes)


@pytest.mark.req("T-104")
@pytest.mark.parametrize(("side", "found"), [("main", MIDDLE), ("left", WEST), ("right", EAST)])
def test_monitors_are_called_by_their_position(side: Side, found: Monitor):
    assert monitor_called(side, [EAST, MIDDLE, WEST]) == found


@pytest.mark.req("T-104")
@pytest.mark.parametrize(("side", "found"), [("main", MIDDLE), ("left", None), ("right", None)])
def test_one_monitor_has_no_left_and_no_right(side: Side, found: Monitor | None):
    assert monitor_called(side, [MIDDLE]) == found


@pytest.mark.parametrize(
    ("bounds", "sound"),
    [
        (Bounds(-1280, -200, -640, 400), True),
        (Bounds(0, 0, 0, 10), False),
        (Bounds(0, 0, 10, 0), False),
        (Bounds(10, 0, 5, 10), False),
    ],
)
def test_bounds_have_an_inside_or_are_not_sound(bounds: Bounds, sound: bool):
    assert bounds.sound == sound


@given(rectangles, rectangles)
def test_a_fitted_window_lies_within_and_keeps_its_size_where_it_can(window: Bounds, into: Bounds):
    found = fit_within(window, into)

    assert into.left <= found.left
    assert into.top <= found.top
    assert found.right <= into.right
    assert found.bottom <= into.bottom
    assert (found.width, found.height) == (min(window.width, into.width), min(window.height, into.height))


@given(rectangles, rectangles)
def test_a_window_that_fits_already_stays(window: Bounds, into: Bounds):
    within = fit_within(window, into)

    assert fit_within(within, into) == within


def test_a_window_is_carried_to_the_same_place_of_the_other_monitor():
    monitors = [WEST, MIDDLE, EAST]

    assert carry_to_monitor(Bounds(100, 50, 900, 650), monitors, EAST) == Bounds(2020, 50, 2820, 650)
    assert carry_to_monitor(Bounds(100, 50, 900, 650), monitors, MIDDLE) == Bounds(100, 50, 900, 650)
    assert carry_to_monitor(Bounds(0, 0, 1920, 1080), monitors, WEST) == WEST.bounds
    assert carry_to_monitor(Bounds(9000, 9000, 9100, 9100), monitors, MIDDLE) == Bounds(1820, 980, 1920, 1080)


GOOD = {"app_name": "Notes", "monitor": "left"}


@pytest.mark.req("T-101")
def test_a_layout_is_a_name_and_its_placements():
    presets = read(
        {"preset": [{"name": "code space", "placements": [GOOD, {"app_name": "A", "bounds": [0, 0, 9, 9]}]}]}
    )

    placements = (Placement("Notes", "left"), Placement("A", None, (0, 0, 9, 9)))
    assert presets == (Preset("code space", placements),)


def test_without_layouts_there_are_none():
    assert read({"kind": "memory"}) == ()


@pytest.mark.parametrize(
    ("presets", "says"),
    [
        ([{"placements": [GOOD]}], "name"),
        ([{"name": "a", "placements": [{"app_name": "Notes"}]}], "preset “a”, Notes: give a monitor or bounds"),
        ([{"name": "a", "placements": [{"app_name": "Notes", "bounds": [1, 2, 3]}]}], "length >= 4"),
        ([{"name": "a", "placements": [{"app_name": "Notes", "bounds": [5, 0, 1, 9]}]}], "right beyond left"),
        ([{"name": "a", "placements": [{**GOOD, "monitor": "up"}]}], "up"),
        ([{"name": "a", "placements": [{**GOOD, "size": 1}]}], "size"),
        ([{"name": "a"}, {"name": "a"}], "two presets are called “a”"),
        ("a", "preset"),
    ],
)
def test_a_wrong_layout_is_named(presets: object, says: str):
    with pytest.raises(SetupError, match=says):
        read({"preset": presets})
