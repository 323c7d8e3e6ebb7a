"""The backend of applications on Linux: built, asked and read."""

import os
import subprocess
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, ChangeRef, NotDone
from sayso.providers.apps import APPS
from sayso.providers.apps.geometry import Bounds, WindowLayout, WindowPlacement
from sayso.providers.apps.linux.applications import OPENED_VARIABLE, AppLauncher, instances_of_token, process_instance
from sayso.providers.apps.linux.backend import LinuxAppsBackend, describe_difference, linux_backend, settle_step
from sayso.providers.apps.linux.reads import AppsSnapshot, LinuxApps, combine_snapshot, window_instance
from sayso.providers.apps.linux.screen import SILENT, ScreenSnapshot, ScreenWindow
from sayso.providers.apps.model import (
    ActivateApp,
    AppInstalled,
    AppRunning,
    BoundsBeneath,
    OpenApp,
    OpenAppPlaced,
    PlaceNewWindow,
    PlaceWindow,
    QuitApp,
    Steps,
    WindowAt,
)
from sayso.providers.desktop_entries import InstalledEntries
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import KillAt, Killed
from sayso.testing.harness import Trial
from tests.desktop_env.session import wait_for
from tests.providers.apps.fakes import MONITORS, FakeScreen, backend_context

PLACE = PlaceWindow("XTerm", "1", 100, 50, 800, 550)


def at(left: int, top: int, right: int, bottom: int, state: str = "normal") -> WindowAt:
    return WindowAt("1", "XTerm", left, top, right, bottom, state)


@pytest.mark.parametrize(
    ("step", "left", "said"),
    [
        (PLACE, at(100, 50, 800, 550), ""),
        (PLACE, at(100, 50, 796, 547), "the window of XTerm is now at 100, 50, 696 wide and 497 high"),
        (PLACE, at(100, 50, 800, 550, "tiled"), "the window of XTerm is now at 100, 50, 700 wide and 500 high, tiled"),
        (PlaceNewWindow("XTerm", 0, 0, 9, 9), at(0, 0, 8, 8), "the window of XTerm is now at 0, 0, 8 wide and 8 high"),
        (PlaceNewWindow("XTerm", 0, 0, 9, 9, fit=True), at(0, 0, 8, 8), ""),
        (OpenAppPlaced("XTerm", "x", 0, 0, 9, 9), at(0, 0, 9, 9), ""),
        (ActivateApp("XTerm"), at(0, 0, 9, 9), ""),
    ],
)
def test_only_a_difference_is_told(step: Steps, left: WindowAt, said: str):
    assert describe_difference(step, (AppRunning("XTerm", ("1",)), left)) == said


def test_without_a_window_there_is_nothing_to_tell():
    assert describe_difference(PLACE, ()) == ""


PAD = ScreenWindow("1", ("Pad",), os.getpid(), Bounds(0, 0, 10, 10))
ME = process_instance(os.getpid()) or ""
GONE = f"{os.getpid()}-1"
WAS, WANTED = WindowAt("1", "Pad", 0, 0, 10, 10), WindowAt("1", "Pad", 5, 5, 20, 20)

SETTLING_PLACE = PlaceWindow("Pad", "1", 5, 5, 20, 20)


def sight(*windows: ScreenWindow) -> AppsSnapshot:
    return combine_snapshot(ScreenSnapshot(windows, ()), InstalledEntries((), {}))


def test_an_application_was_quit_when_none_of_what_was_meant_lives():
    assert settle_step(QuitApp("Pad"), (AppRunning("Pad", (GONE,)),), sight()) == Applied((AppRunning("Pad", ()),))
    assert isinstance(settle_step(QuitApp("Pad"), (AppRunning("Pad", (ME,)),), sight(PAD)), NotDone)
    assert isinstance(settle_step(QuitApp("Pad"), (AppRunning("Pad", (ME, GONE)),), sight(PAD)), CannotTell)
    assert isinstance(settle_step(QuitApp("Pad"), (), sight(PAD)), CannotTell)


def test_another_one_that_was_started_since_does_not_count():
    assert isinstance(settle_step(QuitApp("Pad"), (AppRunning("Pad", (GONE,)),), sight(PAD)), Applied)


