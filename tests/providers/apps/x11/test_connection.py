"""A connection answers about properties, geometry and processes, and says when a window is gone."""

from collections.abc import Iterator

import pytest
from xcffib import ConnectionException

from sayso.providers.apps.x11_connection import WindowGone, X11Connection, is_disconnect
from tests.desktop_env import windows
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import Session

pytestmark = pytest.mark.needs("xclock", "wmctrl", "Xvfb")


@pytest.fixture
def wire(x_desktop: Session) -> Iterator[X11Connection]:
    made = X11Connection(x_desktop.environment["DISPLAY"])
    yield made
    made.close()
    windows.clear(x_desktop)


def test_properties_are_numbers_bytes_or_nothing(x_desktop: Session, wire: X11Connection):
    window = windows.start(x_desktop, "xclock")

    asked = [wire.property(window, name) for name in ("_NET_WM_PID", "WM_CLASS", "_NOBODY_SETS_THIS")]

    assert [answer() for answer in asked] == [(windows.listed(x_desktop)[window],), b"xclock\0XClock\0", None]


def test_the_server_itself_knows_the_process(x_desktop: Session, wire: X11Connection):
    window = windows.start(x_desktop, "xclock")

    assert wire.process(window)() == windows.listed(x_desktop)[window]


def test_a_window_that_is_not_there_is_gone_and_the_next_answer_is_right(x_desktop: Session, wire: X11Connection):
    window = windows.start(x_desktop, "xclock")
    asked = [wire.bounds(1), wire.bounds(window)]

    with pytest.raises(WindowGone):
        asked[0]()

    assert asked[1]()[2:] == (164, 164)


def test_an_atom_is_asked_for_once(x_desktop: Session, wire: X11Connection):
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


def test_a_cut_connection_is_broken_for_who_waits_on_it(x_desktop: Session):
    wire = X11Connection(x_desktop.environment["DISPLAY"])

    wire.cut()

    with pytest.raises(ConnectionException):
        wire.monitors()
