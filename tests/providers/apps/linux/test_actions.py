"""Waiting ends with what was waited for, or in time."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SaysoError, Uncertain
from sayso.providers.apps import APPS
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.actions import Deadlines, WindowPlacer, WindowWatch, poll
from sayso.providers.apps.linux.applications import AppLauncher, process_instance
from sayso.providers.apps.linux.backend import LinuxAppsBackend
from sayso.providers.apps.linux.screen import ScreenWindow
from sayso.providers.apps.model import QuitApp
from sayso.runtime.system import RandomIds
from sayso.testing.harness import Trial
from tests.providers.apps.fakes import FakeScreen


async def test_it_ends_as_soon_as_there_is_something():
    answers: Iterator[str] = iter(["", "", "here", "later"])

    async def look() -> str:
        return next(answers)

    assert await poll(look, 5) == "here"
    assert next(answers) == "later"


async def test_it_ends_in_time_when_nothing_comes():
    async def look() -> None:
        return None

    assert await poll(look, 0.03) is None


def at(left: int) -> ScreenWindow:
    return ScreenWindow("1", ("Pad",), None, Bounds(left, 0, left + 10, 10))


def watching(looks: Sequence[ScreenWindow | None], quiet: float = 0.05) -> WindowWatch:
    left = list(looks)

    async def look(_: str) -> ScreenWindow | None:
        return left.pop(0) if len(left) > 1 else left[0]

    return WindowWatch(look, quiet)


async def test_it_is_told_as_soon_as_it_is_as_wanted():
    assert await watching([at(0), at(1), at(2)], quiet=60).rest("1", lambda now: now.bounds.left == 2)


async def test_a_window_that_stays_elsewhere_is_not_waited_for():
    assert not await watching([at(0), at(1)]).rest("1", lambda now: now.bounds.left == 2)


async def test_a_moment_may_be_named_for_one_watch():
    assert not await watching([at(0)], quiet=60).rest("1", lambda _: False, quiet=0.01)


@pytest.mark.req("X-13")
async def test_a_window_that_never_rests_is_not_watched_for_ever():
    restless = iter(range(10**6))

    async def look(_: str) -> ScreenWindow | None:
        return at(next(restless))

    assert not await WindowWatch(look, 60, limit=0.05).rest("1", lambda _: False)


async def test_a_window_that_is_closed_meanwhile_is_named():
    with pytest.raises(ProviderError, match="the window was closed meanwhile"):
        await watching([at(0), None]).rest("1", lambda _: False)


WAS, TO, WHOLE = Bounds(10, 10, 110, 90), Bounds(300, 200, 500, 400), Bounds(0, 0, 1000, 800)


class Obeying:
    """A screen with one window; `off` is how far beyond what is asked it goes, once."""

    def __init__(self, state: str = "normal", off: int = 0) -> None:
        self.window = ScreenWindow("1", ("Pad",), None, WAS if state == "normal" else WHOLE, state)
        self.off = off
        self.hangs = False
        self.asked: list[tuple[object, ...]] = []

    async def look(self, _: str) -> ScreenWindow | None:
        return self.window

    async def to_desktop(self, window: str, desktop: str) -> None:
        self._take("to_desktop", desktop, self.window.bounds, self.window.state)

    async def leave_states(self, window: str, state: str) -> None:
        self._take("leave_states", state, WAS if state != "normal" else self.window.bounds, "normal")

    async def move(self, window: str, to: Bounds) -> None:
        there = Bounds(to.left + self.off, to.top + self.off, to.right + self.off, to.bottom + self.off)
        self._take("move", to, there, self.window.state)

    async def enter_state(self, window: str, state: str) -> None:
        self._take("enter_state", state, WHOLE, state)

    def _take(self, what: str, asked: object, bounds: Bounds, state: str) -> None:
        self.asked.append((what, asked))
        if not self.hangs:
            self.window = replace(self.window, bounds=bounds, state=state)


def placing(screen: Obeying) -> WindowPlacer:
    return WindowPlacer(screen, WindowWatch(screen.look, 0.02))


async def test_a_plain_window_is_only_moved():
    screen = Obeying()

    beneath = await placing(screen).place("1", TO, "normal", "", None)

    assert (beneath, screen.window.bounds) == (None, TO)
    assert screen.asked == [("leave_states", "normal"), ("move", TO)]


async def test_what_comes_to_light_beneath_a_state_is_told():
    screen = Obeying("maximised")

    beneath = await placing(screen).place("1", TO, "normal", "", None)

    assert (beneath, screen.window.bounds) == (WAS, TO)


async def test_a_state_comes_back_over_what_was_beneath_and_on_its_desktop():
    screen = Obeying()

    await placing(screen).place("1", WHOLE, "maximised", "2", TO)

    assert screen.asked == [("to_desktop", "2"), ("leave_states", "normal"), ("move", TO), ("enter_state", "maximised")]
    assert (screen.window.state, screen.window.bounds) == ("maximised", WHOLE)


async def test_a_screen_that_counts_from_elsewhere_is_told_where_that_went():
    screen = Obeying(off=5)

    await placing(screen).place("1", TO, "normal", "", None)

    assert [deed for deed, _ in screen.asked] == ["leave_states", "move", "move"]
    assert screen.window.bounds == TO


async def test_a_window_that_does_not_answer_is_asked_once():
    screen = Obeying()
    screen.hangs = True

    await placing(screen).place("1", TO, "normal", "", None)

    assert screen.asked == [("leave_states", "normal"), ("move", TO)]


ME = process_instance(os.getpid()) or ""


def window(
    id_: str, app: str = "Pad", pid: int | None = None, *, closable: bool = True, belongs: bool = False
) -> ScreenWindow:
    return ScreenWindow(id_, (app,), pid, Bounds(0, 0, 10, 10), closable=closable, belongs=belongs)


@pytest.fixture
def stays() -> Iterator[int]:
    with subprocess.Popen(["sleep", "100"]) as process:
        yield process.pid
        process.kill()


def trial(screen: FakeScreen, home: Path) -> Trial:
    environ = {"XDG_DATA_HOME": str(home), "XDG_DATA_DIRS": str(home), "PATH": os.defpath}
    return Trial(
        APPS,
        LinuxAppsBackend(screen, AppLauncher(environ, str(home), (), RandomIds()), deadlines=Deadlines(0.05, 0.05)),
    )


async def test_what_the_desktop_holds_back_is_not_said_to_be_in_front(tmp_path: Path):
    screen = FakeScreen(window("1", "Mail"), window("2"))
    screen.shy = {"2"}
    tried = trial(screen, tmp_path)

    with pytest.raises(ProviderError, match="Pad did not come to the front"):
        await tried.do(await tried.plan("app.activate", name="Pad"))


async def test_all_windows_of_an_application_are_asked_to_close_and_no_other(tmp_path: Path):
    screen = FakeScreen(window("1"), window("2", "Mail"), window("3"))
    tried = trial(screen, tmp_path)

    await tried.do(await tried.plan("app.quit", name="Pad"))

    assert [one.id for one in screen.windows] == ["2"]


@pytest.mark.req("T-36")
async def test_an_application_that_asks_a_question_is_still_running(tmp_path: Path):
    screen = FakeScreen(window("1"), window("2"))
    screen.deaf = {"2"}
    tried = trial(screen, tmp_path)
    plan = await tried.plan("app.quit", name="Pad")

    with pytest.raises(ProviderError, match=r"Pad is still running 0 s after.*1 of its 2 windows closed"):
        await tried.backend.apply(QuitApp("Pad", seconds=0), plan.changes[0].expects)

    assert [one.id for one in screen.windows] == ["2"]


@pytest.mark.req("T-36")
async def test_one_that_only_could_be_killed_is_not(tmp_path: Path):
    screen = FakeScreen(window("1", closable=False))
    tried = trial(screen, tmp_path)

    with pytest.raises(ProviderError, match="cannot be asked to close; quit it by hand"):
        await tried.do(await tried.plan("app.quit", name="Pad"))

    assert screen.deeds == []


@pytest.mark.req("T-36")
async def test_one_whose_windows_closed_while_it_runs_on_has_not_ended(tmp_path: Path, stays: int):
    screen = FakeScreen(window("1", pid=stays))
    tried = trial(screen, tmp_path)
    plan = await tried.plan("app.quit", name="Pad")

    with pytest.raises(ProviderError, match="has closed its windows, and still runs in the background"):
        await tried.backend.apply(QuitApp("Pad", seconds=0), plan.changes[0].expects)


@pytest.mark.req("AP-06")
async def test_what_sayso_itself_was_started_in_is_not_quit(tmp_path: Path):
    screen = FakeScreen(window("1", pid=os.getppid()))
    tried = trial(screen, tmp_path)

    with pytest.raises(ProviderError, match="sayso itself was started in Pad, and would end with it"):
        await tried.do(await tried.plan("app.quit", name="Pad"))

    assert screen.deeds == []


async def test_a_window_that_does_not_let_itself_be_moved_is_a_failure(tmp_path: Path):
    screen = FakeScreen(window("1"))
    screen.stuck = {"1"}
    tried = trial(screen, tmp_path)

    with pytest.raises(ProviderError, match="the window of Pad stays where it is"):
        await tried.do(await tried.plan("app.place", name="Pad", bounds=[1, 1, 30, 30]))


async def test_a_program_that_shows_no_window_leaves_it_uncertain(tmp_path: Path):
    screen = FakeScreen()
    entry = tmp_path / "applications" / "quiet.desktop"
    entry.parent.mkdir()
    entry.write_text("[Desktop Entry]\nType=Application\nName=Quiet\nExec=true\n")
    tried = trial(screen, tmp_path)

    with pytest.raises(Uncertain, match="Quiet was started, but showed no window"):
        await tried.do(await tried.plan("app.open", name="Quiet"))


async def test_what_ran_when_it_was_planned_and_ended_since_is_not_launched(tmp_path: Path):
    screen = FakeScreen(window("1"))
    tried = trial(screen, tmp_path)
    plan = await tried.plan("app.open", name="Pad")
    screen.windows = []

    with pytest.raises(SaysoError, match="Pad was started or ended since"):
        await tried.do(plan)
