"""A deed waits until it has come about, and says so when it does not."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SaysoError, Uncertain
from sayso.providers.apps import APPS
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.actions import Deadlines
from sayso.providers.apps.linux.applications import AppLauncher, process_instance
from sayso.providers.apps.linux.backend import LinuxAppsBackend
from sayso.providers.apps.linux.screen import ScreenWindow
from sayso.providers.apps.model import QuitApp
from sayso.runtime.system import RandomIds
from sayso.testing.harness import Trial
from tests.providers.apps.fake_screen import FakeScreen

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
