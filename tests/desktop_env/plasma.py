"""Real windows under KWin for tests, and what a script that is not ours and KWin's own bus say of them."""

import json
import os
import signal
from contextlib import suppress
from itertools import count
from typing import Any

from tests.desktop_env.session import Session, wait_for

Four = tuple[int, int, int, int]
LOOKS = 6
"""How many looks in a row must show the same of a window that is at rest."""
LIST = """\
workspace.clientList().filter(w => w.normalWindow || w.dialog).map(w => ({
  id: String(w.internalId), pid: w.pid, title: w.caption, desktop: w.desktop, fullscreen: w.fullScreen,
  minimised: w.minimized, active: w === workspace.activeClient, order: w.stackingOrder,
  bounds: [w.frameGeometry.left, w.frameGeometry.top, w.frameGeometry.right, w.frameGeometry.bottom],
}))"""
_NUMBERS = count()


def ask(session: Session, path: str, method: str, *words: str) -> str:
    """Call a method of KWin (`dbus-send`) and return what it prints."""
    sent = ("dbus-send", "--session", "--print-reply", "--dest=org.kde.KWin", path, method)
    return session.run(*sent, *words)


def evaluate(session: Session, expression: str) -> Any:
    """Return what an expression is in a script that KWin runs, and that prints it."""
    mark = f"asked-{next(_NUMBERS)}:"
    file = session.home / "asked.js"
    file.write_text(f"print('{mark}' + JSON.stringify(({expression}) ?? null));\n")
    file.chmod(0o644)
    loaded = ask(session, "/Scripting", "org.kde.kwin.Scripting.loadScript", f"string:{file}", f"string:{mark}")
    ask(session, f"/{loaded.split()[-1]}", "org.kde.kwin.Script.run")

    def printed() -> str:
        lines = (session.home / "kwin.log").read_text(errors="replace").split("\n")[:-1]
        return next((line.partition(mark)[2] for line in lines if mark in line), "")

    said = wait_for(printed, "what a script prints")
    ask(session, "/Scripting", "org.kde.kwin.Scripting.unloadScript", f"string:{mark}")
    return json.loads(said)


def listed(session: Session) -> dict[str, dict[str, Any]]:
    """Return every window of an application."""
    return {window["id"]: window for window in evaluate(session, LIST)}


def bounds(session: Session, window: str) -> Four:
    """Return left, top, right, bottom of a window with its frame."""
    left, top, right, bottom = listed(session)[window]["bounds"]
    return left, top, right, bottom


def is_maximised(session: Session, window: str) -> bool:
    """Say whether a window is maximised in both directions (`getWindowInfo`)."""
    told = ask(session, "/KWin", "org.kde.KWin.getWindowInfo", f"string:{window}").split()
    return all(told[told.index(f'"maximize{way}"') + 3] != "0" for way in ("Horizontal", "Vertical"))


def start(session: Session, *argv: str) -> str:
    """Start a program and return its window, once KWin lists it and it has come to rest."""
    process = session.start(*argv)

    def new() -> str:
        return next((id_ for id_, window in listed(session).items() if window["pid"] == process.pid), "")

    window = wait_for(new, f"a window of {argv[0]}")
    at_rest(session, window)
    return window


def at_rest(session: Session, window: str) -> None:
    """Wait until a window was the same for several looks."""
    looks: list[Any] = []

    def same() -> bool:
        looks.append(listed(session)[window])
        return len(looks) >= LOOKS and all(look == looks[-1] for look in looks[-LOOKS:])

    wait_for(same, "a window at rest")


def tell(session: Session, window: str, deed: str) -> None:
    """Have a script do something with a window, called `w` there, and wait until it rests."""
    evaluate(session, f"workspace.clientList().filter(w => String(w.internalId) === '{window}').map(w => {{ {deed} }})")
    at_rest(session, window)


def clear(session: Session) -> None:
    """End the program of every window, late ones too."""

    def empty() -> bool:
        for process in {window["pid"] for window in listed(session).values()} - {os.getpid()}:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return not listed(session)

    wait_for(empty, "an empty screen")