def test_a_window_is_where_it_was_or_where_it_was_to_go_or_nobody_can_tell():
    there = replace(PAD, bounds=Bounds(5, 5, 20, 20))
    elsewhere = replace(PAD, bounds=Bounds(7, 7, 20, 20))

    assert isinstance(settle_step(SETTLING_PLACE, (WAS,), sight(PAD)), NotDone)
    assert settle_step(SETTLING_PLACE, (WAS,), sight(there)) == Applied((WANTED,))
    assert isinstance(settle_step(SETTLING_PLACE, (WAS,), sight(elsewhere)), CannotTell)
    assert isinstance(settle_step(SETTLING_PLACE, (WAS,), sight()), CannotTell)


def test_a_window_in_the_right_place_and_another_state_is_not_there():
    maximised = replace(PAD, bounds=Bounds(5, 5, 20, 20), state="maximised")

    assert isinstance(settle_step(SETTLING_PLACE, (WAS,), sight(maximised)), CannotTell)


@pytest.mark.parametrize("token", ["", "never-started"])
@pytest.mark.parametrize("step", [OpenApp("Pad", "pad"), OpenAppPlaced("Pad", "pad", 0, 0, 1, 1)])
def test_what_runs_may_have_been_opened_by_somebody_else(step: OpenApp | OpenAppPlaced, token: str):
    step = replace(step, token=token)

    assert isinstance(settle_step(step, (), sight(PAD)), CannotTell)
    assert isinstance(settle_step(step, (), sight()), NotDone)


@pytest.fixture
def started() -> Iterator[ScreenWindow]:
    """Return the window of a process that was started under a token."""
    process = subprocess.Popen(["sleep", "100"], env={**os.environ, OPENED_VARIABLE: "ours"})
    wait_for(lambda: instances_of_token("ours"), "a process with a token")
    yield replace(PAD, pid=process.pid)
    process.kill()
    process.wait()


@pytest.mark.req("CR-01")
def test_what_carries_the_token_was_opened_by_us_and_by_nobody_else(started: ScreenWindow):
    pid = process_instance(started.pid or 0) or ""

    assert settle_step(OpenApp("Pad", "pad", "ours"), (), sight(started)) == Applied((AppRunning("Pad", (pid,)),))
    assert isinstance(settle_step(OpenApp("Pad", "pad", "other"), (), sight(started)), CannotTell)
    assert isinstance(settle_step(OpenApp("Pad", "pad", "ours"), (), sight(PAD)), CannotTell)


def test_what_carries_the_token_and_shows_no_window_was_started_and_no_more_is_known(started: ScreenWindow):
    found = settle_step(OpenApp("Pad", "pad", "ours"), (), sight())

    assert isinstance(found, CannotTell)
    assert "was started, and shows no window" in found.why


@pytest.mark.parametrize(
    ("to", "fit", "done"),
    [((0, 0, 10, 10), False, True), ((0, 0, 9, 9), False, False), ((0, 0, 90, 90), True, True)],
)
def test_what_was_opened_and_placed_is_done_when_it_is_there(
    started: ScreenWindow, to: tuple[int, int, int, int], *, fit: bool, done: bool
):
    found = settle_step(OpenAppPlaced("Pad", "pad", *to, fit, "ours"), (), sight(started))

    assert isinstance(found, Applied) is done
    assert isinstance(found, CannotTell) is not done
    assert not isinstance(found, Applied) or found.facts[1:] == (WAS,)


@pytest.mark.parametrize("step", [ActivateApp("Pad"), PlaceNewWindow("Pad", 0, 0, 1, 1)])
def test_what_leaves_no_trace_cannot_be_told(step: Steps):
    assert isinstance(settle_step(step, (), sight(PAD)), CannotTell)


async def test_menus_and_layouts_come_from_the_ground(tmp_path: Path):
    entry = tmp_path / "applications" / "pad.desktop"
    entry.parent.mkdir()
    entry.write_text("[Desktop Entry]\nType=Application\nName=Pad\nExec=true\n")
    environ = {"XDG_DATA_HOME": str(tmp_path), "XDG_DATA_DIRS": str(tmp_path)}
    layouts = [{"name": "Desk", "placements": [{"app_name": "Pad", "monitor": "main"}]}]

    made = linux_backend(backend_context(tmp_path, environ, preset=layouts), FakeScreen(*list[ScreenWindow]()))

    assert made.name == "fake"
    assert [program.name for program in await made.reads.installed()] == ["Pad"]
    assert [preset.name for preset in await made.reads.layouts()] == ["Desk"]


SPOT = Bounds(0, 0, 1, 1)


