"""The backend of applications on Linux: built, asked and read."""

import os
import subprocess
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, NotDone
from sayso.providers.apps import APPS
from sayso.providers.apps.backend import describe_difference
from sayso.providers.apps.geometry import Bounds, WindowLayout, WindowPlacement
from sayso.providers.apps.linux.applications import OPENED_VARIABLE, instances_of_token, process_instance
from sayso.providers.apps.linux.backend import linux_backend, settle_step
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
from sayso.testing.fakes import KillAt, Killed
from sayso.testing.harness import Trial
from tests.desktop_env.session import wait_for
from tests.providers.apps.fakes import MONITORS, FakeScreen, backend_context, linux_apps, menu_environment

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
    assert describe_difference(step, ()) == ""


PAD = ScreenWindow("1", ("Pad",), os.getpid(), Bounds(0, 0, 10, 10))
ME = process_instance(os.getpid()) or ""
GONE = f"{os.getpid()}-1"
WAS, WANTED = WindowAt("1", "Pad", 0, 0, 10, 10), WindowAt("1", "Pad", 5, 5, 20, 20)


MOVE = PlaceWindow("Pad", "1", 5, 5, 20, 20)
THERE = Bounds(5, 5, 20, 20)


def sight(*windows: ScreenWindow) -> AppsSnapshot:
    return combine_snapshot(ScreenSnapshot(windows, ()), InstalledEntries((), {}))


def running(*instances: str) -> tuple[AppRunning]:
    return (AppRunning("Pad", instances),)


@pytest.mark.parametrize(
    ("step", "expects", "windows", "found"),
    [
        (QuitApp("Pad"), running(GONE), (), Applied(running())),
        (QuitApp("Pad"), running(GONE), (PAD,), Applied(running())),
        (QuitApp("Pad"), running(ME), (PAD,), NotDone),
        (QuitApp("Pad"), running(ME, GONE), (PAD,), CannotTell),
        (QuitApp("Pad"), (), (PAD,), CannotTell),
        (MOVE, (WAS,), (PAD,), NotDone),
        (MOVE, (WAS,), (replace(PAD, bounds=THERE),), Applied((WANTED,))),
        (MOVE, (WAS,), (replace(PAD, bounds=THERE, state="maximised"),), CannotTell),
        (MOVE, (WAS,), (replace(PAD, bounds=Bounds(7, 7, 20, 20)),), CannotTell),
        (MOVE, (WAS,), (), CannotTell),
        (ActivateApp("Pad"), (), (PAD,), CannotTell),
        (PlaceNewWindow("Pad", 0, 0, 1, 1), (), (PAD,), CannotTell),
    ],
)
def test_a_step_is_settled_by_what_is_on_the_screen(
    step: Steps, expects: tuple[Fact, ...], windows: tuple[ScreenWindow, ...], found: object
):
    settled = settle_step(step, expects, sight(*windows))

    assert found in {settled, type(settled)}


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
    without_window = settle_step(OpenApp("Pad", "pad", "ours"), (), sight())

    assert settle_step(OpenApp("Pad", "pad", "ours"), (), sight(started)) == Applied((AppRunning("Pad", (pid,)),))
    assert isinstance(settle_step(OpenApp("Pad", "pad", "other"), (), sight(started)), CannotTell)
    assert isinstance(settle_step(OpenApp("Pad", "pad", "ours"), (), sight(PAD)), CannotTell)
    assert isinstance(without_window, CannotTell)
    assert "was started, and shows no window" in without_window.why


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


async def test_menus_and_layouts_come_from_the_context(tmp_path: Path):
    layouts = [{"name": "Desk", "placements": [{"app_name": "Pad", "monitor": "main"}]}]

    made = linux_backend(backend_context(tmp_path, menu_environment(tmp_path, "Pad"), preset=layouts), FakeScreen())

    assert made.name == "fake"
    assert [program.name for program in await made.reads.installed()] == ["Pad"]
    assert [preset.name for preset in await made.reads.layouts()] == ["Desk"]


def test_windows_of_one_process_are_one_instance_and_of_two_are_two():
    one, two = sight(PAD, replace(PAD, id="2")), sight(PAD, replace(PAD, id="2", pid=os.getppid()))

    assert one.state.instances("Pad") == (process_instance(os.getpid()),)
    assert [window.id for window in one.state.windows] == ["1", "2"]
    assert len(two.state.instances("Pad")) == 2


