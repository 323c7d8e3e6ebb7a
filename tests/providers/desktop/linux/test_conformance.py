"""The desktop of a real session is a desktop backend like any other."""

from collections.abc import Iterator

import pytest

from sayso.core.ports import Backend
from sayso.testing.desktop import DesktopSuite
from tests.desktop_env import parts
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import Session
from tests.providers.desktop.linux.given import a_desktop


@pytest.fixture(scope="module")
def full_session(x_session: Session) -> Session:
    """Return a session with notifications and sound."""
    parts.notifications(x_session)
    parts.sound(x_session)
    return x_session


@pytest.mark.needs("xclip", "dunst", "pulseaudio", "pactl", "espeak-ng")
@pytest.mark.req("S0-43", "S0-49", "S0-51", "S0-52", "S1-24")
class TestX11(DesktopSuite):
    """The suite on X11, with dunst, PulseAudio and espeak-ng."""

    @pytest.fixture(autouse=True)
    def _here(self, full_session: Session) -> None:
        self.session = full_session

    def make(self) -> Backend:
        return a_desktop(self.session)


@pytest.fixture(scope="module")
def full_wayland_session(wayland_session: Session) -> Session:
    """Return a Wayland session with notifications and sound, of a user who is not root."""
    parts.notifications(wayland_session)
    parts.sound(wayland_session)
    return wayland_session


@pytest.mark.needs("wl-copy", "dunst", "pulseaudio", "pactl", "espeak-ng")
@pytest.mark.req("S0-43", "S0-49", "S0-51", "S0-52", "S1-24")
class TestWayland(DesktopSuite):
    """The suite on Wayland."""

    @pytest.fixture(autouse=True)
    def _here(self, full_wayland_session: Session) -> None:
        self.session = full_wayland_session

    def make(self) -> Backend:
        return a_desktop(self.session)


@pytest.fixture(scope="module")
def pipewire_session() -> Iterator[Session]:
    """Return an X session with notifications, and with the sound of PipeWire."""
    with session("dbus-daemon", "Xvfb", "xrandr", "xprop", "openbox") as made:
        parts.a_bus(made)
        parts.a_screen(made)
        parts.notifications(made)
        parts.pipewire(made)
        yield made


@pytest.mark.needs("xclip", "dunst", "pipewire", "pipewire-pulse", "wireplumber", "pactl", "espeak-ng")
@pytest.mark.req("S0-43", "S0-49", "S0-51", "S0-52", "S1-24")
class TestPipeWire(DesktopSuite):
    """The suite on X11, with dunst, PipeWire and espeak-ng."""

    @pytest.fixture(autouse=True)
    def _here(self, pipewire_session: Session) -> None:
        self.session = pipewire_session

    def make(self) -> Backend:
        return a_desktop(self.session)
