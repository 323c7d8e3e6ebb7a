"""The screen of an X session: reads its windows and monitors, and sends requests to its window manager."""

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import BackendContext
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.linux.actions import WindowPlacer, WindowWatch
from sayso.providers.apps.linux.backend import LinuxAppsBackend, linux_backend
from sayso.providers.apps.linux.screen import SECONDS, SILENT, ScreenSnapshot, ScreenWindow
from sayso.providers.apps.x11_connection import (
    CallTimeout,
    PropertyValue,
    WindowGone,
    X11Connection,
    in_time,
    is_disconnect,
    keep_nothing,
)

NO_MANAGER = "no window manager that tells about its windows (EWMH) runs on this screen; start one, such as openbox"
_STATES = (
    ("_NET_WM_STATE_HIDDEN", "minimised"),
    ("_NET_WM_STATE_FULLSCREEN", "fullscreen"),
    ("_NET_WM_STATE_MAXIMIZED_VERT", "maximised"),
)
_HALF = "_NET_WM_STATE_MAXIMIZED_HORZ"
_NOT_OF_APPS = tuple(
    f"_NET_WM_WINDOW_TYPE_{kind}"
    for kind in (
        "DESKTOP", "DOCK", "TOOLBAR", "MENU", "SPLASH", "DROPDOWN_MENU", "POPUP_MENU", "TOOLTIP", "NOTIFICATION",
        "COMBO", "DND",
    )
)  # fmt: skip
_NAMES = (
    "WM_CLASS", "_NET_WM_PID", "_NET_FRAME_EXTENTS", "_GTK_FRAME_EXTENTS", "_NET_WM_STATE", "_NET_WM_DESKTOP",
    "_NET_WM_WINDOW_TYPE", "WM_TRANSIENT_FOR", "WM_PROTOCOLS", "WM_CLIENT_MACHINE",
    "_NET_WM_NAME", "WM_NAME",
)  # fmt: skip
_ROOT = ("_NET_SUPPORTING_WM_CHECK", "_NET_CLIENT_LIST_STACKING", "_NET_CLIENT_LIST", "_NET_NUMBER_OF_DESKTOPS")
_SIDES = 4
_INPUT_SAID = 1
_ALL_DESKTOPS = 0xFFFFFFFF
EVERYWHERE = "all"

Edges = tuple[int, int, int, int]
"""Widths at the left, right, top and bottom edge of a window, such as those of its frame or its shadow."""


class _WindowReplies(Struct, frozen=True):
    """The server's replies about one window."""

    id: int
    values: dict[str, PropertyValue]
    place: tuple[int, int, int, int]
    process: int | None


def read_snapshot(server: X11Connection) -> ScreenSnapshot:
    """Return the windows, front first, and the monitors. Raises `SetupError` if no window manager lists windows."""
    _know_names(server)
    asked = {name: server.property(server.root, name) for name in _ROOT}
    root = {name: answer() for name, answer in asked.items()}
    if not root["_NET_SUPPORTING_WM_CHECK"]:
        raise SetupError(NO_MANAGER, "screen.manager")
    stacked = root["_NET_CLIENT_LIST_STACKING"] or root["_NET_CLIENT_LIST"]
    several = (numbers(root["_NET_NUMBER_OF_DESKTOPS"]) or (1,))[0] > 1
    replies = _ask_about(server, list(reversed(numbers(stacked))))
    shown = tuple(_read_window(server, raw, several=several) for raw in replies if _of_an_app(server, raw))
    return ScreenSnapshot(shown, read_monitors(server))


def read_window(server: X11Connection, window: int) -> ScreenWindow | None:
    """Return one window; None if it does not exist any more."""
    _know_names(server)
    desktops = server.property(server.root, "_NET_NUMBER_OF_DESKTOPS")
    replies = _ask_about(server, [window])
    several = (numbers(desktops()) or (1,))[0] > 1
    return _read_window(server, replies[0], several=several) if replies else None


def read_monitors(server: X11Connection) -> tuple[Monitor, ...]:
    """Return the monitors."""
    return tuple(
        Monitor(name, Bounds(left, top, left + width, top + height), main)
        for name, main, (left, top, width, height) in server.monitors()
    )


