"""Windows of X11: how a screen is built, asked, read and arranged, and that its loss is told."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import anyio
import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, Change, NotDone, Settlement
from sayso.core.ports import Backend
from sayso.providers.apps import APPS
from sayso.providers.apps import x11 as screens
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.screen import ScreenWindow
from sayso.providers.apps.model import QuitApp
from sayso.providers.apps.x11 import X11Display, build
from sayso.providers.apps.x11_connection import CallTimeout, X11Connection, in_time
from sayso.testing.apps import AppsSuite
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
def test_without_a_display_the_person_is_told_what_to_do(bare_desktop: Session):
    with pytest.raises(SetupError, match="DISPLAY is not set; start sayso from your desktop"):
        build(backend_context(bare_desktop.home))


async def test_a_display_that_nobody_serves_is_named(tmp_path: Path):
    backend = build(backend_context(tmp_path, {**os.environ, "DISPLAY": ":987"}))

    with pytest.raises(SetupError, match="no X server answers on ':987'"):
        await backend.reads.running()


NEVER = """
import anyio, threading
from sayso.providers.apps.x11_connection import CallTimeout, in_time

async def main():
    try:
        await in_time(threading.Event().wait, 0.05)
    except CallTimeout:
        print("late")

anyio.run(main)
"""


async def test_it_returns_and_raises_what_the_call_does():
    assert await in_time(lambda: 7, 5) == 7
    with pytest.raises(ZeroDivisionError):
        await in_time(lambda: 1 / 0, 5)


async def test_what_comes_late_is_put_away():
    go, put_away = threading.Event(), threading.Event()
    kept: list[str] = []

    def call() -> str:
        go.wait()
        return "late"

    def away(found: str) -> None:
        kept.append(found)
        put_away.set()

    with pytest.raises(CallTimeout):
        await in_time(call, 0.05, away)
    go.set()

    assert put_away.wait(5)
    assert kept == ["late"]


async def test_who_gives_up_waiting_leaves_no_call_running():
    running: list[str] = []

    with anyio.CancelScope() as given_up:
        given_up.cancel()
        await in_time(lambda: running.append("done"), 5)

    assert running == ["done"]


@pytest.mark.timeout(30)
def test_a_call_that_never_returns_does_not_keep_the_process_from_ending():
    ended = subprocess.run([sys.executable, "-c", NEVER], capture_output=True, text=True, timeout=20, check=True)

    assert ended.stdout == "late\n"


@pytest.fixture
def clock(x_desktop: Session) -> Iterator[tuple[Session, X11Connection, int]]:
    wire = X11Connection(x_desktop.environment["DISPLAY"])
    yield x_desktop, wire, windows.start(x_desktop, "xclock")
    wire.close()
    windows.clear(x_desktop)


def test_bounds_hold_for_the_frame(clock: tuple[Session, X11Connection, int]):
    desk, wire, window = clock

    screens.move(wire, window, Bounds(2000, 100, 2500, 700))

    wait_for(lambda: windows.bounds(desk, window) == (2000, 100, 2500, 700), "the bounds")


@pytest.mark.parametrize(
    ("state", "mark"), [("maximised", "MAXIMIZED_HORZ"), ("fullscreen", "FULLSCREEN"), ("minimised", "HIDDEN")]
)
def test_a_state_is_taken_on_and_left(clock: tuple[Session, X11Connection, int], state: str, mark: str):
    desk, wire, window = clock

    screens.enter_state(wire, window, state)
    wait_for(lambda: mark in windows.states(desk, window), state)
    screens.leave_states(wire, window, state)

    wait_for(lambda: mark not in windows.states(desk, window), "no state")


def test_a_window_goes_to_another_desktop_and_to_all(clock: tuple[Session, X11Connection, int]):
    desk, wire, window = clock

    screens.to_desktop(wire, window, "2")
    wait_for(lambda: windows.desktop(desk, window) == "2", "the other desktop")
    screens.to_desktop(wire, window, "all")

    wait_for(lambda: windows.desktop(desk, window) == "all", "every desktop")


def test_a_window_closes(clock: tuple[Session, X11Connection, int]):
    desk, wire, window = clock

    screens.close(wire, window)

    wait_for(lambda: window not in windows.listed(desk), "its end")


def test_no_state_is_no_question(clock: tuple[Session, X11Connection, int]):
    desk, wire, window = clock
    before = windows.states(desk, window)

    screens.enter_state(wire, window, "normal")

    assert windows.states(desk, window) == before


RIGHT_HALF = [2880, 0, 3840, 1080]


@pytest.fixture
def desk(x_desktop: Session) -> Iterator[Session]:
    yield x_desktop
    windows.clear(x_desktop)


def trial(desk: Session) -> Trial:
    return Trial(APPS, build(backend_context(desk.home)))


@pytest.mark.req("S4-23", "S0-43")
async def test_a_window_stands_exactly_where_it_was_put(desk: Session):
    window = windows.start(desk, "mousepad")
    tried = trial(desk)

    await tried.do(await tried.plan("app.place", name="Mousepad", bounds=RIGHT_HALF))

    assert list(windows.bounds(desk, window)) == RIGHT_HALF


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

    fact = left.facts[0]
    real = windows.bounds(desk, window)
    assert [getattr(fact, edge) for edge in ("left", "top", "right", "bottom")] == list(real)
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


async def test_a_window_that_somebody_took_to_another_desktop_meanwhile_is_left_alone(desk: Session):
    window = windows.start(desk, "mousepad")
    tried = trial(desk)
    plan = await tried.plan("app.place", name="Mousepad", bounds=[0, 0, 700, 600])
    desk.run("wmctrl", "-i", "-r", str(window), "-t", "1")
    wait_for(lambda: windows.desktop(desk, window) == "1", "the other desktop")

    with pytest.raises(ProviderError, match="moved or closed since"):
        await tried.do(plan)

    assert windows.bounds(desk, window) != (0, 0, 700, 600)


async def test_a_window_of_another_desktop_comes_to_the_front(desk: Session):
    window = windows.start(desk, "mousepad")
    desk.run("wmctrl", "-i", "-r", str(window), "-t", "1")
    wait_for(lambda: windows.desktop(desk, window) == "1", "the other desktop")
    tried = trial(desk)

    await tried.do(await tried.plan("app.activate", name="Mousepad"))

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


async def test_bounds_may_lie_left_of_the_screen(desk: Session):
    window = windows.start(desk, "mousepad")
    tried = trial(desk)

    (left,) = await tried.do(await tried.plan("app.place", name="Mousepad", bounds=[-100, 20, 600, 620]))

    assert [getattr(left.facts[0], edge) for edge in ("left", "top", "right", "bottom")] == list(
        windows.bounds(desk, window)
    )


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


@pytest.fixture
def wire(desk: Session) -> Iterator[X11Connection]:
    made = X11Connection(desk.environment["DISPLAY"])
    yield made
    made.close()


def shown(wire: X11Connection, window: int) -> ScreenWindow:
    found = screens.read_window(wire, window)
    assert found is not None
    return found


@pytest.mark.req("S4-22")
def test_windows_of_several_programs_are_where_xwininfo_sees_them(desk: Session, wire: X11Connection):
    ids = [windows.start(desk, *argv) for argv in (("xterm",), ("xclock",), ("mousepad",), ("xterm",))]

    found = {int(window.id): window for window in screens.read_snapshot(wire).windows}

    assert set(found) == set(ids)
    for window in ids:
        edges = found[window].bounds
        assert (edges.left, edges.top, edges.right, edges.bottom) == windows.bounds(desk, window)
    assert {window: found[window].pid for window in ids} == windows.listed(desk)
    assert [found[window].classes[-1] for window in ids] == ["XTerm", "XClock", "Mousepad", "XTerm"]


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


def test_a_window_that_is_only_as_high_as_the_monitor_is_not_maximised(desk: Session, wire: X11Connection):
    window = windows.start(desk, "xterm")

    desk.run("wmctrl", "-i", "-r", str(window), "-b", "add,maximized_vert")

    wait_for(lambda: "MAXIMIZED_VERT" in windows.states(desk, window), "half of it")
    assert shown(wire, window).state == "normal"


def test_the_desktop_of_a_window_is_seen(desk: Session, wire: X11Connection):
    window = windows.start(desk, "xterm")

    desk.run("wmctrl", "-i", "-r", str(window), "-t", "2")
    wait_for(lambda: windows.desktop(desk, window) == "2", "the other desktop")

    assert shown(wire, window).desktop == "2"


def test_a_window_that_was_closed_is_none(desk: Session, wire: X11Connection):
    window = windows.start(desk, "xterm")

    windows.clear(desk)

    wait_for(lambda: screens.read_window(wire, window) is None, "its end")
    assert screens.read_snapshot(wire).windows == ()


def test_a_window_without_a_keyboard_says_so(desk: Session, wire: X11Connection):
    assert not screens.takes_keys(wire, windows.start(desk, "xclock"))
    assert screens.takes_keys(wire, windows.start(desk, "xterm"))


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


class Died(BaseException):
    """It ends here."""


def dies_at(point: str) -> Callable[[str], None]:
    def die(here: str) -> None:
        if here == point:
            raise Died

    return die


@pytest.fixture
def menu(desk: Session) -> Iterator[Session]:
    """Return the screen, with a clock in the menus."""
    windows.entry(desk, "Clock", "xclock")
    yield desk
    windows.clear_entries(desk)


def mortal(home: Path, point: str) -> Trial:
    return Trial(APPS, build(replace(backend_context(home), kill=dies_at(point))))


async def became(desk: Session, change: Change) -> Settlement:
    """Return what a sayso that is started afterwards finds."""
    return await Trial(APPS, build(backend_context(desk.home))).backend.settle(change.do, change.expects)


@pytest.mark.req("CR-01")
async def test_what_was_opened_is_known_to_be_ours(menu: Session):
    tried = mortal(menu.home, "app.open.after")
    (change,) = (await tried.plan("app.open", name="Clock")).changes

    with pytest.raises(Died):
        await tried.backend.apply(change.do, change.expects)

    assert isinstance(await became(menu, change), Applied)
    assert len(windows.listed(menu)) == 1


@pytest.mark.req("CR-01")
async def test_what_was_not_begun_is_known_not_to_be_done(menu: Session):
    tried = mortal(menu.home, "app.open.before")
    (change,) = (await tried.plan("app.open", name="Clock")).changes

    with pytest.raises(Died):
        await tried.backend.apply(change.do, change.expects)

    assert isinstance(await became(menu, change), NotDone)


@pytest.mark.req("CR-01")
async def test_what_somebody_else_opened_meanwhile_is_not_claimed(menu: Session):
    tried = mortal(menu.home, "app.open.before")
    (change,) = (await tried.plan("app.open", name="Clock")).changes

    with pytest.raises(Died):
        await tried.backend.apply(change.do, change.expects)
    windows.start(menu, "xclock")

    assert isinstance(await became(menu, change), CannotTell)
