"""The three verbs over any screen: nothing is done that was not expected, and nothing is claimed that is not so."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied
from sayso.providers.apps import APPS
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.applications import AppLauncher, process_instance
from sayso.providers.apps.linux.backend import LinuxAppsBackend
from sayso.providers.apps.linux.screen import SILENT, ScreenWindow
from sayso.providers.apps.model import (
    ActivateApp,
    AppInstalled,
    AppRunning,
    BoundsBeneath,
    OpenApp,
    PlaceWindow,
    QuitApp,
    Steps,
    WindowAt,
)
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import KillAt, Killed
from sayso.testing.harness import Trial
from tests.providers.apps.fake_screen import FakeScreen

ME = process_instance(os.getpid()) or ""
PAD = ScreenWindow("1", ("Pad",), os.getpid(), Bounds(0, 0, 10, 10))
AT = WindowAt("1", "Pad", 0, 0, 10, 10)


def desktop(screen: FakeScreen, home: Path, kill: str = "") -> LinuxAppsBackend:
    environ = {"XDG_DATA_HOME": str(home), "XDG_DATA_DIRS": str(home), "PATH": os.defpath}
    menu = AppLauncher(environ, str(home), (), RandomIds())
    return LinuxAppsBackend(screen, menu, kill=KillAt(kill)) if kill else LinuxAppsBackend(screen, menu)


@pytest.mark.parametrize(
    ("step", "expects", "why"),
    [
        (QuitApp("Pad"), AppRunning("Pad", ("1-1",)), "Pad was started or ended"),
        (ActivateApp("Pad"), AppRunning("Pad", ()), "Pad was started or ended"),
        (OpenApp("Pad", "pad"), AppInstalled("Pad", "/apps/pad x"), "Pad is no longer the application"),
        (PlaceWindow("Pad", "1", 1, 1, 2, 2), WindowAt("1", "Pad", 0, 0, 10, 11), "moved or closed"),
        (PlaceWindow("Pad", "1", 1, 1, 2, 2), WindowAt("1", "Pad", 0, 0, 10, 10, "maximised"), "moved or closed"),
        (PlaceWindow("Pad", "1", 1, 1, 2, 2), WindowAt("1", "Pad", 0, 0, 10, 10, "normal", "2"), "moved or closed"),
        (PlaceWindow("Pad", "1", 1, 1, 2, 2), WindowAt("1", "Other", 0, 0, 10, 10), "moved or closed"),
    ],
)
async def test_what_is_not_as_expected_is_left_alone(
    tmp_path: Path, step: Steps, expects: AppRunning | AppInstalled | WindowAt, why: str
):
    screen = FakeScreen(PAD)

    with pytest.raises(ProviderError, match=f"{why}.*nothing was changed"):
        await desktop(screen, tmp_path).apply(step, (expects,))

    assert screen.deeds == []


async def test_a_screen_that_falls_silent_in_the_middle_leaves_it_uncertain(tmp_path: Path):
    screen = FakeScreen(PAD)
    screen.silent_at = "place"

    with pytest.raises(Uncertain) as odd:
        await desktop(screen, tmp_path).apply(PlaceWindow("Pad", "1", 1, 1, 2, 2), (AT,))

    assert odd.value.code == SILENT


async def test_what_was_beneath_a_maximised_window_is_given_back_with_its_state(tmp_path: Path):
    maximised = ScreenWindow("1", ("Pad",), os.getpid(), Bounds(0, 0, 1000, 800), "maximised", "3")
    screen = FakeScreen(maximised)
    screen.beneath = Bounds(7, 7, 70, 70)
    trial = Trial(APPS, desktop(screen, tmp_path))

    plan = await trial.plan("app.place", name="Pad", bounds=[1, 1, 20, 20])
    lefts = await trial.do(plan)
    screen.beneath = None
    await trial.take_back(plan, lefts)

    assert lefts[0].facts[1] == BoundsBeneath("1", 7, 7, 70, 70)
    assert screen.deeds[1] == ("place", "1", Bounds(0, 0, 1000, 800), "maximised", "3", Bounds(7, 7, 70, 70))
    assert screen.windows == [maximised]


@pytest.mark.parametrize("at", ["before", "after"])
async def test_a_process_may_die_before_and_after_each_deed(tmp_path: Path, at: str):
    screen = FakeScreen(PAD)

    with pytest.raises(Killed):
        await desktop(screen, tmp_path, f"window.place.{at}").apply(PlaceWindow("Pad", "1", 1, 1, 2, 2), (AT,))

    assert len(screen.deeds) == (at == "after")


async def test_doctor_is_told_what_serves_windows_and_how_many_applications_there_are(tmp_path: Path):
    windows, none = await desktop(FakeScreen(PAD), tmp_path).capabilities()
    entry = tmp_path / "applications" / "pad.desktop"
    entry.parent.mkdir()
    entry.write_text("[Desktop Entry]\nType=Application\nName=Pad\nExec=true\n")
    _, applications = await desktop(FakeScreen(PAD), tmp_path).capabilities()

    assert (windows.served, windows.why) == ("fake", "a test made it; monitors: A")
    assert (none.served, bool(none.fix)) == ("", True)
    assert applications.served == "1 in your menus"


async def test_doctor_is_told_why_no_window_can_be_seen(tmp_path: Path):
    screen = FakeScreen(PAD)
    screen.silent_at = "look"

    windows, _ = await desktop(screen, tmp_path).capabilities()

    assert (windows.served, windows.why, windows.fix) == ("", "the screen did not answer", "make another")


async def test_the_person_is_told_where_a_window_really_is(tmp_path: Path):
    step = PlaceWindow("Pad", "1", 1, 1, 20, 20)

    said = desktop(FakeScreen(PAD), tmp_path).tells(step, Applied((AT,)))

    assert said == "the window of Pad is now at 0, 0, 10 wide and 10 high"


class Unplugged(FakeScreen):
    """A screen that nobody can open any more."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[FakeScreen]:
        raise SetupError("no X server answers")
        yield self


class Closing(FakeScreen):
    """A screen whose window manager ends when something is to come to the front."""

    async def front(self, window: str) -> None:
        raise SetupError("there is no window manager")


@pytest.mark.req("X-05", "T-23")
async def test_a_screen_that_is_gone_by_now_has_changed_nothing_and_one_that_goes_meanwhile_leaves_it_uncertain(
    tmp_path: Path,
):
    with pytest.raises(ProviderError, match="no X server answers; nothing was changed") as gone:
        await desktop(Unplugged(PAD), tmp_path).apply(ActivateApp("Pad"), ())
    with pytest.raises(Uncertain, match="there is no window manager"):
        await desktop(Closing(PAD), tmp_path).apply(ActivateApp("Pad"), ())

    assert type(gone.value) is ProviderError
