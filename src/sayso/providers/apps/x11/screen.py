"""The screen of an X session, and what is asked of its window manager."""

import os
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Generic, TypeVar

import anyio

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.actions import Placing, Resting
from sayso.providers.apps.linux.screen import SECONDS, SILENT, Look, Shown
from sayso.providers.apps.x11 import windows
from sayso.providers.apps.x11.connection import Gone, Value, Wire, broken
from sayso.providers.apps.x11.windows import EVERYWHERE, around, numbers

T = TypeVar("T")


class Late(Exception):
    """The call did not return in time; it may still be running."""


class _Call(Generic[T]):
    """One call in a thread of its own."""

    def __init__(self, call: Callable[[], T], too_late: Callable[[T], object], done: int) -> None:
        self._call = call
        self._too_late = too_late
        self._done = done
        self._lock = threading.Lock()
        self._given_up = False
        self.found: list[T] = []
        self.odd: BaseException | None = None

    def run(self) -> None:
        """Make the call, and say that it is over by closing the pipe."""
        try:
            # What it raises is raised again where it is waited for.
            with suppress(BaseException):
                try:
                    found = self._call()
                    with self._lock:
                        self.found.append(found)
                        given_up = self._given_up
                    if given_up:
                        self._too_late(found)
                finally:
                    self.odd = sys.exception()
        finally:
            os.close(self._done)

    def give_up(self) -> None:
        """Let what comes late be put away; what came meanwhile is put away now."""
        with self._lock:
            self._given_up = True
            found = list(self.found)
        for one in found:
            self._too_late(one)


def nothing(found: object) -> None:
    """Put nothing away."""


async def in_time(call: Callable[[], T], seconds: float, too_late: Callable[[T], object] = nothing) -> T:
    """Return what a call returns. Raises what it raises, and `Late` when it does not return in time.

    Whoever waits may give up meanwhile; the call is waited for all the same, within its time, so that the next one
    does not meet it on the same connection. What a late call returns is given to `too_late`. The thread does not
    keep the process from ending.
    """
    reading, writing = os.pipe()
    made = _Call(call, too_late, writing)
    threading.Thread(target=made.run, daemon=True, name="x11").start()
    try:
        with anyio.move_on_after(seconds, shield=True):
            await anyio.wait_readable(reading)
            if made.odd is not None:
                raise made.odd
            return made.found[0]
    finally:
        os.close(reading)
    made.give_up()
    raise Late


_PAGER = 2

"""Who asks: a tool that the person uses, not the window's own program."""

_REMOVE, _ADD = 0, 1

_ICONIC = 3

_NORTH_WEST = 1

_ALL_FOUR = 0xF << 8

_MAXIMISED = ("_NET_WM_STATE_MAXIMIZED_VERT", "_NET_WM_STATE_MAXIMIZED_HORZ")

_FULLSCREEN = ("_NET_WM_STATE_FULLSCREEN",)

_ALL_DESKTOPS = 0xFFFFFFFF


def front(wire: Wire, window: int) -> None:
    """Ask for a window to come to the front, with the keyboard, and for its desktop to be the one that is shown."""
    asked = wire.property(window, "_NET_WM_DESKTOP"), wire.property(wire.root, "_NET_CURRENT_DESKTOP")
    of_window, shown = (numbers(answer()) for answer in asked)
    if of_window and shown and of_window[0] not in {shown[0], _ALL_DESKTOPS}:
        wire.tell(wire.root, "_NET_CURRENT_DESKTOP", of_window[0])
    wire.tell(window, "_NET_ACTIVE_WINDOW", _PAGER)
    wire.sync()


def close(wire: Wire, window: int) -> None:
    """Ask a window to close; its program may ask a question first."""
    wire.tell(window, "_NET_CLOSE_WINDOW", 0, _PAGER)
    wire.sync()


def move(wire: Wire, window: int, to: Bounds) -> None:
    """Ask for bounds that hold for what a person sees of the window."""
    left, right, top, bottom = around(wire, window)
    frame = tuple(max(edge, 0) for edge in (left, right, top, bottom))
    # The position is that of the frame, the size that of the window in it.
    at = to.left - left + frame[0], to.top - top + frame[2]
    size = max(1, to.width - left - right), max(1, to.height - top - bottom)
    wire.tell(
        window, "_NET_MOVERESIZE_WINDOW", _NORTH_WEST | _ALL_FOUR | (_PAGER << 12), *(_word(n) for n in (*at, *size))
    )
    wire.sync()


def plain(wire: Wire, window: int, state: str) -> None:
    """Ask for a window to leave a state, and what is half a state."""
    if state == "minimised":
        wire.map(window)
    _states(wire, window, _REMOVE, _FULLSCREEN)
    _states(wire, window, _REMOVE, _MAXIMISED)
    wire.sync()


