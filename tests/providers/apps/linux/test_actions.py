"""Waiting ends with what was waited for, or in time."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SaysoError, Uncertain
from sayso.providers.apps import APPS
from sayso.providers.apps.backend import poll
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.actions import Deadlines, WindowPlacer, WindowWatch
from sayso.providers.apps.linux.screen import ScreenWindow
from sayso.providers.apps.model import QuitApp
from sayso.testing.harness import Trial
from tests.providers.apps.fakes import FakeScreen, linux_apps


async def test_polling_ends_as_soon_as_there_is_something_or_in_time():
    answers: Iterator[str] = iter(["", "", "here", "later"])

    async def look() -> str:
        return next(answers)

    async def nothing() -> None:
        return None

    assert await poll(look, 5) == "here"
    assert next(answers) == "later"
    assert await poll(nothing, 0.03) is None


def at(left: int) -> ScreenWindow:
    return ScreenWindow("1", ("Pad",), None, Bounds(left, 0, left + 10, 10))


def watching(looks: Sequence[ScreenWindow | None], quiet: float = 0.05) -> WindowWatch:
    left = list(looks)

    async def look(_: str) -> ScreenWindow | None:
        return left.pop(0) if len(left) > 1 else left[0]

    return WindowWatch(look, quiet)


async def test_a_window_is_watched_until_it_is_as_wanted_or_rests():
    assert await watching([at(0), at(1), at(2)], quiet=60).rest("1", lambda now: now.bounds.left == 2)
    assert not await watching([at(0), at(1)]).rest("1", lambda now: now.bounds.left == 2)
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

    def __init__(self, state: str = "normal", off: int = 0, *, hangs: bool = False) -> None:
        self.window = ScreenWindow("1", ("Pad",), None, WAS if state == "normal" else WHOLE, state)
        self.off = off
        self.hangs = hangs
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


LEAVE, MOVE = ("leave_states", "normal"), ("move", TO)


@pytest.mark.parametrize(
    ("screen", "to", "asked", "beneath", "ends"),
    [
        (Obeying(), (TO, "normal", "", None), [LEAVE, MOVE], None, TO),
        (Obeying("maximised"), (TO, "normal", "", None), [("leave_states", "maximised"), MOVE], WAS, TO),
        (
            Obeying(),
            (WHOLE, "maximised", "2", TO),
            [("to_desktop", "2"), LEAVE, MOVE, ("enter_state", "maximised")],
            None,
            WHOLE,
        ),
        (Obeying(off=5), (TO, "normal", "", None), [LEAVE, MOVE, ("move", Bounds(295, 195, 495, 395))], None, TO),
        (Obeying(hangs=True), (TO, "normal", "", None), [LEAVE, MOVE], None, WAS),
    ],
    ids=["plain", "maximised", "back to a state over what was beneath", "counts from elsewhere", "does not answer"],
)
async def test_a_window_is_placed_step_by_step(
    screen: Obeying,
    to: tuple[Bounds, str, str, Bounds | None],
    asked: list[tuple[object, ...]],
    beneath: Bounds | None,
    ends: Bounds,
):
    found = await WindowPlacer(screen, WindowWatch(screen.look, 0.02)).place("1", *to)

    assert (found, screen.window.bounds, screen.window.state) == (beneath, ends, to[1])
    assert screen.asked == asked


def window(id_: str, app: str = "Pad", pid: int | None = None, *, closable: bool = True) -> ScreenWindow:
    return ScreenWindow(id_, (app,), pid, Bounds(0, 0, 10, 10), closable=closable)


@pytest.fixture
def stays() -> Iterator[int]:
    with subprocess.Popen(["sleep", "100"]) as process:
        yield process.pid
        process.kill()


def trial(screen: FakeScreen, home: Path, *names: str) -> Trial:
    return Trial(APPS, linux_apps(screen, home, *names, deadlines=Deadlines(0.05, 0.05)))


async def test_what_does_not_come_to_the_front_or_move_is_a_failure(tmp_path: Path):
    screen = FakeScreen(window("1", "Mail"), window("2"))
    screen.shy = screen.stuck = {"2"}
    tried = trial(screen, tmp_path)

    with pytest.raises(ProviderError, match="Pad did not come to the front"):
        await tried.do(await tried.plan("app.activate", name="Pad"))
    with pytest.raises(ProviderError, match="the window of Pad stays where it is"):
        await tried.do(await tried.plan("app.place", name="Pad", bounds=[1, 1, 30, 30]))


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


@pytest.mark.req("T-36", "AP-06")
@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (window("1", closable=False), "cannot be asked to close; quit it by hand"),
        (window("1", pid=os.getppid()), "sayso itself was started in Pad, and would end with it"),
    ],
)
async def test_what_only_could_be_killed_or_holds_sayso_itself_is_not_quit(
    tmp_path: Path, shown: ScreenWindow, said: str
):
    screen = FakeScreen(shown)
    tried = trial(screen, tmp_path)

    with pytest.raises(ProviderError, match=said):
        await tried.do(await tried.plan("app.quit", name="Pad"))

    assert screen.deeds == []


@pytest.mark.req("T-36")
async def test_one_whose_windows_closed_while_it_runs_on_has_not_ended(tmp_path: Path, stays: int):
    screen = FakeScreen(window("1", pid=stays))
    tried = trial(screen, tmp_path)
    plan = await tried.plan("app.quit", name="Pad")

    with pytest.raises(ProviderError, match="has closed its windows, and still runs in the background"):
        await tried.backend.apply(QuitApp("Pad", seconds=0), plan.changes[0].expects)


async def test_a_program_that_shows_no_window_leaves_it_uncertain(tmp_path: Path):
    tried = trial(FakeScreen(), tmp_path, "Quiet")

    with pytest.raises(Uncertain, match="Quiet was started, but showed no window"):
        await tried.do(await tried.plan("app.open", name="Quiet"))


async def test_what_ran_when_it_was_planned_and_ended_since_is_not_launched(tmp_path: Path):
    screen = FakeScreen(window("1"))
    tried = trial(screen, tmp_path)
    plan = await tried.plan("app.open", name="Pad")
    screen.windows = []

    with pytest.raises(SaysoError, match="Pad was started or ended since"):
        await tried.do(plan)
