"""Give every test a home of its own, so that none reads or changes a person's.

What the tests of the first ring write lies in memory, where the system has room for it: durable writes and removals
would be most of their time on a disk. The thorough ring writes to the disk.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# What leads to the person's own files, settings, desktop or keys, or says how their terminal looks.
_PERSONAL = ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "SSH_AUTH_SOCK", "SWAYSOCK", "WAYLAND_DISPLAY")
_PERSONAL_LOOKS = ("COLUMNS", "EDITOR", "LINES", "NO_COLOR", "VISUAL")
_PERSONAL_STARTS = ("SAYSO_", "XDG_")
TERMINAL = "xterm"
"""What each test takes for its terminal; with none, or a dumb one, sayso writes other bars."""


MEMORY = Path("/dev", "shm")
ROOM = 4 << 30
"""How many bytes have to be free there."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose where the tests write, for this process and those it starts."""
    first = getattr(config.option, "ring", "first") == "first"
    if first and "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run every async test on asyncio, as the product does."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def _home_of_the_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Cover what is set up before the first test has its own home; each Python that tests start is compiled once."""
    with pytest.MonkeyPatch.context() as environment:
        place = tmp_path_factory.mktemp("run")
        move_into(place, environment)
        environment.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        if "PYTHONPYCACHEPREFIX" not in os.environ:
            environment.setenv("PYTHONPYCACHEPREFIX", str(place / "compiled"))
        yield


@pytest.fixture(autouse=True)
def scratch_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return this test's HOME, an empty folder; SAYSO_HOME is beside it and not yet made."""
    with pytest.MonkeyPatch.context() as environment:
        yield move_into(tmp_path_factory.mktemp("scratch"), environment)


def move_into(place: Path, environment: pytest.MonkeyPatch) -> Path:
    """Point HOME and SAYSO_HOME into `place` and forget everything that leads elsewhere."""
    for name in list(os.environ):
        if name in (*_PERSONAL, *_PERSONAL_LOOKS) or name.startswith(_PERSONAL_STARTS):
            environment.delenv(name)
    environment.setenv("TERM", TERMINAL)
    home = place / "home"
    home.mkdir()
    environment.setenv("HOME", str(home))
    environment.setenv("SAYSO_HOME", str(place / "sayso"))
    return home
