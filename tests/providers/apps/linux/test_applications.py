"""What is started from the menus gets the words of its entry and nothing else."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.applications import (
    AppLauncher,
    AppNames,
    instances_of_token,
    is_alive,
    launching_entry,
    own_instances,
    process_instance,
    program_names,
)
from sayso.providers.apps.linux.screen import ScreenWindow
from sayso.providers.desktop_entries import DesktopEntry
from sayso.runtime.system import RandomIds
from tests.desktop_env.session import wait_for


def test_a_process_lives_under_its_name_until_it_has_ended():
    with subprocess.Popen(["sleep", "100"]) as process:
        name = process_instance(process.pid)
        assert name is not None
        alive, names = is_alive(name), program_names(process.pid)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        unfetched = is_alive(name)

    assert (alive, unfetched, is_alive(name)) == (True, False, False)
    assert (names[0], program_names(process.pid)) == ("sleep", ())


def test_a_number_that_went_to_another_process_is_not_the_same():
    assert is_alive(process_instance(os.getpid()) or "")
    assert not is_alive(f"{os.getpid()}-1")
    assert not is_alive("window-5")


def test_only_the_process_that_was_launched_tells_from_which_entry(tmp_path: Path):
    told = {**os.environ, "GIO_LAUNCHED_DESKTOP_FILE": "/apps/note.desktop"}
    with (
        subprocess.Popen(["sleep", "100"], env=told, start_new_session=True) as launched,
        subprocess.Popen(["sleep", "100"], env=told) as inherits,
        subprocess.Popen(["sleep", "100"], env={**told, "GIO_LAUNCHED_DESKTOP_FILE_PID": "1"}) as of_another,
    ):
        for process in (launched, inherits, of_another):
            environ = Path(f"/proc/{process.pid}/environ")
            while process.poll() is None and not environ.read_bytes():  # right after the start it cannot be read
                pass
        found = [launching_entry(process.pid) for process in (launched, inherits, of_another)]
        for process in (launched, inherits, of_another):
            process.kill()

    assert found == ["/apps/note.desktop", None, None]
    assert launching_entry(launched.pid) is None


def test_this_process_and_those_around_it_are_ours_and_its_children_are_not():
    with subprocess.Popen(["sleep", "100"]) as child:
        found = own_instances()
        name = process_instance(child.pid)
        child.kill()

    assert {process_instance(os.getpid()), process_instance(os.getppid())} <= found
    assert name not in found


TELLS = """#!/usr/bin/env python3
import json, os, stat, sys
kinds = [stat.S_IFMT(os.fstat(number).st_mode) == stat.S_IFCHR for number in (0, 1, 2)]
told = [sys.argv[1:], os.getcwd(), kinds, sorted(os.environ), os.getsid(0) == os.getpid(), os.listdir("/proc/self/fd")]
open(sys.argv[0] + ".new", "w").write(json.dumps(told))
os.rename(sys.argv[0] + ".new", sys.argv[0] + ".told")
"""


@pytest.fixture
def apps(tmp_path: Path) -> Path:
    folder = tmp_path / "share" / "applications"
    folder.mkdir(parents=True)
    script = tmp_path / "tells"
    script.write_text(TELLS)
    script.chmod(0o755)
    return folder


def menu(apps: Path, *roots: str, path: str = os.environ["PATH"]) -> AppLauncher:
    environ = {"XDG_DATA_HOME": str(apps.parent), "XDG_DATA_DIRS": str(apps.parent), "PATH": path, "SAYSO_X": "secret"}
    return AppLauncher(environ, str(apps.parent.parent), roots, RandomIds())


def entry(apps: Path, command: str, *more: str) -> None:
    lines = ["[Desktop Entry]", "Type=Application", "Name=Tells", f"Exec={command}", *more, ""]
    (apps / "tells.desktop").write_text("\n".join(lines))


async def start(made: AppLauncher, token: str = "") -> int:
    entries = made.entries()
    return await made.start(entries.menu_entries()[0], entries, token)


@pytest.mark.req("AP-02", "X-07")
async def test_a_program_gets_the_words_of_its_entry_no_shell_no_pipe_and_nothing_of_ours(apps: Path, tmp_path: Path):
    entry(apps, f'{tmp_path}/tells "a b" $HOME ; touch x %U', f"Path={apps}")

    await start(menu(apps))

    told = tmp_path / "tells.told"
    wait_for(told.exists, "the program")
    words, folder, silent, names, leads, held = json.loads(told.read_text())
    assert words == ["a b", "$HOME", ";", "touch", "x"]
    assert folder == str(apps)
    assert silent == [True, True, True]
    assert leads
    assert set(held) <= {"0", "1", "2", "3"}
    assert not [name for name in names if name.startswith("SAYSO_")]
    assert "GIO_LAUNCHED_DESKTOP_FILE" in names


@pytest.mark.req("AP-01")
async def test_what_file_actions_could_have_written_is_not_started(apps: Path, tmp_path: Path):
    entry(apps, f"{tmp_path}/tells")

    with pytest.raises(ProviderError, match="which file actions may change; open it by hand"):
        await start(menu(apps, str(tmp_path)))

    assert not (tmp_path / "tells.told").exists()


async def test_a_program_can_be_known_again_by_its_token(apps: Path, tmp_path: Path):
    entry(apps, "sleep 100")
    made = menu(apps)
    tokens = made.token(), made.token()

    numbers = [await start(made, token) for token in tokens]

    found = [instances_of_token(token) for token in tokens]
    assert found == [{process_instance(number)} for number in numbers]
    assert instances_of_token("") == frozenset()
    for number in numbers:
        os.kill(number, signal.SIGKILL)


async def test_a_program_for_terminals_is_shown_in_one_and_without_one_that_is_said(apps: Path, tmp_path: Path):
    (tools := tmp_path / "tools").mkdir()
    (tools / "x-terminal-emulator").symlink_to(tmp_path / "tells")
    entry(apps, "top -d 5", "Terminal=true")

    with pytest.raises(SetupError, match="no terminal is installed; install one"):
        await start(menu(apps, path=str(tmp_path)))
    await start(menu(apps, path=f"{tools}:{os.environ['PATH']}"))

    told = tools / "x-terminal-emulator.told"
    wait_for(told.exists, "the terminal")
    assert '["-e", "top", "-d", "5"]' in told.read_text()


def entry_naming(id_: str, name: str, program: str = "nothing", **more: Any) -> DesktopEntry:
    return DesktopEntry(f"{id_}.desktop", f"/apps/{id_}.desktop", "m", name, (program,), **more)


def window(*classes: str, pid: int | None = None) -> ScreenWindow:
    return ScreenWindow("1", classes, pid, Bounds(0, 0, 1, 1))


ENTRIES = [
    entry_naming("org.xfce.mousepad", "Mousepad"),
    entry_naming("foot", "Foot"),
    entry_naming("web", "Web Browser", wm_class="Chromium-browser"),
    entry_naming("daemon", "Daemon", wm_class="daemon", hidden=True),
    entry_naming("me", "This Test", os.path.realpath("/proc/self/exe").rpartition("/")[2]),
    entry_naming("a", "Hidden", wm_class="pad", hidden=True),
    entry_naming("b", "Shown", wm_class="pad"),
]


@pytest.mark.parametrize(
    ("shown", "name"),
    [
        (window("mousepad", "Mousepad"), "Mousepad"),
        (window("foot"), "Foot"),
        (window("chromium", "Chromium-browser"), "Web Browser"),
        (window("daemon", "Daemon"), "Daemon"),
        (window("pad"), "Shown"),
        (window("xclock", "XClock"), "XClock"),
        (window("", ""), "unknown"),
        (window("bad\n", "also\u202ebad"), "unknown"),
        (window("x", "X", pid=os.getpid()), "This Test"),
    ],
)
def test_a_window_is_named_after_its_marks_or_else_its_program(shown: ScreenWindow, name: str):
    assert AppNames(ENTRIES).name(shown) == name


@pytest.mark.req("AP-01")
def test_two_entries_that_fit_alike_are_none():
    alike = [entry_naming(id_, name, wm_class="foot") for id_, name in (("other", "Other Foot"), ("again", "Third"))]
    names = AppNames([*ENTRIES, *alike])

    assert names.entry(window("other-foot")) is None
    assert names.name(window("foot")) == "Foot"
