"""What an X session shows is seen as programs that are not ours see it."""

import re
from collections.abc import Iterator

import pytest

from sayso.core.errors import SetupError
from sayso.providers.apps.linux.screen import Shown
from sayso.providers.apps.x11 import screen as seen
from sayso.providers.apps.x11.connection import Wire
from tests.desktop_env import windows
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import Session, wait_for

pytestmark = pytest.mark.needs("mousepad", "xclock", "xterm", "wmctrl", "xdotool", "xwininfo")


@pytest.fixture
def desk(x_desktop: Session) -> Iterator[Session]:
    yield x_desktop
    windows.clear(x_desktop)


@pytest.fixture
def wire(desk: Session) -> Iterator[Wire]:
    made = Wire(desk.environment["DISPLAY"])
    yield made
    made.close()


def shown(wire: Wire, window: int) -> Shown:
    found = seen.one(wire, window)
    assert found is not None
    return found


@pytest.mark.req("S4-22")
def test_windows_of_several_programs_are_where_xwininfo_sees_them(desk: Session, wire: Wire):
    ids = [windows.start(desk, *argv) for argv in (("xterm",), ("xclock",), ("mousepad",), ("xterm",))]

    found = {int(window.id): window for window in seen.look(wire).windows}

    assert set(found) == set(ids)
    for window in ids:
        edges = found[window].bounds
        assert (edges.left, edges.top, edges.right, edges.bottom) == windows.bounds(desk, window)
    assert {window: found[window].pid for window in ids} == windows.listed(desk)
    assert [found[window].classes[-1] for window in ids] == ["XTerm", "XClock", "Mousepad", "XTerm"]


def test_the_front_window_is_first(desk: Session, wire: Wire):
    first, second = windows.start(desk, "xterm"), windows.start(desk, "xterm")

    before = [int(window.id) for window in seen.look(wire).windows]
    desk.run("xdotool", "windowactivate", "--sync", str(first))
    after = [int(window.id) for window in seen.look(wire).windows]

    assert (before, after) == ([second, first], [first, second])


@pytest.mark.req("S4-25")
def test_monitors_are_those_that_xrandr_lists(desk: Session, wire: Wire):
    listed = re.findall(r": \+(\*?)(\w+) (\d+)/\d+x(\d+)/\d+\+(\d+)\+(\d+)", desk.run("xrandr", "--listmonitors"))
    listed = listed or re.findall(
        r": (\*?)(\w+) (\d+)/\d+x(\d+)/\d+\+(\d+)\+(\d+)", desk.run("xrandr", "--listmonitors")
    )

    found = seen.monitors(wire)

    assert len(found) == 2
    assert [
        ("*" if one.main else "", one.name, one.bounds.width, one.bounds.height, one.bounds.left, one.bounds.top)
        for one in found
    ] == [(main, name, *map(int, numbers)) for main, name, *numbers in listed]


@pytest.mark.parametrize(
    ("command", "state"),
    [
        (("wmctrl", "-i", "-r", "%", "-b", "add,maximized_vert,maximized_horz"), "maximised"),
        (("wmctrl", "-i", "-r", "%", "-b", "add,fullscreen"), "fullscreen"),
        (("xdotool", "windowminimize", "%"), "minimised"),
    ],
)
def test_a_state_is_seen_that_another_program_gave(desk: Session, wire: Wire, command: tuple[str, ...], state: str):
    window = windows.start(desk, "xterm")
    before = shown(wire, window).state

    desk.run(*(str(window) if word == "%" else word for word in command))

    wait_for(lambda: shown(wire, window).state == state, state)
    assert before == "normal"


def test_a_window_that_is_only_as_high_as_the_monitor_is_not_maximised(desk: Session, wire: Wire):
    window = windows.start(desk, "xterm")

    desk.run("wmctrl", "-i", "-r", str(window), "-b", "add,maximized_vert")

    wait_for(lambda: "MAXIMIZED_VERT" in windows.states(desk, window), "half of it")
    assert shown(wire, window).state == "normal"


def test_the_desktop_of_a_window_is_seen(desk: Session, wire: Wire):
    window = windows.start(desk, "xterm")

    desk.run("wmctrl", "-i", "-r", str(window), "-t", "2")
    wait_for(lambda: windows.desktop(desk, window) == "2", "the other desktop")

    assert shown(wire, window).desktop == "2"


def test_a_window_that_was_closed_is_none(desk: Session, wire: Wire):
    window = windows.start(desk, "xterm")

    windows.clear(desk)

    wait_for(lambda: seen.one(wire, window) is None, "its end")
    assert seen.look(wire).windows == ()


def test_a_window_without_a_keyboard_says_so(desk: Session, wire: Wire):
    assert not seen.takes_keys(wire, windows.start(desk, "xclock"))
    assert seen.takes_keys(wire, windows.start(desk, "xterm"))


@pytest.mark.req("X-05")
@pytest.mark.needs("Xvfb")
def test_a_screen_without_a_window_manager_is_named():
    with session("Xvfb") as bare:
        number = bare.told("Xvfb", "-displayfd", "%fd", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset")
        wire = Wire(f":{number}")

        with pytest.raises(SetupError, match="no window manager that tells about its windows"):
            seen.look(wire)

        wire.close()