def test_two_windows_of_one_process_are_one_instance():
    look = ScreenSnapshot(
        (ScreenWindow("1", ("Pad",), os.getpid(), SPOT), ScreenWindow("2", ("Pad",), os.getpid(), SPOT)), ()
    )

    sight = combine_snapshot(look, InstalledEntries((), {}))

    assert sight.state.instances("Pad") == (process_instance(os.getpid()),)
    assert [window.id for window in sight.state.windows] == ["1", "2"]


def test_windows_of_two_processes_are_two_instances_of_one_application():
    look = ScreenSnapshot(
        (ScreenWindow("1", ("Pad",), os.getpid(), SPOT), ScreenWindow("2", ("Pad",), os.getppid(), SPOT)), ()
    )

    sight = combine_snapshot(look, InstalledEntries((), {}))

    assert len(sight.state.instances("Pad")) == 2


def test_a_question_before_a_window_is_no_window_to_place():
    main, question = ScreenWindow("1", ("Pad",), None, SPOT), ScreenWindow("2", ("Pad",), None, SPOT, belongs=True)

    both, alone = (
        combine_snapshot(ScreenSnapshot(shown, ()), InstalledEntries((), {}))
        for shown in ((question, main), (question,))
    )

    assert [window.id for window in both.state.windows] == ["1"]
    assert [window.id for window in both.windows_of("Pad")] == ["2", "1"]
    assert [window.id for window in alone.state.windows] == ["2"]


def test_minimised_windows_come_last():
    look = ScreenSnapshot(
        (ScreenWindow("1", ("Pad",), None, SPOT, "minimised"), ScreenWindow("2", ("Pad",), None, SPOT)), ()
    )

    assert [window.id for window in combine_snapshot(look, InstalledEntries((), {})).state.windows] == ["2", "1"]


def test_a_window_whose_process_nobody_knows_stands_for_itself():
    assert window_instance(ScreenWindow("7", (), None, SPOT)) == "window-7"
    assert window_instance(ScreenWindow("7", (), 2**22 + 1, SPOT)) == "window-7"


def test_a_window_is_found_by_its_id():
    window = ScreenWindow("7", ("Pad",), None, Bounds(0, 0, 1, 1))

    assert ScreenSnapshot((window,), ()).window("7") is window
    assert ScreenSnapshot((window,), ()).window("8") is None


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


WINDOW = ScreenWindow("1", ("note",), None, Bounds(0, 0, 10, 10), desktop="2")
LAYOUTS = (WindowLayout("desk", (WindowPlacement("Note", monitor="main"),)),)


@pytest.fixture
def reads(tmp_path: Path) -> LinuxApps:
    entry = tmp_path / "applications" / "note.desktop"
    entry.parent.mkdir()
    entry.write_text("[Desktop Entry]\nType=Application\nName=Note\nExec=true\n")
    environ = {"XDG_DATA_HOME": str(tmp_path), "XDG_DATA_DIRS": str(tmp_path), "PATH": os.defpath}
    return LinuxAppsBackend(FakeScreen(WINDOW), AppLauncher(environ, str(tmp_path), (), RandomIds()), LAYOUTS).reads


async def test_a_running_application_has_the_name_and_the_id_of_its_entry(reads: LinuxApps):
    (app,) = await reads.running()

    assert (app.name, app.id) == ("Note", "note.desktop")
    assert [(window.bounds, window.desktop) for window in app.windows] == [(WINDOW.bounds, "2")]


async def test_an_installed_application_is_pinned_to_its_file_and_what_that_holds(reads: LinuxApps, tmp_path: Path):
    (before,) = await reads.installed()
    file = tmp_path / "applications" / "note.desktop"
    file.write_text(file.read_text().replace("true", "false"))
    (after,) = await reads.installed()

    assert isinstance(before.fact, AppInstalled)
    assert before.fact.id.startswith(f"{file} ")
    assert before.fact != after.fact


async def test_what_an_earlier_step_quits_is_gone_and_the_real_one_is_not(reads: LinuxApps):
    after = reads.after(QuitApp("Note"), ChangeRef(0, 0))

    assert (await after.running(), len(await reads.running())) == ((), 1)


async def test_monitors_and_layouts_are_told(reads: LinuxApps):
    assert await reads.monitors() == MONITORS
    assert await reads.layouts() == LAYOUTS
    assert (reads.exact, reads.exactly().exact) == (False, True)