def frame_beyond(server: X11Connection, window: int) -> Edges:
    """Return the width of a window's frame at each edge, minus the shadow that the window draws itself."""
    frame, shadow = (server.property(window, name) for name in ("_NET_FRAME_EXTENTS", "_GTK_FRAME_EXTENTS"))
    return _beyond(frame(), shadow())


def takes_keys(server: X11Connection, window: int) -> bool:
    """Return whether a window takes the keyboard focus; a window that gives no hint counts as taking it."""
    hints = numbers(server.property(window, "WM_HINTS")())
    return len(hints) <= 1 or not hints[0] & _INPUT_SAID or bool(hints[1])


def _beyond(frame: PropertyValue, shadow: PropertyValue) -> Edges:
    outer, inner = (_edges(value) for value in (frame, shadow))
    return outer[0] - inner[0], outer[1] - inner[1], outer[2] - inner[2], outer[3] - inner[3]


def _edges(value: PropertyValue) -> Edges:
    sides = numbers(value)
    return (sides[0], sides[1], sides[2], sides[3]) if len(sides) >= _SIDES else (0, 0, 0, 0)


def _ask_about(server: X11Connection, windows: list[int]) -> list[_WindowReplies]:
    """Send all requests about all windows before reading the replies; leave out windows that no longer exist."""
    asked = [
        (
            window,
            {name: server.property(window, name) for name in _NAMES},
            server.bounds(window),
            server.process(window),
        )
        for window in windows
    ]
    replies: list[_WindowReplies] = []
    for window, properties, place, process in asked:
        values = {name: _or_none(answer) for name, answer in properties.items()}
        where, who = _or_none(place), _or_none(process)
        if where is not None:
            replies.append(_WindowReplies(window, values, where, who))
    return replies


T = TypeVar("T")


def _or_none(answer: Callable[[], T]) -> T | None:
    try:
        return answer()
    except WindowGone:
        return None


def _of_an_app(server: X11Connection, raw: _WindowReplies) -> bool:
    atoms = server.atoms(_NOT_OF_APPS)
    kinds = numbers(raw.values["_NET_WM_WINDOW_TYPE"])
    return not kinds or kinds[0] not in {atoms[name] for name in _NOT_OF_APPS}


def _read_window(server: X11Connection, raw: _WindowReplies, *, several: bool) -> ScreenWindow:
    values = raw.values
    left, right, top, bottom = _beyond(values["_NET_FRAME_EXTENTS"], values["_GTK_FRAME_EXTENTS"])
    x, y, width, height = raw.place
    atoms = server.atoms(_KNOWN)
    owner = numbers(values["WM_TRANSIENT_FOR"])
    return ScreenWindow(
        str(raw.id),
        _classes(values["WM_CLASS"]),
        _pid(raw),
        Bounds(x - left, y - top, x + width + right, y + height + bottom),
        _state(server, numbers(values["_NET_WM_STATE"])),
        _desktop(numbers(values["_NET_WM_DESKTOP"])) if several else "",
        closable=atoms["WM_DELETE_WINDOW"] in numbers(values["WM_PROTOCOLS"]),
        belongs=bool(owner) and owner[0] not in {0, server.root},
        title=_title(values["_NET_WM_NAME"]) or _title(values["WM_NAME"]),
    )


def _title(value: PropertyValue) -> str:
    return value.decode("utf-8", "replace").rstrip("\0") if isinstance(value, bytes) else ""


def _pid(raw: _WindowReplies) -> int | None:
    """Return the process id of a window; None if the window is from another machine."""
    where = raw.values["WM_CLIENT_MACHINE"]
    if isinstance(where, bytes) and where.rstrip(b"\0") not in {b"", b"localhost", os.uname().nodename.encode()}:
        return None
    claimed = numbers(raw.values["_NET_WM_PID"])
    # The server knows the real process id; the window may report the id that the process has inside a sandbox.
    return raw.process or (claimed[0] if claimed else None)


def _classes(value: PropertyValue) -> tuple[str, ...]:
    names = value.split(b"\0") if isinstance(value, bytes) else []
    return tuple(name.decode("utf-8", "replace") for name in names if name)


