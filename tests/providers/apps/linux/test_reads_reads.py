"""The reads show what runs, what is installed, and what earlier steps of a batch would make of both."""

import os
from pathlib import Path

import pytest

from sayso.core.plan import ChangeRef
from sayso.providers.apps.geometry import Bounds, WindowLayout, WindowPlacement
from sayso.providers.apps.linux.applications import AppLauncher
from sayso.providers.apps.linux.backend import LinuxAppsBackend
from sayso.providers.apps.linux.reads import LinuxApps
from sayso.providers.apps.linux.screen import ScreenWindow
from sayso.providers.apps.model import AppInstalled, QuitApp
from sayso.runtime.system import RandomIds
from tests.providers.apps.fake_screen import MONITORS, FakeScreen

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
