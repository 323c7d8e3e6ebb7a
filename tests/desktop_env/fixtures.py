"""Desktops for tests: one session a module, and the way into it for each test."""

import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.desktop_env import parts
from tests.desktop_env.session import NOBODY, Session


@contextmanager
def session(*programs: str, user: str | None = None) -> Generator[Session]:
    """Yield a session, or skip where one of the programs that it will be made of is missing."""
    missing = sorted(name for name in ("setpriv", *programs) if shutil.which(name) is None)
    if missing:
        pytest.skip(f"needs {', '.join(missing)}; tools/system-packages installs it")
    made = Session(user)
    try:
        yield made
    finally:
        made.close()


def enter(made: Session, environment: pytest.MonkeyPatch) -> Session:
    """Let the environment of this process lead into the session."""
    for name, value in made.environment.items():
        environment.setenv(name, value)
    return made


@pytest.fixture(scope="session")
def x_display() -> Iterator[Session]:
    """Return what runs an X server with two monitors and a window manager, started once in each worker."""
    with session("Xvfb", "xrandr", "xprop", "openbox") as made:
        parts.a_screen(made)
        yield made


@pytest.fixture(scope="session")
def wayland_display() -> Iterator[Session]:
    """Return what runs a Wayland compositor with two outputs, started once in each worker."""
    with session("sway", "swaymsg", user=NOBODY) as made:
        parts.a_compositor(made)
        yield made


@pytest.fixture(scope="module")
def x_session(x_display: Session) -> Iterator[Session]:
    """Return a session of the module's own, with a bus, on the X server of the worker."""
    with session("dbus-daemon") as made:
        made.environment["DISPLAY"] = x_display.environment["DISPLAY"]
        parts.a_bus(made)
        yield made


@pytest.fixture(scope="module")
def wayland_session(wayland_display: Session) -> Iterator[Session]:
    """Return a session of the module's own, with a bus, in the compositor of the worker; its user is not root."""
    with session("dbus-daemon", user=NOBODY) as made:
        made.environment |= {name: wayland_display.environment[name] for name in ("SWAYSOCK", "WAYLAND_DISPLAY")}
        parts.a_bus(made)
        yield made


@pytest.fixture(scope="module")
def plasma_session() -> Iterator[Session]:
    """Return a session with a bus and the compositor of KDE with two outputs, of a user who is not root."""
    with session("dbus-daemon", "dbus-send", "kwin_wayland", "Xwayland", "xhost", user=NOBODY) as made:
        parts.a_bus(made)
        parts.a_kwin(made)
        yield made


@pytest.fixture(scope="module")
def bare_session() -> Iterator[Session]:
    """Return a session with nothing: no bus, no screen, no sound."""
    with session() as made:
        yield made


@pytest.fixture
def x_desktop(x_session: Session, scratch_home: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """Return the X session of the module, entered for this test."""
    return enter(x_session, monkeypatch)


@pytest.fixture
def wayland_desktop(wayland_session: Session, scratch_home: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """Return the Wayland session of the module, entered for this test."""
    return enter(wayland_session, monkeypatch)


@pytest.fixture
def plasma_desktop(plasma_session: Session, scratch_home: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """Return the session of KDE of the module, entered for this test."""
    return enter(plasma_session, monkeypatch)


@pytest.fixture
def bare_desktop(bare_session: Session, scratch_home: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """Return the session with nothing, entered for this test."""
    return enter(bare_session, monkeypatch)