def _state(server: X11Connection, states: tuple[int, ...]) -> str:
    atoms = server.atoms(_KNOWN)
    if atoms["_NET_WM_STATE_MAXIMIZED_VERT"] in states and atoms[_HALF] not in states:
        states = tuple(state for state in states if state != atoms["_NET_WM_STATE_MAXIMIZED_VERT"])
    return next((word for name, word in _STATES if atoms[name] in states), "normal")


def _desktop(number: tuple[int, ...]) -> str:
    if not number:
        return ""
    return EVERYWHERE if number[0] == _ALL_DESKTOPS else str(number[0])


def numbers(value: PropertyValue) -> tuple[int, ...]:
    """Return the numbers in a property; empty if the property has no numbers."""
    return value if isinstance(value, tuple) else ()


_KNOWN = (*(name for name, _ in _STATES), _HALF, "WM_DELETE_WINDOW")


def _know_names(server: X11Connection) -> None:
    """Fetch the atom numbers of all needed names in one round trip."""
    server.atoms((*_NAMES, *_ROOT, *_KNOWN, *_NOT_OF_APPS))


_PAGER = 2
"""Tells the window manager that a request comes from a tool of the person, not from the window's program."""
_REMOVE, _ADD = 0, 1
_ICONIC = 3
_NORTH_WEST = 1
_ALL_FOUR = 0xF << 8
_MAXIMISED = ("_NET_WM_STATE_MAXIMIZED_VERT", "_NET_WM_STATE_MAXIMIZED_HORZ")
_FULLSCREEN = ("_NET_WM_STATE_FULLSCREEN",)


def front(server: X11Connection, window: int) -> None:
    """Request that a window comes to the front with the keyboard focus, and that its desktop is shown."""
    asked = server.property(window, "_NET_WM_DESKTOP"), server.property(server.root, "_NET_CURRENT_DESKTOP")
    of_window, shown = (numbers(answer()) for answer in asked)
    if of_window and shown and of_window[0] not in {shown[0], _ALL_DESKTOPS}:
        server.tell(server.root, "_NET_CURRENT_DESKTOP", of_window[0])
    server.tell(window, "_NET_ACTIVE_WINDOW", _PAGER)
    server.sync()


def close(server: X11Connection, window: int) -> None:
    """Ask a window to close; its program may ask the person first."""
    server.tell(window, "_NET_CLOSE_WINDOW", 0, _PAGER)
    server.sync()


def move(server: X11Connection, window: int, to: Bounds) -> None:
    """Request that the visible part of a window, including its frame, gets these bounds."""
    left, right, top, bottom = frame_beyond(server, window)
    frame = tuple(max(edge, 0) for edge in (left, right, top, bottom))
    # The position is that of the frame, but the size is that of the window inside it.
    at = to.left - left + frame[0], to.top - top + frame[2]
    size = max(1, to.width - left - right), max(1, to.height - top - bottom)
    server.tell(
        window, "_NET_MOVERESIZE_WINDOW", _NORTH_WEST | _ALL_FOUR | (_PAGER << 12), *(_word(n) for n in (*at, *size))
    )
    server.sync()


def leave_states(server: X11Connection, window: int, state: str) -> None:
    """Request that a window leaves its state, even if it is maximised in only one direction."""
    if state == "minimised":
        server.map(window)
    _states(server, window, _REMOVE, _FULLSCREEN)
    _states(server, window, _REMOVE, _MAXIMISED)
    server.sync()


def enter_state(server: X11Connection, window: int, state: str) -> None:
    """Request that a window enters a state."""
    match state:
        case "maximised":
            _states(server, window, _ADD, _MAXIMISED)
        case "fullscreen":
            _states(server, window, _ADD, _FULLSCREEN)
        case "minimised":
            server.tell(window, "WM_CHANGE_STATE", _ICONIC)
        case _:
            return
    server.sync()


def to_desktop(server: X11Connection, window: int, desktop: str) -> None:
    """Request that a window is moved to a desktop."""
    number = _ALL_DESKTOPS if desktop == EVERYWHERE else int(desktop)
    server.tell(window, "_NET_WM_DESKTOP", number, _PAGER)
    server.sync()


def _states(server: X11Connection, window: int, how: int, names: tuple[str, ...]) -> None:
    atoms = server.atoms(names)
    numbers = [atoms[name] for name in names]
    server.tell(window, "_NET_WM_STATE", how, *numbers, *[0] * (2 - len(numbers)), _PAGER)


