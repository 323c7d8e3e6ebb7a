"""What is asked of the window manager is what another program sees come about."""

from collections.abc import Iterator

import pytest

from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.x11 import screen
from sayso.providers.apps.x11.connection import Wire
from tests.desktop_env import windows
from tests.desktop_env.session import Session, wait_for

pytestmark = pytest.mark.needs("xclock", "wmctrl", "xdotool", "xwininfo")


@pytest.fixture
def clock(x_desktop: Session) -> Iterator[tuple[Session, Wire, int]]:
    wire = Wire(x_desktop.environment["DISPLAY"])
    yield x_desktop, wire, windows.start(x_desktop, "xclock")
    wire.close()
    windows.clear(x_desktop)


def test_bounds_hold_for_the_frame(clock: tuple[Session, Wire, int]):
    desk, wire, window = clock

    screen.move(wire, window, Bounds(2000, 100, 2500, 700))

    wait_for(lambda: windows.bounds(desk, window) == (2000, 100, 2500, 700), "the bounds")


@pytest.mark.parametrize(
    ("state", "mark"), [("maximised", "MAXIMIZED_HORZ"), ("fullscreen", "FULLSCREEN"), ("minimised", "HIDDEN")]
)
def test_a_state_is_taken_on_and_left(clock: tuple[Session, Wire, int], state: str, mark: str):
    desk, wire, window = clock

    screen.into(wire, window, state)
    wait_for(lambda: mark in windows.states(desk, window), state)
    screen.plain(wire, window, state)

    wait_for(lambda: mark not in windows.states(desk, window), "no state")


def test_a_window_goes_to_another_desktop_and_to_all(clock: tuple[Session, Wire, int]):
    desk, wire, window = clock

    screen.to_desktop(wire, window, "2")
    wait_for(lambda: windows.desktop(desk, window) == "2", "the other desktop")
    screen.to_desktop(wire, window, "all")

    wait_for(lambda: windows.desktop(desk, window) == "all", "every desktop")


def test_a_window_closes(clock: tuple[Session, Wire, int]):
    desk, wire, window = clock

    screen.close(wire, window)

    wait_for(lambda: window not in windows.listed(desk), "its end")


def test_no_state_is_no_question(clock: tuple[Session, Wire, int]):
    desk, wire, window = clock
    before = windows.states(desk, window)

    screen.into(wire, window, "normal")

    assert windows.states(desk, window) == before
