"""A window's change holds where it goes and how it was."""

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.plan import AsLeft, Change, Fact
from sayso.core.ports import Backend
from sayso.providers.apps import APPS
from sayso.providers.apps.geometry import Bounds, Monitor, Placement, Preset
from sayso.providers.apps.layout import place, plan_layout, target, words
from sayso.providers.apps.memory import backend, parse_world
from sayso.providers.apps.model import Place, PlaceNew
from sayso.providers.apps.store import Window
from sayso.testing.harness import Trial

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


TWO = {
    "running": ["Notes"],
    "windows": [{"app": "Notes", "bounds": [0, 0, 100, 100]}, {"app": "Notes", "bounds": [5, 5, 105, 105]}],
}
LEFT, RIGHT = (0, 0, 960, 1080), (960, 0, 1920, 1080)


def made(preset: Preset) -> Backend:
    return backend(replace(parse_world(TWO), presets=(preset,)))


async def test_an_application_listed_twice_means_its_second_window_too():
    preset = Preset("two", (Placement("Notes", bounds=LEFT), Placement("Notes", bounds=RIGHT)))

    layout = await plan_layout(made(preset).reads, preset)

    assert [change.do for change in layout.changes] == [
        Place("Notes", "window-1", *LEFT),
        Place("Notes", "window-2", *RIGHT),
    ]
    assert [change.undo for change in layout.changes] == [
        Place("Notes", "window-1", 0, 0, 100, 100),
        Place("Notes", "window-2", 5, 5, 105, 105),
    ]


async def test_a_window_too_few_is_named():
    preset = Preset("three", tuple(Placement("Notes", bounds=LEFT) for _ in range(3)))

    layout = await plan_layout(made(preset).reads, preset)

    assert layout.not_placed == (("Notes", "Notes has only 2 windows"),)


async def test_an_application_to_be_opened_has_one_window():
    preset = Preset("new", tuple(Placement("Mail", bounds=LEFT, launch=True) for _ in range(2)))

    layout = await plan_layout(made(preset).reads, preset)

    assert (layout.placed, layout.not_placed) == (
        ("Mail",),
        (("Mail", "Mail is only being opened; it has one window"),),
    )


@pytest.mark.req("AP-01", "T-31")
async def test_of_two_applications_with_one_name_none_is_opened():
    preset = Preset("twins", (Placement("Twin", bounds=LEFT, launch=True),))
    world = replace(parse_world({"installed": ["Twin", "Twin"]}), presets=(preset,))

    layout = await plan_layout(backend(world).reads, preset)

    assert layout.changes == ()
    assert [why for _, why in layout.not_placed] == ["2 applications are called “Twin” (Twin, Twin); open it by hand"]


async def test_what_the_batch_opens_is_placed_once_it_is_open():
    preset = Preset("after", (Placement("Mail", bounds=LEFT),))
    trial = Trial(APPS, made(preset))

    trial.imagine(await trial.plan("app.open", name="Mail"))
    layout = await plan_layout(trial.seen, preset)

    assert [change.do for change in layout.changes] == [PlaceNew("Mail", *LEFT)]
    assert layout.changes[0].expects == (AsLeft("Mail", "app_running", 0, 0),)


async def test_launch_alone_opens_and_leaves_what_runs():
    preset = Preset("open", (Placement("Mail", launch=True), Placement("Notes", launch=True)))

    layout = await plan_layout(made(preset).reads, preset)

    assert (layout.placed, layout.already, layout.not_placed) == (("Mail",), ("Notes",), ())
