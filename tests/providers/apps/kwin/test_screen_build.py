"""The backend of KDE on Wayland holds what every backend of applications must, on a real KWin."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from sayso.core.errors import SetupError
from sayso.core.ports import Backend
from sayso.providers.apps.kwin import build
from sayso.testing.apps import AppsSuite
from tests.desktop_env import plasma, windows
from tests.desktop_env.session import Session
from tests.providers.apps.grounds import ground

pytestmark = pytest.mark.needs("kwin_wayland", "Xwayland", "mousepad", "xclock")


@pytest.mark.thorough
class TestKwin(AppsSuite):
    """The suite, with an editor of Wayland that runs and a clock of X11 that does not."""

    running = "Mousepad"
    idle = "Clock"
    desktop: ClassVar[Session]

    @pytest.fixture(autouse=True)
    def _fresh_screen(self, plasma_desktop: Session) -> Iterator[None]:
        type(self).desktop = plasma_desktop
        windows.entry(plasma_desktop, "Clock", "xclock")
        yield
        plasma.clear(plasma_desktop)

    def make(self) -> Backend:
        plasma.start(self.desktop, "mousepad", "--disable-server")
        return build(ground(self.desktop.home))


@pytest.mark.req("X-05")
def test_without_a_bus_the_person_is_told_what_to_do(tmp_path: Path):
    with pytest.raises(SetupError, match="DBUS_SESSION_BUS_ADDRESS is not set; start sayso from within your desktop"):
        build(ground(tmp_path, {"WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "KDE"}))


@pytest.mark.req("X-05")
async def test_a_bus_without_kwin_is_named(x_desktop: Session):
    with pytest.raises(SetupError, match="KWin does not answer on the D-Bus of your session"):
        await build(ground(x_desktop.home)).reads.running()


@pytest.mark.req("X-05")
@pytest.mark.parametrize("address", ["unix:path=/nowhere/bus", "tcp:host=localhost"])
async def test_a_bus_that_is_not_there_is_named(tmp_path: Path, address: str):
    backend = build(ground(tmp_path, {"DBUS_SESSION_BUS_ADDRESS": address}))

    with pytest.raises(SetupError, match="the D-Bus of your session cannot be reached"):
        await backend.reads.running()


@pytest.mark.req("X-05")
async def test_without_the_extra_the_person_is_told_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "sayso.providers.dbus.connection", None)

    with pytest.raises(SetupError, match=r"pip install 'sayso\[desktop\]'"):
        await build(ground(tmp_path, {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"})).reads.running()


@pytest.mark.req("X-05")
@pytest.mark.thorough
async def test_doctor_names_the_monitors(plasma_desktop: Session):
    windows_seen, _ = await build(ground(plasma_desktop.home)).capabilities()

    assert windows_seen.served == "kwin"
    assert windows_seen.why == (
        "XDG_CURRENT_DESKTOP names KDE, and KWin answers on D-Bus; monitors: Virtual-0, Virtual-1"
    )
