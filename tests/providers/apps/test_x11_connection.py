"""A connection answers about properties, geometry and processes, and waits for no call without end."""

import subprocess
import sys
import threading
from collections.abc import Iterator

import anyio
import pytest
from xcffib import ConnectionException

from sayso.providers.apps.x11_connection import CallTimeout, WindowGone, X11Connection, in_time, is_disconnect
from tests.desktop_env import windows
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import Session
from tests.patience import patience

pytestmark = pytest.mark.needs("xclock", "wmctrl", "Xvfb")


@pytest.fixture
def wire(x_desktop: Session) -> Iterator[X11Connection]:
    made = X11Connection(x_desktop.environment["DISPLAY"])
    yield made
    made.close()
    windows.clear(x_desktop)


def test_properties_process_and_bounds_of_a_window_are_told_and_those_of_none_are_gone(
    x_desktop: Session, wire: X11Connection
):
    window = windows.start(x_desktop, "xclock")
    process = windows.listed(x_desktop)[window]

    asked = [wire.property(window, name) for name in ("_NET_WM_PID", "WM_CLASS", "_NOBODY_SETS_THIS")]
    gone, bounds = wire.bounds(1), wire.bounds(window)

    assert [answer() for answer in asked] == [(process,), b"xclock\0XClock\0", None]
    assert wire.process(window)() == process
    with pytest.raises(WindowGone):
        gone()
    assert bounds()[2:] == (164, 164)


def test_an_atom_is_asked_for_once(wire: X11Connection):
    first = dict(wire.atoms(("WM_CLASS", "_A_NEW_NAME")))

    assert wire.atoms(("_A_NEW_NAME",))["_A_NEW_NAME"] == first["_A_NEW_NAME"]


def test_a_server_that_ends_breaks_the_connection():
    with session("Xvfb") as bare:
        number = bare.start_and_read(
            "Xvfb", "-displayfd", "%fd", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"
        )
        wire = X11Connection(f":{number}")

    with pytest.raises(ConnectionException) as odd:
        wire.monitors()

    assert is_disconnect(odd.value)
    assert not is_disconnect(ValueError())


def test_a_cut_connection_is_broken_for_who_waits_on_it(wire: X11Connection):
    wire.cut()

    with pytest.raises(ConnectionException):
        wire.monitors()


async def test_a_call_returns_and_raises_what_it_does():
    assert await in_time(lambda: 7, 5) == 7
    with pytest.raises(ZeroDivisionError):
        await in_time(lambda: 1 / 0, 5)


async def test_what_comes_late_is_put_away():
    go, put_away = threading.Event(), threading.Event()
    kept: list[str] = []

    def call() -> str:
        go.wait()
        return "late"

    def away(found: str) -> None:
        kept.append(found)
        put_away.set()

    with pytest.raises(CallTimeout):
        await in_time(call, 0.05, away)
    go.set()

    assert put_away.wait(patience())
    assert kept == ["late"]


async def test_who_gives_up_waiting_leaves_no_call_running():
    running: list[str] = []

    with anyio.CancelScope() as given_up:
        given_up.cancel()
        await in_time(lambda: running.append("done"), 5)

    assert running == ["done"]


NEVER = """
import anyio, threading
from sayso.providers.apps.x11_connection import CallTimeout, in_time

async def main():
    try:
        await in_time(threading.Event().wait, 0.05)
    except CallTimeout:
        print("late")

anyio.run(main)
"""


def test_a_call_that_never_returns_does_not_keep_the_process_from_ending():
    ended = subprocess.run(
        [sys.executable, "-c", NEVER], capture_output=True, text=True, timeout=patience(), check=True
    )

    assert ended.stdout == "late\n"
