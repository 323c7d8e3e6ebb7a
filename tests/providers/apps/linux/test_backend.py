"""The backend of applications on Linux: built, asked and read."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.plan import Applied, CannotTell, NotDone
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.applications import OPENED_VARIABLE, instances_of_token, process_instance
from sayso.providers.apps.linux.backend import describe_difference, linux_backend, settle_step
from sayso.providers.apps.linux.reads import AppsSnapshot, combine_snapshot, window_instance
from sayso.providers.apps.linux.screen import ScreenSnapshot, ScreenWindow
from sayso.providers.apps.model import (
    ActivateApp,
    AppRunning,
    OpenApp,
    OpenAppPlaced,
    PlaceNewWindow,
    PlaceWindow,
    QuitApp,
    Steps,
    WindowAt,
)
from sayso.providers.desktop_entries import InstalledEntries
from tests.desktop_env.session import wait_for
from tests.providers.apps.fake_screen import FakeScreen
from tests.providers.apps.grounds import ground

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

    made = linux_backend(ground(tmp_path, environ, preset=layouts), FakeScreen(*list[ScreenWindow]()))

    assert made.name == "fake"
    assert [program.name for program in await made.reads.installed()] == ["Pad"]
    assert [preset.name for preset in await made.reads.layouts()] == ["Desk"]


AT = Bounds(0, 0, 1, 1)


def test_two_windows_of_one_process_are_one_instance():
    look = ScreenSnapshot(
        (ScreenWindow("1", ("Pad",), os.getpid(), AT), ScreenWindow("2", ("Pad",), os.getpid(), AT)), ()
    )

    sight = combine_snapshot(look, InstalledEntries((), {}))

    assert sight.state.instances("Pad") == (process_instance(os.getpid()),)
    assert [window.id for window in sight.state.windows] == ["1", "2"]


def test_windows_of_two_processes_are_two_instances_of_one_application():
    look = ScreenSnapshot(
        (ScreenWindow("1", ("Pad",), os.getpid(), AT), ScreenWindow("2", ("Pad",), os.getppid(), AT)), ()
    )

    sight = combine_snapshot(look, InstalledEntries((), {}))

    assert len(sight.state.instances("Pad")) == 2


def test_a_question_before_a_window_is_no_window_to_place():
    main, question = ScreenWindow("1", ("Pad",), None, AT), ScreenWindow("2", ("Pad",), None, AT, belongs=True)

    both, alone = (
        combine_snapshot(ScreenSnapshot(shown, ()), InstalledEntries((), {}))
        for shown in ((question, main), (question,))
    )

    assert [window.id for window in both.state.windows] == ["1"]
    assert [window.id for window in both.windows_of("Pad")] == ["2", "1"]
    assert [window.id for window in alone.state.windows] == ["2"]


def test_minimised_windows_come_last():
    look = ScreenSnapshot(
        (ScreenWindow("1", ("Pad",), None, AT, "minimised"), ScreenWindow("2", ("Pad",), None, AT)), ()
    )

    assert [window.id for window in combine_snapshot(look, InstalledEntries((), {})).state.windows] == ["2", "1"]


def test_a_window_whose_process_nobody_knows_stands_for_itself():
    assert window_instance(ScreenWindow("7", (), None, AT)) == "window-7"
    assert window_instance(ScreenWindow("7", (), 2**22 + 1, AT)) == "window-7"


def test_a_window_is_found_by_its_id():
    window = ScreenWindow("7", ("Pad",), None, Bounds(0, 0, 1, 1))

    assert ScreenSnapshot((window,), ()).window("7") is window
    assert ScreenSnapshot((window,), ()).window("8") is None