def _word(number: int) -> int:
    """Return a number as an unsigned 32-bit word, as X11 messages require."""
    return number & 0xFFFFFFFF


QUIET_SECONDS = 0.25
"""Seconds without a change after which a window is considered at rest.

The requested size is not always reached, because some programs resize in steps.
"""


class X11Display:
    """The display of an X server."""

    name = "x11"
    why = "DISPLAY leads to an X session"
    fix = "start sayso from within your desktop"

    def __init__(self, display: str) -> None:
        self._display = display

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["X11Screen"]:
        try:
            server = await _in_time(lambda: X11Connection(self._display), X11Connection.close)
        except ProviderError as error:
            raise SetupError(
                f"no X server answers on {self._display!r} (DISPLAY): {error}", "screen.missing"
            ) from error
        screen = X11Screen(server)
        try:
            yield screen
        finally:
            if screen.silent:
                server.cut()
            else:
                server.close()


class X11Screen:
    """The screen of an X server; each call is one exchange in a thread, with a time limit."""

    def __init__(self, server: X11Connection) -> None:
        self._server = server
        self._watch = WindowWatch(self._find_window, QUIET_SECONDS)
        self.silent = False
        """Whether the server stopped answering; if so, a thread may still wait on the connection, so nothing may use
        it.
        """

    async def look(self) -> ScreenSnapshot:
        return await self._ask(read_snapshot)

    async def idle(self) -> float | None:
        return await self._ask(X11Connection.idle)

    async def active(self, window: str) -> bool:
        number = int(window)

        def is_active(server: X11Connection) -> bool:
            asked = [server.property(server.root, name) for name in ("_NET_ACTIVE_WINDOW", "_NET_CLIENT_LIST_STACKING")]
            active, stacked = (_last(answer()) for answer in asked)
            return active == number or (stacked == number and not takes_keys(server, number))

        return await self._ask(is_active)

    async def front(self, window: str) -> None:
        """Request that a window comes to the front."""
        await self._ask(lambda server: front(server, int(window)))

    async def close(self, window: str) -> None:
        """Ask a window to close."""
        await self._ask(lambda server: close(server, int(window)))

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Give a window bounds, a state and a desktop, and wait until it no longer changes."""
        return await WindowPlacer(self, self._watch).place(window, to, state, desktop, former)

    async def to_desktop(self, window: str, desktop: str) -> None:
        await self._ask(lambda server: to_desktop(server, int(window), desktop))

    async def leave_states(self, window: str, state: str) -> None:
        await self._ask(lambda server: leave_states(server, int(window), state))

    async def move(self, window: str, to: Bounds) -> None:
        await self._ask(lambda server: move(server, int(window), to))

    async def enter_state(self, window: str, state: str) -> None:
        await self._ask(lambda server: enter_state(server, int(window), state))

    async def _find_window(self, window: str) -> ScreenWindow | None:
        return await self._ask(lambda server: read_window(server, int(window)))

    async def _ask(self, question: Callable[[X11Connection], T]) -> T:
        try:
            return await _in_time(lambda: question(self._server))
        except WindowGone:
            raise ProviderError("the window was closed meanwhile", "window.missing") from None
        except ProviderError:
            self.silent = True
            raise


async def _in_time(exchange: Callable[[], T], too_late: Callable[[T], object] = keep_nothing) -> T:
    try:
        return await in_time(exchange, SECONDS, too_late)
    except CallTimeout:
        raise ProviderError(f"the X server did not answer within {SECONDS:g} seconds", SILENT) from None
    except Exception as error:
        if not is_disconnect(error):
            raise
        raise ProviderError("the X server has ended the connection", SILENT) from error


def _last(value: PropertyValue) -> int:
    return value[-1] if isinstance(value, tuple) and value else 0


def build(context: BackendContext) -> LinuxAppsBackend:
    """Return the back end for the X session that DISPLAY names. Raises `SetupError` if the variable is not set."""
    display = context.environ.get("DISPLAY")
    if not display:
        raise SetupError(
            "there is no X session here: DISPLAY is not set; start sayso from your desktop", "screen.missing"
        )
    return linux_backend(context, X11Display(display))
