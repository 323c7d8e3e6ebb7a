"""The parts of a desktop, each started in a session and waited for until it answers."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.desktop_env.session import Session, wait_for

ROOT = Path(__file__).parent.parent.parent
WIDTH, HEIGHT = 1920, 1080
"""The size of each of the two monitors; the second stands right of the first."""

SWAY = f"""\
output HEADLESS-1 resolution {WIDTH}x{HEIGHT} position 0 0
output HEADLESS-2 resolution {WIDTH}x{HEIGHT} position {WIDTH} 0
default_border pixel 0
xwayland disable
"""


BUS = """\
<busconfig>
  <type>session</type>
  <listen>unix:dir={runtime}</listen>
  {services}
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
    <allow user="root"/>
  </policy>
</busconfig>
"""
"""A bus like any session's, that root may speak on too: tests may be run by another user than the session's."""


def a_bus(session: Session, services: str = "<standard_session_servicedirs/>") -> None:
    """Start a D-Bus of the session's own; what it activates ends with it. Without `services` it activates nothing."""
    config = session.home / "bus.conf"
    config.write_text(BUS.format(runtime=session.runtime, services=services))
    session.own()
    argv = ("dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile", "--print-address", "%fd")
    session.environment["DBUS_SESSION_BUS_ADDRESS"] = session.start_and_read(*argv)


def a_screen(session: Session) -> None:
    """Start an X server on a display that it finds free, with two monitors and a window manager."""
    number = bare_x_server(session, f"{2 * WIDTH}x{HEIGHT}x24")
    session.environment["DISPLAY"] = f":{number}"
    session.run("xrandr", "--setmonitor", "*LEFT", f"{WIDTH}/508x{HEIGHT}/286+0+0", "screen")
    session.run("xrandr", "--setmonitor", "RIGHT", f"{WIDTH}/508x{HEIGHT}/286+{WIDTH}+0", "none")
    # It says that it is there before it looks after windows: one that comes about in between is never taken up.
    ready = session.home / "openbox.ready"
    session.start("openbox", "--sm-disable", "--startup", f"touch {ready}")
    wait_for(ready.exists, "a window manager")


def bare_x_server(session: Session, size: str) -> str:
    """Start an X server with one screen of this size and nothing on it; return the number of its display."""
    return session.start_and_read("Xvfb", "-displayfd", "%fd", "-screen", "0", size, "-nolisten", "tcp", "-noreset")


def a_compositor(session: Session) -> None:
    """Start a Wayland compositor without a screen, with two outputs; the session's user must not be root."""
    config = session.home / "sway.conf"
    config.write_text(SWAY)
    session.own()
    session.environment |= {"WLR_BACKENDS": "headless", "WLR_HEADLESS_OUTPUTS": "2"}
    session.start("sway", "-c", config, WLR_LIBINPUT_NO_DEVICES="1", WLR_RENDERER="pixman")
    session.environment["SWAYSOCK"] = wait_for(lambda: _socket(session, "sway-ipc"), "sway")
    session.environment["WAYLAND_DISPLAY"] = wait_for(lambda: _socket(session, "wayland-"), "a Wayland display")