def test_a_question_before_a_window_is_no_window_to_place():
    question = replace(PAD, id="2", belongs=True)

    both, alone = sight(question, PAD), sight(question)

    assert [window.id for window in both.state.windows] == ["1"]
    assert [window.id for window in both.windows_of("Pad")] == ["2", "1"]
    assert [window.id for window in alone.state.windows] == ["2"]


def test_minimised_windows_come_last():
    found = sight(replace(PAD, state="minimised"), replace(PAD, id="2"))

    assert [window.id for window in found.state.windows] == ["2", "1"]


def test_a_window_is_found_by_its_id_and_stands_for_itself_where_nobody_knows_its_process():
    look = ScreenSnapshot((PAD,), ())

    assert (look.window("1"), look.window("8")) == (PAD, None)
    assert window_instance(replace(PAD, pid=None)) == window_instance(replace(PAD, pid=2**22 + 1)) == "window-1"


@pytest.mark.parametrize(
    ("step", "expects", "why"),
    [
        (QuitApp("Pad"), AppRunning("Pad", ("1-1",)), "Pad was started or ended"),
        (ActivateApp("Pad"), AppRunning("Pad", ()), "Pad was started or ended"),
        (OpenApp("Pad", "pad"), AppInstalled("Pad", "/apps/pad x"), "Pad is no longer the application"),
        (MOVE, replace(WAS, bottom=11), "moved or closed"),
        (MOVE, replace(WAS, state="maximised"), "moved or closed"),
        (MOVE, replace(WAS, desktop="2"), "moved or closed"),
        (MOVE, replace(WAS, app="Other"), "moved or closed"),
    ],
)
async def test_what_is_not_as_expected_is_left_alone(tmp_path: Path, step: Steps, expects: Fact, why: str):
    screen = FakeScreen(PAD)

    with pytest.raises(ProviderError, match=f"{why}.*nothing was changed"):
        await linux_apps(screen, tmp_path).apply(step, (expects,))

    assert screen.deeds == []


async def test_a_screen_that_falls_silent_in_the_middle_leaves_it_uncertain(tmp_path: Path):
    screen = FakeScreen(PAD)
    screen.silent_at = "place"

    with pytest.raises(Uncertain) as odd:
        await linux_apps(screen, tmp_path).apply(MOVE, (WAS,))

    assert odd.value.code == SILENT


async def test_what_was_beneath_a_maximised_window_is_given_back_with_its_state(tmp_path: Path):
    maximised = ScreenWindow("1", ("Pad",), os.getpid(), Bounds(0, 0, 1000, 800), "maximised", "3")
    screen = FakeScreen(maximised)
    screen.beneath = Bounds(7, 7, 70, 70)
    trial = Trial(APPS, linux_apps(screen, tmp_path))

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
        await linux_apps(screen, tmp_path, kill=KillAt(f"window.place.{at}")).apply(MOVE, (WAS,))

    assert len(screen.deeds) == (at == "after")


async def test_doctor_is_told_what_serves_windows_or_why_not_and_how_many_applications_there_are(tmp_path: Path):
    silent = FakeScreen(PAD)
    silent.silent_at = "look"

    windows, none = await linux_apps(FakeScreen(PAD), tmp_path).capabilities()
    unseen, applications = await linux_apps(silent, tmp_path, "Pad").capabilities()

    assert (windows.served, windows.why) == ("fake", "a test made it; monitors: A")
    assert (none.served, bool(none.fix)) == ("", True)
    assert (unseen.served, unseen.why, unseen.fix) == ("", "the screen did not answer", "make another")
    assert applications.served == "1 in your menus"


async def test_the_person_is_told_where_a_window_really_is(tmp_path: Path):
    said = linux_apps(FakeScreen(PAD), tmp_path).tells(MOVE, Applied((WAS,)))

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
async def test_a_screen_gone_by_now_has_changed_nothing_and_one_that_goes_meanwhile_is_uncertain(tmp_path: Path):
    with pytest.raises(ProviderError, match="no X server answers; nothing was changed") as gone:
        await linux_apps(Unplugged(PAD), tmp_path).apply(ActivateApp("Pad"), ())
    with pytest.raises(Uncertain, match="there is no window manager"):
        await linux_apps(Closing(PAD), tmp_path).apply(ActivateApp("Pad"), ())

    assert type(gone.value) is ProviderError


WINDOW = ScreenWindow("1", ("note",), None, Bounds(0, 0, 10, 10), desktop="2")
LAYOUTS = (WindowLayout("desk", (WindowPlacement("Note", monitor="main"),)),)


@pytest.fixture
def reads(tmp_path: Path) -> LinuxApps:
    return linux_apps(FakeScreen(WINDOW), tmp_path, "Note", layouts=LAYOUTS).reads


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