def into(wire: Wire, window: int, state: str) -> None:
    """Ask for a window to get into a state."""
    match state:
        case "maximised":
            _states(wire, window, _ADD, _MAXIMISED)
        case "fullscreen":
            _states(wire, window, _ADD, _FULLSCREEN)
        case "minimised":
            wire.tell(window, "WM_CHANGE_STATE", _ICONIC)
        case _:
            return
    wire.sync()


def to_desktop(wire: Wire, window: int, desktop: str) -> None:
    """Ask for a window to stand on a desktop."""
    number = _ALL_DESKTOPS if desktop == EVERYWHERE else int(desktop)
    wire.tell(window, "_NET_WM_DESKTOP", number, _PAGER)
    wire.sync()


def _states(wire: Wire, window: int, how: int, names: tuple[str, ...]) -> None:
    atoms = wire.atoms(names)
    numbers = [atoms[name] for name in names]
    wire.tell(window, "_NET_WM_STATE", how, *numbers, *[0] * (2 - len(numbers)), _PAGER)


def _word(number: int) -> int:
    """Return a number as the message carries it: negative ones counted down from the top."""
    return number & 0xFFFFFFFF


QUIET_SECONDS = 0.25

"""A window that has not moved for this long will not: programs that grow in steps never reach the exact size."""


class XScreens:
    """The way to the X server of a display."""

    name = "x11"
    why = "DISPLAY leads to an X session"
    fix = "start sayso from within your desktop"

    def __init__(self, display: str) -> None:
        self._display = display

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["XScreen"]:
        """Connect. Raises `SetupError` when no X server answers there."""
        try:
            wire = await _in_time(lambda: Wire(self._display), Wire.close)
        except ProviderError as odd:
            raise SetupError(f"no X server answers on {self._display!r} (DISPLAY): {odd}", "screen.missing") from odd
        screen = XScreen(wire)
        try:
            yield screen
        finally:
            if screen.silent:
                wire.cut()
            else:
                wire.close()


class XScreen:
    """An open connection; each call is one exchange in a thread, bounded in time."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._windows = Resting(self._find, QUIET_SECONDS)
        self.silent = False
        """It stopped answering: a thread may still be waiting on the connection, so nobody else touches it."""

    async def look(self) -> Look:
        """Return what is there."""
        return await self._ask(windows.look)

    async def idle(self) -> float | None:
        """Return for how many seconds nobody has touched keyboard or mouse."""
        return await self._ask(Wire.idle)

    async def active(self, window: str) -> bool:
        """Say whether a window has the keyboard, or stands before all others where it takes none."""
        number = int(window)

        def is_it(wire: Wire) -> bool:
            asked = [wire.property(wire.root, name) for name in ("_NET_ACTIVE_WINDOW", "_NET_CLIENT_LIST_STACKING")]
            active, stacked = (_last(answer()) for answer in asked)
            return active == number or (stacked == number and not windows.takes_keys(wire, number))

        return await self._ask(is_it)

    async def front(self, window: str) -> None:
        """Ask for a window to come to the front."""
        await self._ask(lambda wire: front(wire, int(window)))

    async def close(self, window: str) -> None:
        """Ask a window to close."""
        await self._ask(lambda wire: close(wire, int(window)))

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Give a window bounds, a state and a desktop, and wait until it has come to rest."""
        return await Placing(self, self._windows).place(window, to, state, desktop, former)

    async def to_desktop(self, window: str, desktop: str) -> None:
        """Ask for a window to stand on a desktop."""
        await self._ask(lambda wire: to_desktop(wire, int(window), desktop))

    async def plain(self, window: str, state: str) -> None:
        """Ask for a window to leave a state."""
        await self._ask(lambda wire: plain(wire, int(window), state))

    async def move(self, window: str, to: Bounds) -> None:
        """Ask for bounds."""
        await self._ask(lambda wire: move(wire, int(window), to))

    async def into(self, window: str, state: str) -> None:
        """Ask for a window to get into a state."""
        await self._ask(lambda wire: into(wire, int(window), state))

    async def _find(self, window: str) -> Shown | None:
        return await self._ask(lambda wire: windows.one(wire, int(window)))

    async def _ask(self, question: Callable[[Wire], T]) -> T:
        try:
            return await _in_time(lambda: question(self._wire))
        except Gone:
            raise ProviderError("the window was closed meanwhile", "window.missing") from None
        except ProviderError:
            self.silent = True
            raise


async def _in_time(exchange: Callable[[], T], too_late: Callable[[T], object] = nothing) -> T:
    try:
        return await in_time(exchange, SECONDS, too_late)
    except Late:
        raise ProviderError(f"the X server did not answer within {SECONDS:g} seconds", SILENT) from None
    except Exception as odd:
        if not broken(odd):
            raise
        raise ProviderError("the X server has ended the connection", SILENT) from odd


def _last(value: Value) -> int:
    return value[-1] if isinstance(value, tuple) and value else 0