def a_kwin(session: Session) -> subprocess.Popen[bytes]:
    """Start the compositor of KDE without a screen, with two outputs and an X server for programs of X11.

    The session's user must not be root. What its scripts print stands in `kwin.log`.
    """
    binary, told = session.home / "kwin_wayland", session.home / "display"
    # A copy has no capabilities of its own, which not every machine grants to who is not root.
    shutil.copy(shutil.which("kwin_wayland") or "kwin_wayland", binary)
    session.own()
    session.environment |= {"XDG_CURRENT_DESKTOP": "KDE", "XDG_SESSION_TYPE": "wayland"}
    session.environment["GSETTINGS_BACKEND"] = "memory"  # an editor remembers that its window filled the screen
    size = ("--width", str(WIDTH), "--height", str(HEIGHT), "--output-count", "2")
    kwin = session.start(
        "sh", "-c", 'exec "$@" 2>"$HOME/kwin.log"', "sh",
        binary, "--virtual", *size, "--no-lockscreen", "--no-global-shortcuts", "--socket", "wayland-kwin",
        "--xwayland", f"sh -c 'echo $DISPLAY >{told}'",
        reads_all=True, KWIN_COMPOSE="Q", QT_FORCE_STDERR_LOGGING="1",
    )  # fmt: skip
    display = wait_for(lambda: told.read_text().strip() if told.exists() else "", "KWin")
    session.afterwards.append(lambda: _unlock(display.removeprefix(":"), kwin.pid))
    session.environment |= {"DISPLAY": display, "WAYLAND_DISPLAY": str(session.runtime / "wayland-kwin")}
    # Whoever runs the tests may be another user than the session's.
    session.start("xhost", "+si:localuser:root").wait()
    asked = ("--dest=org.kde.KWin", "/Scripting", "org.freedesktop.DBus.Introspectable.Introspect")
    ask = ("dbus-send", "--session", "--print-reply", *asked)
    wait_for(lambda: "loadScript" in session.run(*ask, check=False), "KWin's scripts")
    return kwin


def notifications(session: Session) -> subprocess.Popen[bytes]:
    """Start a notification daemon; it needs a screen and a bus."""
    daemon = session.start("dunst")
    wait_for(lambda: owned(session, "org.freedesktop.Notifications"), "a notification daemon")
    return daemon


def plasma_notices(session: Session) -> subprocess.Popen[bytes]:
    """Start a notification service that calls itself Plasma and heeds its setting for do-not-disturb."""
    service = session.start(sys.executable, "-m", "tests.desktop_env.plasma_notices", PYTHONPATH=str(ROOT))
    wait_for(lambda: owned(session, "org.freedesktop.Notifications"), "a notification service")
    return service


def sound(session: Session) -> subprocess.Popen[bytes]:
    """Start a sound server with an output that goes nowhere, and whose monitor hears what it plays."""
    also = ""
    if session.user:
        # Whoever runs the tests is somebody else, and would look for the server in a place of their own.
        also = f" auth-anonymous=1 socket={session.runtime / 'sound'}"
        session.environment["PULSE_SERVER"] = f"unix:{session.runtime / 'sound'}"
    server = session.start(
        "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
        "-L", f"module-native-protocol-unix{also}", "-L", "module-null-sink sink_name=speaker",
    )  # fmt: skip
    wait_for(lambda: "speaker" in session.run("pactl", "list", "short", "sinks", check=False), "a sound server")
    return server


def pipewire(session: Session) -> subprocess.Popen[bytes]:
    """Start PipeWire with its server of PulseAudio's kind, which is returned, and an output as in `sound`.

    It needs a bus.
    """
    session.start("pipewire")
    wait_for((session.runtime / "pipewire-0").exists, "PipeWire")
    session.start("wireplumber")
    server = session.start("pipewire-pulse")
    # Whoever asks before it listens begins a server of the other kind, which then has its place.
    wait_for((session.runtime / "pulse" / "native").exists, "PipeWire in PulseAudio's place")
    wait_for(lambda: "PipeWire" in session.run("pactl", "info", check=False), "a sound server")
    session.run("pactl", "load-module", "module-null-sink", "sink_name=speaker")
    wait_for(lambda: session.run("pactl", "get-default-sink").strip() == "speaker", "the output")
    return server


def owned(session: Session, name: str) -> bool:
    """Say whether somebody answers on the bus under this name."""
    asked = ("--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner", f"string:{name}")
    return "boolean true" in session.run("dbus-send", "--session", "--print-reply", *asked, check=False)


def _unlock(display: str, server: int) -> None:
    """Remove the lock and the socket that a server left for its display, unless another has it by now."""
    folder = Path("/") / "tmp"
    lock = folder / f".X{display}-lock"
    if lock.exists() and lock.read_text().strip() == str(server):
        lock.unlink()
        (folder / ".X11-unix" / f"X{display}").unlink(missing_ok=True)


def _socket(session: Session, start: str) -> str:
    return next((str(path) for path in session.runtime.glob(f"{start}*") if path.suffix != ".lock"), "")
