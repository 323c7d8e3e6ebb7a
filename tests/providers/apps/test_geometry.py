"""Places on screens, and the layouts that name them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Change, Fact, ResultRef
from sayso.core.ports import Backend
from sayso.providers.apps import APPS
from sayso.providers.apps.geometry import (
    Bounds,
    Monitor,
    Side,
    WindowLayout,
    WindowPlacement,
    find_monitor,
    fit_within,
    move_to_monitor,
    parse_layouts,
)
from sayso.providers.apps.memory import backend, parse_world
from sayso.providers.apps.model import PlaceNewWindow, PlaceWindow
from sayso.providers.apps.operations import describe_target, place_window, plan_layout, target
from sayso.providers.apps.store import AppWindow
from sayso.testing.harness import Trial

MIDDLE = Monitor("Middle", Bounds(0, 0, 1920, 1080), main=True)
WEST = Monitor("West", Bounds(-1280, 0, 0, 1024))
EAST = Monitor("East", Bounds(1920, 0, 3840, 1080))

edges = st.integers(-5000, 5000)
sizes = st.integers(1, 4000)


def rectangle(left: int, top: int, width: int, height: int) -> Bounds:
    return Bounds(left, top, left + width, top + height)


rectangles = st.builds(rectangle, edges, edges, sizes, sizes)


@pytest.mark.req("T-104")
@pytest.mark.parametrize(
    ("side", "of_three", "of_one"), [("main", MIDDLE, MIDDLE), ("left", WEST, None), ("right", EAST, None)]
)
def test_monitors_are_called_by_their_position(side: Side, of_three: Monitor, of_one: Monitor | None):
    assert find_monitor(side, [EAST, MIDDLE, WEST]) == of_three
    assert find_monitor(side, [MIDDLE]) == of_one


def test_bounds_have_an_inside_or_are_not_sound():
    wrong = (Bounds(0, 0, 0, 10), Bounds(0, 0, 10, 0), Bounds(10, 0, 5, 10))

    assert Bounds(-1280, -200, -640, 400).is_valid
    assert [bounds.is_valid for bounds in wrong] == [False, False, False]


@given(rectangles, rectangles)
def test_a_fitted_window_lies_within_keeps_its_size_where_it_can_and_stays_once_it_fits(window: Bounds, into: Bounds):
    found = fit_within(window, into)

    assert into.left <= found.left
    assert into.top <= found.top
    assert found.right <= into.right
    assert found.bottom <= into.bottom
    assert (found.width, found.height) == (min(window.width, into.width), min(window.height, into.height))
    assert fit_within(found, into) == found


def test_a_window_is_carried_to_the_same_place_of_the_other_monitor():
    monitors = [WEST, MIDDLE, EAST]

    assert move_to_monitor(Bounds(100, 50, 900, 650), monitors, EAST) == Bounds(2020, 50, 2820, 650)
    assert move_to_monitor(Bounds(100, 50, 900, 650), monitors, MIDDLE) == Bounds(100, 50, 900, 650)
    assert move_to_monitor(Bounds(0, 0, 1920, 1080), monitors, WEST) == WEST.bounds
    assert move_to_monitor(Bounds(9000, 9000, 9100, 9100), monitors, MIDDLE) == Bounds(1820, 980, 1920, 1080)


GOOD = {"app_name": "Notes", "monitor": "left"}


@pytest.mark.req("T-101")
def test_a_layout_is_a_name_and_its_placements():
    placements = [GOOD, {"app_name": "A", "bounds": [0, 0, 9, 9]}]

    assert parse_layouts({"preset": [{"name": "code space", "placements": placements}]}) == (
        WindowLayout("code space", (WindowPlacement("Notes", "left"), WindowPlacement("A", None, (0, 0, 9, 9)))),
    )
    assert parse_layouts({"kind": "memory"}) == ()


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
        parse_layouts({"preset": presets})


MAIN = Monitor("Built-in", Bounds(0, 0, 1920, 1080), main=True)
FACT = Fact("w")


def window(state: str) -> AppWindow:
    return AppWindow("w", "Notes", Bounds(0, 0, 1920, 1080), state, FACT)


def test_a_maximised_window_is_not_there_already_and_comes_back_maximised():
    change = place_window(window("maximised"), Bounds(0, 0, 960, 1080), [MAIN])

    back = PlaceWindow("Notes", "w", 0, 0, 1920, 1080, "maximised")
    assert change == Change(PlaceWindow("Notes", "w", 0, 0, 960, 1080), undo=back, expects=(FACT,))
    assert place_window(window("maximised"), Bounds(0, 0, 1920, 1080), [MAIN]) is not None
    assert place_window(window("normal"), Bounds(0, 0, 1920, 1080), [MAIN]) is None


def test_places_are_told_in_words_and_without_a_monitor_there_is_none():
    assert describe_target(MAIN) == "on the monitor “Built-in”"
    assert describe_target(Bounds(-10, 5, 790, 605)) == "at -10, 5, 800 wide and 600 high"
    with pytest.raises(ProviderError):
        target(None, "left", [])


TWO = {
    "running": ["Notes"],
    "windows": [{"app": "Notes", "bounds": [0, 0, 100, 100]}, {"app": "Notes", "bounds": [5, 5, 105, 105]}],
}
LEFT, RIGHT = (0, 0, 960, 1080), (960, 0, 1920, 1080)


def made(preset: WindowLayout) -> Backend:
    return backend(replace(parse_world(TWO), layouts=(preset,)))


async def test_an_application_listed_twice_means_its_second_window_too():
    preset = WindowLayout("two", (WindowPlacement("Notes", bounds=LEFT), WindowPlacement("Notes", bounds=RIGHT)))

    layout = await plan_layout(made(preset).reads, preset)

    assert [change.do for change in layout.changes] == [
        PlaceWindow("Notes", "window-1", *LEFT),
        PlaceWindow("Notes", "window-2", *RIGHT),
    ]
    assert [change.undo for change in layout.changes] == [
        PlaceWindow("Notes", "window-1", 0, 0, 100, 100),
        PlaceWindow("Notes", "window-2", 5, 5, 105, 105),
    ]


@pytest.mark.parametrize(
    ("placements", "placed", "already", "not_placed"),
    [
        ([WindowPlacement("Notes", bounds=LEFT)] * 3, ("Notes", "Notes"), (), (("Notes", "Notes has only 2 windows"),)),
        (
            [WindowPlacement("Mail", bounds=LEFT, launch=True)] * 2,
            ("Mail",),
            (),
            (("Mail", "Mail is only being opened; it has one window"),),
        ),
        ([WindowPlacement("Mail", launch=True), WindowPlacement("Notes", launch=True)], ("Mail",), ("Notes",), ()),
    ],
    ids=["a window too few", "opened with one window", "launch alone"],
)
async def test_a_layout_tells_what_it_places_what_is_there_and_what_cannot_be(
    placements: list[WindowPlacement],
    placed: tuple[str, ...],
    already: tuple[str, ...],
    not_placed: tuple[tuple[str, str], ...],
):
    preset = WindowLayout("one", tuple(placements))

    layout = await plan_layout(made(preset).reads, preset)

    assert (layout.placed, layout.already, layout.not_placed) == (placed, already, not_placed)


@pytest.mark.req("AP-01", "T-31")
async def test_of_two_applications_with_one_name_none_is_opened():
    preset = WindowLayout("twins", (WindowPlacement("Twin", bounds=LEFT, launch=True),))
    world = replace(parse_world({"installed": ["Twin", "Twin"]}), layouts=(preset,))

    layout = await plan_layout(backend(world).reads, preset)

    assert layout.changes == ()
    assert [why for _, why in layout.not_placed] == ["2 applications are called “Twin” (Twin, Twin); open it by hand"]


async def test_what_the_batch_opens_is_placed_once_it_is_open():
    preset = WindowLayout("after", (WindowPlacement("Mail", bounds=LEFT),))
    trial = Trial(APPS, made(preset))

    trial.imagine(await trial.plan("app.open", name="Mail"))
    layout = await plan_layout(trial.seen, preset)

    assert [change.do for change in layout.changes] == [PlaceNewWindow("Mail", *LEFT)]
    assert layout.changes[0].expects == (ResultRef("Mail", "app_running", 0, 0),)
