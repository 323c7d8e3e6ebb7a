"""A program is found and waited for, and one that ends is told."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.browser.remote.launcher import (
    Family,
    Started,
    free_port,
    must_have_a_screen,
    opened_by,
    program,
    taken_up,
    tell_port,
    until_it_answers,
)
from sayso.providers.programs.run import Runner
from sayso.runtime.system import RandomIds
from tests.desktop_env.session import wait_for

FAMILY = Family(("no-such-program", "true", "false"), "none is here", "sayso browser")
RUNNER = Runner({"PATH": os.environ["PATH"]}, RandomIds())


def test_the_first_that_is_there_is_taken():
    assert program(RUNNER, FAMILY, "") == "true"
    assert program(RUNNER, FAMILY, "false") == "false"


def test_what_is_missing_is_named():
    with pytest.raises(SetupError, match="none is here"):
        program(RUNNER, Family(("no-such-program",), "none is here", ""), "")
    with pytest.raises(SetupError, match=r"browser\.program in the settings is “nope”"):
        program(RUNNER, FAMILY, "nope")


@pytest.mark.parametrize("environ", [{"DISPLAY": ":0"}, {"WAYLAND_DISPLAY": "wayland-0"}])
def test_a_screen_is_one_of_either_kind(environ: dict[str, str]):
    must_have_a_screen(environ, FAMILY, headless=False)
    must_have_a_screen({}, FAMILY, headless=True)
    with pytest.raises(SetupError, match="“sayso browser --headless” needs none"):
        must_have_a_screen({}, FAMILY, headless=False)


async def test_once_it_answers_its_port_is_told(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        started = Started("x", os.getpid(), server.getsockname()[1])

        tell_port(tmp_path, started.port)
        assert await until_it_answers(started, tmp_path) == started

    assert (tmp_path / "sayso-port").read_text() == str(started.port)


async def test_one_that_ended_is_told(tmp_path: Path):
    tell_port(tmp_path, 9)

    with pytest.raises(ProviderError, match="x ended at once; try it by hand"):
        await until_it_answers(Started("x", 2**22 + 1, free_port()), tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def listening() -> Iterator[int]:
    """Yield a port on which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def opener(tmp_path: Path, listening: int) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a process that has a profile and a port on its command line, as a browser has."""
    words = (f"--user-data-dir={tmp_path}", f"--remote-debugging-port={listening}")
    with subprocess.Popen(["sh", "-c", "sleep 60 & wait", "browser", *words], start_new_session=True) as process:
        # Just after its start a process does not show its words.
        wait_for(Path(f"/proc/{process.pid}/cmdline").read_bytes)
        yield process
        os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize(("lock", "host"), [("SingletonLock", "host-"), ("lock", "127.0.1.1:+")])
async def test_a_profile_that_is_open_is_told_with_its_process(
    tmp_path: Path, opener: subprocess.Popen[bytes], lock: str, host: str
):
    (tmp_path / lock).symlink_to(f"{host}{opener.pid}")

    with pytest.raises(SetupError, match=f"is open already, in process {opener.pid}, .* then try again: sayso browser"):
        await taken_up(tmp_path, FAMILY, "x")


async def test_one_whose_starter_was_ended_is_taken_up_once_it_answers(
    tmp_path: Path, opener: subprocess.Popen[bytes], listening: int
):
    (tmp_path / "SingletonLock").symlink_to(f"host-{opener.pid}")
    tell_port(tmp_path, listening)

    assert await taken_up(tmp_path, FAMILY, "x") == Started("x", opener.pid, listening)


@pytest.mark.parametrize("left", ["host-4194305", "host-1", "nonsense"])
async def test_a_lock_that_a_killed_browser_left_is_none(tmp_path: Path, left: str):
    (tmp_path / "SingletonLock").symlink_to(left)

    assert await taken_up(tmp_path, FAMILY, "x") is None
    assert opened_by(tmp_path / "nowhere") == (0, [])
