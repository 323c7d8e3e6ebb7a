"""A session has what it says it has, and leaves nothing."""

import os
from pathlib import Path

import pytest

from tests.desktop_env import parts, plasma
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import NOBODY, Session


def test_an_x_session_has_two_monitors_and_a_window_manager(x_desktop: Session):
    monitors = x_desktop.run("xrandr", "--listmonitors")

    assert "LEFT 1920/508x1080/286+0+0" in monitors
    assert "RIGHT 1920/508x1080/286+1920+0" in monitors
    assert os.environ["DISPLAY"] == x_desktop.environment["DISPLAY"]


def test_a_wayland_session_has_two_outputs(wayland_desktop: Session):
    outputs = wayland_desktop.run("swaymsg", "-t", "get_outputs", "-r")

    assert "HEADLESS-1" in outputs
    assert "HEADLESS-2" in outputs


@pytest.mark.thorough
@pytest.mark.needs("kwin_wayland", "Xwayland", "xhost")
def test_a_session_of_kde_has_two_outputs_and_leaves_no_display():
    with session("dbus-daemon", "dbus-send", user=NOBODY) as made:
        parts.a_bus(made)
        parts.a_kwin(made)
        areas = plasma.evaluate(made, "[0, 1].map(n => workspace.clientArea(KWin.ScreenArea, n, 1).left)")
        socket = Path("/") / "tmp" / ".X11-unix" / f"X{made.environment['DISPLAY'].removeprefix(':')}"
        was_there = socket.exists()

    assert areas == [0, 1920]
    assert was_there
    assert not socket.exists()


@pytest.mark.needs("dunst", "pulseaudio", "pactl")
def test_notifications_and_sound_can_be_added(x_session: Session):
    daemon, server = parts.notifications(x_session), parts.sound(x_session)

    assert parts.owned(x_session, "org.freedesktop.Notifications")
    assert "speaker" in x_session.run("pactl", "get-default-sink")
    x_session.end(daemon)
    x_session.end(server)


@pytest.mark.needs("setpriv")
def test_a_closed_session_leaves_no_process_and_no_file():
    with session() as made:
        sleeper = made.start("sleep", "100")

    assert not made.home.exists()
    assert not Path(f"/proc/{sleeper.pid}").exists()
