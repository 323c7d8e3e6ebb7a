"""Windows of an X session are placed, brought to the front and closed, and where they are then is what is said."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.apps import APPS
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.applications import programs
from sayso.providers.apps.model import Quit
from sayso.providers.apps.x11 import screen as screens
from sayso.providers.apps.x11.build import build
from sayso.providers.apps.x11.screen import XScreens
from sayso.testing.harness import Trial
from tests.desktop_env import windows
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import Session, wait_for
from tests.providers.apps.grounds import ground

pytestmark = pytest.mark.needs("mousepad", "xclock", "xterm", "wmctrl", "xdotool", "xwininfo", "Xvfb")
RIGHT_HALF = [2880, 0, 3840, 1080]


SMALL = "640x480x24"


def children() -> list[int]:
    return [int(pid) for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()]


def arguments(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/cmdline").read_text().split("\0")


@pytest.fixture
def desk(x_desktop: Session) -> Iterator[Session]:
    yield x_desktop
    windows.clear(x_desktop)


def trial(desk: Session) -> Trial:
    return Trial(APPS, build(ground(desk.home)))


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


@pytest.mark.parametrize("state", ["maximized_vert,maximized_horz", "fullscreen"])
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

    assert set(windows.listed(desk)) == {stays}
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
        await tried.backend.apply(Quit("Mousepad", seconds=1), plan.changes[0].expects)

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
        number = bare.told("Xvfb", "-displayfd", "%fd", "-screen", "0", SMALL, "-nolisten", "tcp", "-noreset")
        server = next(child for child in children() if "Xvfb" in programs(child) and SMALL in arguments(child))
        async with XScreens(f":{number}").open() as screen:
            os.kill(server, signal.SIGSTOP)
            with pytest.raises(ProviderError, match=r"the X server did not answer within 0\.3 seconds"):
                await screen.look()
        with pytest.raises(SetupError, match="did not answer"):
            async with XScreens(f":{number}").open():
                pass
        os.kill(server, signal.SIGCONT)
        async with XScreens(f":{number}").open() as screen:
            os.kill(server, signal.SIGKILL)
            with pytest.raises(ProviderError, match="the X server has ended the connection"):
                await screen.place("1", Bounds(0, 0, 1, 1), "normal", "", None)
