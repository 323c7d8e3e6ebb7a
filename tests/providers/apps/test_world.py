"""What each step makes of a world of applications and windows."""

from sayso.core.plan import AsLeft, Ref
from sayso.providers.apps.facts import Running, WindowAt
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.steps import Activate, Open, Place, PlaceNew, Quit
from sayso.providers.apps.world import Window, World, at, does, imagined

WORLD = World(
    running=(("1", "Notes"), ("2", "Mail")),
    windows=(
        Window("a", "Notes", "1", Bounds(0, 0, 10, 10), desktop="2"),
        Window("b", "Mail", "2", Bounds(5, 5, 20, 20), "maximised"),
    ),
)


def test_a_window_keeps_its_desktop_unless_another_is_named():
    stays, _ = does(WORLD, Place("Notes", "a", 1, 1, 2, 2), ())
    goes, left = does(WORLD, Place("Notes", "a", 1, 1, 2, 2, desktop="3"), ())

    assert stays.windows[0].desktop == "2"
    assert left == (WindowAt("a", "Notes", 1, 1, 2, 2, "normal", "3"),)
    assert at(goes.windows[0]) == left[0]


def test_activating_puts_the_windows_in_front():
    world, left = does(WORLD, Activate("Mail"), ())

    assert [window.app for window in world.windows] == ["Mail", "Notes"]
    assert left == (Running("Mail", ("2",)),)


def test_quitting_ends_every_instance_with_its_windows():
    world, left = does(WORLD, Quit("Mail"), ())

    assert (world.instances("Mail"), [window.app for window in world.windows]) == ((), ["Notes"])
    assert left == (Running("Mail", ()),)


def test_what_an_earlier_step_changes_is_expected_as_it_left_it():
    steps = ((Open("Clock", "clock"), Ref(0, 0)), (PlaceNew("Clock", 0, 0, 5, 5), Ref(1, 0)))

    seen = imagined(WORLD, steps)

    (clock,) = [window for window in seen.look().windows if window.app == "Clock"]
    assert clock.bounds == Bounds(0, 0, 5, 5)
    assert seen.fact(Running("Clock", ("whatever",))) == AsLeft("Clock", "app_running", 0, 0)
    assert seen.fact(Running("Mail", ("2",))) == Running("Mail", ("2",))
