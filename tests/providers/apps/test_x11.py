"""Windows of X11: how a screen is built, asked, read and arranged, and that its loss is told."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, NotDone, Settlement
from sayso.core.ports import Backend
from sayso.providers.apps import APPS
from sayso.providers.apps import x11 as screens
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.screen import ScreenWindow
from sayso.providers.apps.model import QuitApp
from sayso.providers.apps.x11 import X11Display, build
from sayso.providers.apps.x11_connection import X11Connection
from sayso.testing.apps import AppsSuite
from sayso.testing.fakes import KillAt, Killed
from sayso.testing.harness import Trial
from tests.desktop_env import parts, windows
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import Session, wait_for
from tests.providers.apps.fakes import backend_context

pytestmark = pytest.mark.needs("mousepad", "xclock", "xterm", "wmctrl", "xdotool", "xwininfo", "Xvfb")


class TestX11(AppsSuite):
    """The suite, with an editor that runs and a clock that does not."""

    running = "Mousepad"
    idle = "Clock"
    desktop: ClassVar[Session]

    @pytest.fixture(autouse=True)
    def _fresh_screen(self, x_desktop: Session) -> Iterator[None]:
        type(self).desktop = x_desktop
        windows.entry(x_desktop, "Clock", "xclock")
        yield
        windows.clear(x_desktop)
        windows.clear_entries(x_desktop)

    def make(self) -> Backend:
        windows.start(self.desktop, "mousepad")
        return build(backend_context(self.desktop.home))


@pytest.mark.req("X-05")
async def test_a_display_that_is_not_set_or_not_served_is_named(bare_desktop: Session, tmp_path: Path):
    with pytest.raises(SetupError, match="DISPLAY is not set; start sayso from your desktop"):
        build(backend_context(bare_desktop.home))
    with pytest.raises(SetupError, match="no X server answers on ':987'"):
        await build(backend_context(tmp_path, {**os.environ, "DISPLAY": ":987"})).reads.running()


@pytest.fixture
def desk(x_desktop: Session) -> Iterator[Session]:
    yield x_desktop
    windows.clear(x_desktop)


@pytest.fixture
def wire(desk: Session) -> Iterator[X11Connection]:
    made = X11Connection(desk.environment["DISPLAY"])
    yield made
    made.close()


def trial(desk: Session) -> Trial:
    return Trial(APPS, build(backend_context(desk.home)))


def to_desktop_1(desk: Session, window: int) -> None:
    desk.run("wmctrl", "-i", "-r", str(window), "-t", "1")
    wait_for(lambda: windows.desktop(desk, window) == "1", "the other desktop")


def edges(fact: object) -> tuple[int, ...]:
    return tuple(getattr(fact, edge) for edge in ("left", "top", "right", "bottom"))


def test_a_window_is_moved_sent_to_a_desktop_and_to_all_and_closed(desk: Session, wire: X11Connection):
    window = windows.start(desk, "xclock")

    screens.move(wire, window, Bounds(2000, 100, 2500, 700))
    wait_for(lambda: windows.bounds(desk, window) == (2000, 100, 2500, 700), "the bounds of its frame")
    screens.to_desktop(wire, window, "2")
    wait_for(lambda: windows.desktop(desk, window) == "2", "the other desktop")
    screens.to_desktop(wire, window, "all")
    wait_for(lambda: windows.desktop(desk, window) == "all", "every desktop")
    screens.close(wire, window)

    wait_for(lambda: window not in windows.listed(desk), "its end")


@pytest.mark.parametrize(
    ("state", "mark"), [("maximised", "MAXIMIZED_HORZ"), ("fullscreen", "FULLSCREEN"), ("minimised", "HIDDEN")]
)
def test_a_state_is_taken_on_and_left(desk: Session, wire: X11Connection, state: str, mark: str):
    window = windows.start(desk, "xclock")
    before = windows.states(desk, window)

    screens.enter_state(wire, window, "normal")
    unasked = windows.states(desk, window)
    screens.enter_state(wire, window, state)
    wait_for(lambda: mark in windows.states(desk, window), state)
    screens.leave_states(wire, window, state)

    wait_for(lambda: mark not in windows.states(desk, window), "no state")
    assert unasked == before


@pytest.mark.req("S4-23", "S0-43")
async def test_a_window_stands_exactly_where_it_was_put_which_may_be_left_of_the_screen(desk: Session):
    window = windows.start(desk, "mousepad")
    tried = trial(desk)

    await tried.do(await tried.plan("app.place", name="Mousepad", bounds=[2880, 0, 3840, 1080]))
    right_half = windows.bounds(desk, window)
    (left,) = await tried.do(await tried.plan("app.place", name="Mousepad", bounds=[-100, 20, 600, 620]))

    assert right_half == (2880, 0, 3840, 1080)
    assert edges(left.facts[0]) == windows.bounds(desk, window)


@pytest.mark.req("S4-22", "T-104")
@pytest.mark.parametrize(("side", "left"), [("right", 1920), ("left", 0), ("main", 0)])
async def test_a_window_goes_to_a_monitor_with_its_size(desk: Session, side: str, left: int):
    window = windows.start(desk, "mousepad")
    windows.move(desk, window, 1500 if side == "right" else 2100, 300)
    before = windows.bounds(desk, window)
    tried = trial(desk)

    plan = await tried.plan("app.place", name="Mousepad", monitor=side)
    lefts = await tried.do(plan)
    after = windows.bounds(desk, window)
    await tried.take_back(plan, lefts)

    assert left <= after[0]
    assert after[2] <= left + 1920
    assert (after[2] - after[0], after[3] - after[1]) == (before[2] - before[0], before[3] - before[1])
    assert windows.bounds(desk, window) == before


async def test_a_program_that_grows_in_steps_is_said_to_be_where_it_really_is(desk: Session):
    window = windows.start(desk, "xterm")
    tried = trial(desk)

    (left,) = await tried.do(await tried.plan("app.place", name="XTerm", bounds=[100, 50, 800, 550]))

    real = windows.bounds(desk, window)
    assert edges(left.facts[0]) == real
    assert real[:2] == (100, 50)
    assert 780 < real[2] <= 800


@pytest.mark.parametrize(
    "state", ["maximized_vert,maximized_horz", pytest.param("fullscreen", marks=pytest.mark.thorough)]
)
async def test_a_window_in_a_state_is_placed_and_comes_back_to_it_with_what_was_beneath(desk: Session, state: str):
    window = windows.start(desk, "mousepad")
    windows.move(desk, window, 2200, 200)
    beneath = windows.bounds(desk, window)
    desk.run("wmctrl", "-i", "-r", str(window), "-b", f"add,{state}")
    wait_for(lambda: windows.bounds(desk, window)[0] == 1920, "the whole monitor")
    before, states = windows.bounds(desk, window), windows.states(desk, window)
    tried = trial(desk)

    plan = await tried.plan("app.place", name="Mousepad", bounds=[0, 0, 700, 600])
    lefts = await tried.do(plan)
    placed = windows.bounds(desk, window)
    await tried.take_back(plan, lefts)
    again, states_again = windows.bounds(desk, window), windows.states(desk, window)
    desk.run("wmctrl", "-i", "-r", str(window), "-b", f"remove,{state}")

    assert placed == (0, 0, 700, 600)
    assert (again, states_again) == (before, states)
    wait_for(lambda: windows.bounds(desk, window) == beneath, "what was beneath")


async def test_a_minimised_window_is_shown_placed_and_minimised_again(desk: Session):
    window = windows.start(desk, "mousepad")
    desk.run("xdotool", "windowminimize", "--sync", str(window))
    wait_for(lambda: "HIDDEN" in windows.states(desk, window), "a minimised window")
    windows.at_rest(desk, window)
    tried = trial(desk)

    plan = await tried.plan("app.place", name="Mousepad", bounds=[0, 0, 700, 600])
    lefts = await tried.do(plan)
    placed, states = windows.bounds(desk, window), windows.states(desk, window)
    await tried.take_back(plan, lefts)

    assert placed == (0, 0, 700, 600)
    assert "HIDDEN" not in states
    assert "HIDDEN" in windows.states(desk, window)


async def test_a_window_that_went_to_another_desktop_meanwhile_is_not_placed_and_comes_to_the_front(desk: Session):
    window = windows.start(desk, "mousepad")
    tried = trial(desk)
    plan = await tried.plan("app.place", name="Mousepad", bounds=[0, 0, 700, 600])
    to_desktop_1(desk, window)

    with pytest.raises(ProviderError, match="moved or closed since"):
        await tried.do(plan)
    left_alone = windows.bounds(desk, window)
    await tried.do(await tried.plan("app.activate", name="Mousepad"))

    assert left_alone != (0, 0, 700, 600)
    assert int(desk.run("xdotool", "getactivewindow")) == window


@pytest.mark.req("S0-44", "S4-20")
async def test_an_application_comes_to_the_front_even_if_it_takes_no_keys(desk: Session):
    clock, term = windows.start(desk, "xclock"), windows.start(desk, "xterm")
    tried = trial(desk)

    await tried.do(await tried.plan("app.activate", name="XClock"))
    stacked = desk.run("xprop", "-root", "_NET_CLIENT_LIST_STACKING")
    await tried.do(await tried.plan("app.activate", name="XTerm"))

    assert stacked.split()[-1] == hex(clock)
    assert int(desk.run("xdotool", "getactivewindow")) == term


@pytest.mark.req("S0-45", "S4-27", "T-36")
async def test_every_process_of_an_application_is_quit_and_no_other(desk: Session):
    gone = [windows.start(desk, "xterm") for _ in range(3)]
    stays = windows.start(desk, "xclock")
    processes = [windows.listed(desk)[window] for window in gone]
    tried = trial(desk)

    await tried.do(await tried.plan("app.quit", name="XTerm"))

    # The tool that lists windows fails while one that it has just found goes away.
    wait_for(lambda: set(windows.listed(desk)) == {stays}, "the clock alone")
    wait_for(lambda: not any(Path(f"/proc/{process}/cwd").exists() for process in processes), "their ends")


@pytest.mark.req("T-36")
async def test_an_editor_with_unsaved_text_is_asked_and_not_killed(desk: Session):
    window = windows.start(desk, "mousepad")
    desk.run("xdotool", "windowactivate", "--sync", str(window))
    desk.run("xdotool", "type", "--delay", "40", "unsaved")
    wait_for(lambda: "*" in desk.run("xdotool", "getwindowname", str(window)), "unsaved text")
    tried = trial(desk)
    plan = await tried.plan("app.quit", name="Mousepad")

    with pytest.raises(ProviderError, match="is still running 1 s after it was asked to quit; it may be asking"):
        await tried.backend.apply(QuitApp("Mousepad", seconds=1), plan.changes[0].expects)

    assert window in windows.listed(desk)


async def test_a_server_that_is_stopped_is_not_waited_for_and_one_that_ended_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(screens, "SECONDS", 0.3)
    with session("Xvfb") as bare:
        number = parts.bare_x_server(bare, "640x480x24")
        (server,) = bare.processes("Xvfb")
        async with X11Display(f":{number}").open() as screen:
            os.kill(server, signal.SIGSTOP)
            with pytest.raises(ProviderError, match=r"the X server did not answer within 0\.3 seconds"):
                await screen.look()
        with pytest.raises(SetupError, match="did not answer"):
            async with X11Display(f":{number}").open():
                pass
        os.kill(server, signal.SIGCONT)
        async with X11Display(f":{number}").open() as screen:
            os.kill(server, signal.SIGKILL)
            with pytest.raises(ProviderError, match="the X server has ended the connection"):
                await screen.place("1", Bounds(0, 0, 1, 1), "normal", "", None)


def shown(wire: X11Connection, window: int) -> ScreenWindow:
    found = screens.read_window(wire, window)
    assert found is not None
    return found


@pytest.mark.req("S4-22")
def test_windows_of_several_programs_are_where_xwininfo_sees_them_until_they_close(desk: Session, wire: X11Connection):
    ids = [windows.start(desk, *argv) for argv in (("xterm",), ("xclock",), ("mousepad",), ("xterm",))]

    found = {int(window.id): window for window in screens.read_snapshot(wire).windows}
    keys = [screens.takes_keys(wire, window) for window in ids[:2]]

    assert set(found) == set(ids)
    for window in ids:
        assert edges(found[window].bounds) == windows.bounds(desk, window)
    assert {window: found[window].pid for window in ids} == windows.listed(desk)
    assert [found[window].classes[-1] for window in ids] == ["XTerm", "XClock", "Mousepad", "XTerm"]
    assert keys == [True, False]
    windows.clear(desk)
    wait_for(lambda: screens.read_window(wire, ids[0]) is None, "its end")
    assert screens.read_snapshot(wire).windows == ()


def test_the_front_window_is_first(desk: Session, wire: X11Connection):
    first, second = windows.start(desk, "xterm"), windows.start(desk, "xterm")

    before = [int(window.id) for window in screens.read_snapshot(wire).windows]
    desk.run("xdotool", "windowactivate", "--sync", str(first))
    after = [int(window.id) for window in screens.read_snapshot(wire).windows]

    assert (before, after) == ([second, first], [first, second])


@pytest.mark.req("S4-25")
def test_monitors_are_those_that_xrandr_lists(desk: Session, wire: X11Connection):
    listed = re.findall(r": \+(\*?)(\w+) (\d+)/\d+x(\d+)/\d+\+(\d+)\+(\d+)", desk.run("xrandr", "--listmonitors"))
    listed = listed or re.findall(
        r": (\*?)(\w+) (\d+)/\d+x(\d+)/\d+\+(\d+)\+(\d+)", desk.run("xrandr", "--listmonitors")
    )

    found = screens.read_monitors(wire)

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
def test_a_state_is_seen_that_another_program_gave(
    desk: Session, wire: X11Connection, command: tuple[str, ...], state: str
):
    window = windows.start(desk, "xterm")
    before = shown(wire, window).state

    desk.run(*(str(window) if word == "%" else word for word in command))

    wait_for(lambda: shown(wire, window).state == state, state)
    assert before == "normal"


def test_its_desktop_is_seen_and_only_as_high_as_the_monitor_is_not_maximised(desk: Session, wire: X11Connection):
    window = windows.start(desk, "xterm")

    desk.run("wmctrl", "-i", "-r", str(window), "-b", "add,maximized_vert")
    to_desktop_1(desk, window)

    wait_for(lambda: "MAXIMIZED_VERT" in windows.states(desk, window), "half of it")
    assert (shown(wire, window).state, shown(wire, window).desktop) == ("normal", "1")


@pytest.mark.req("X-05")
def test_a_screen_without_a_window_manager_is_named():
    with session("Xvfb") as bare:
        number = bare.start_and_read(
            "Xvfb", "-displayfd", "%fd", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"
        )
        wire = X11Connection(f":{number}")

        with pytest.raises(SetupError, match="no window manager that tells about its windows"):
            screens.read_snapshot(wire)

        wire.close()


@pytest.mark.req("CR-01")
@pytest.mark.parametrize(
    ("point", "opened_by_others", "found"),
    [
        ("app.open.after", False, Applied),
        ("app.open.before", False, NotDone),
        ("app.open.before", True, CannotTell),
    ],
)
async def test_what_is_open_after_a_crash_is_known_to_be_ours_or_not(
    menu: Session, point: str, *, opened_by_others: bool, found: type[Settlement]
):
    tried = Trial(APPS, build(replace(backend_context(menu.home), kill=KillAt(point))))
    (change,) = (await tried.plan("app.open", name="Clock")).changes

    with pytest.raises(Killed):
        await tried.backend.apply(change.do, change.expects)
    if opened_by_others:
        windows.start(menu, "xclock")
    became = await trial(menu).backend.settle(change.do, change.expects)

    assert isinstance(became, found)
    assert len(windows.listed(menu)) == (found is not NotDone)


@pytest.fixture
def menu(desk: Session) -> Iterator[Session]:
    """Return the screen, with a clock in the menus."""
    windows.entry(desk, "Clock", "xclock")
    yield desk
    windows.clear_entries(desk)
