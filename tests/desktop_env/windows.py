"""Real windows for tests, and what programs that are not ours say of them."""

import os
import re
import signal
from contextlib import suppress
from pathlib import Path

from tests.desktop_env.session import Session, wait_for

Four = tuple[int, int, int, int]
FRAME = "_NET_FRAME_EXTENTS"
LOOKS = 6
"""How many looks in a row must show the same of a window that is at rest."""


def entry(session: Session, name: str, command: str, file: str = "", **keys: str) -> Path:
    """Write a desktop entry into the session's own application folder; return it."""
    path = Path(session.environment["XDG_DATA_HOME"]) / "applications" / (file or f"{name.lower()}.desktop")
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["[Desktop Entry]", "Type=Application", f"Name={name}", f"Exec={command}"]
    path.write_text("\n".join([*lines, *(f"{key}={value}" for key, value in keys.items()), ""]))
    session.own()
    return path


def clear_entries(session: Session) -> None:
    """Remove every desktop entry that a test wrote: the next test would know its windows by other names."""
    for file in (Path(session.environment["XDG_DATA_HOME"]) / "applications").glob("*.desktop"):
        file.unlink()


def listed(session: Session) -> dict[int, int]:
    """Return every window that the window manager lists, with its process (`wmctrl -lp`)."""
    lines = session.run("wmctrl", "-lp", check=False).splitlines()
    return {int(line.split()[0], 16): int(line.split()[2]) for line in lines}


def start(session: Session, *argv: str) -> int:
    """Start a program and return its first window, once the window manager lists it and it has come to rest."""
    process = session.start(*argv)

    def new() -> int:
        if process.poll() is not None:
            why = session.complaints()
            raise RuntimeError(f"{argv[0]} ended with {process.returncode} before it had a window: {why}")
        return next((window for window, pid in listed(session).items() if pid == process.pid), 0)

    try:
        window = wait_for(new, f"a window of {argv[0]}")
    except TimeoutError as late:
        raise TimeoutError(f"{late}; listed are {listed(session)}, and it was said: {session.complaints()}") from None
    at_rest(session, window)
    return window


def at_rest(session: Session, window: int) -> None:
    """Wait until a window was the same for several looks."""
    looks: list[tuple[Four, set[str]]] = []

    def same() -> bool:
        looks.append((bounds(session, window), states(session, window)))
        return len(looks) >= LOOKS and all(look == looks[-1] for look in looks[-LOOKS:])

    wait_for(same, "a window at rest")


def move(session: Session, window: int, left: int, top: int) -> None:
    """Put the corner of a window, with its frame, somewhere else, and wait until it stands there at rest."""
    session.run("xdotool", "windowmove", str(window), str(left), str(top))
    wait_for(lambda: bounds(session, window)[:2] == (left, top), f"a window at {left}, {top}")
    at_rest(session, window)


def bounds(session: Session, window: int) -> Four:
    """Return left, top, right, bottom of a window with its frame (`xwininfo`, `xprop`)."""
    told = session.run("xwininfo", "-id", str(window))
    x, y, width, height = (
        int(re.findall(rf"{what}:\s+(-?\d+)", told)[0])
        for what in ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height")
    )
    frame = session.run("xprop", "-id", str(window), FRAME)
    left, right, top, bottom = map(int, re.findall(r"\d+", frame.partition("=")[2])) if "=" in frame else (0, 0, 0, 0)
    return x - left, y - top, x + width + right, y + height + bottom


def states(session: Session, window: int) -> set[str]:
    """Return the states of a window (`xprop`), such as `MAXIMIZED_VERT`."""
    return set(re.findall(r"_NET_WM_STATE_(\w+)", session.run("xprop", "-id", str(window), "_NET_WM_STATE")))


def desktop(session: Session, window: int) -> str:
    """Return the desktop of a window (`xprop`), `all` where it is on every one."""
    number = session.run("xprop", "-id", str(window), "_NET_WM_DESKTOP").split()[-1]
    return "all" if number == "4294967295" else number


def clear(session: Session) -> None:
    """End the program of every window on this screen, late ones too, and go back to the first desktop."""

    def empty() -> bool:
        for process in set(listed(session).values()) - {0, os.getpid()}:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return not listed(session)

    wait_for(empty, "an empty screen")
    session.run("wmctrl", "-s", "0")
