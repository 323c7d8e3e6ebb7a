"""A connection to an X server: properties, messages and geometry, with many requests in one round trip.

Calls run in a thread with a time limit.
"""

import os
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Generic, TypeVar, cast

import anyio
import xcffib as _xcffib
import xcffib.randr as _randr
import xcffib.res as _res
import xcffib.screensaver as _screensaver
import xcffib.xproto as _xproto

T = TypeVar("T")

# The library has no type annotations.
_MODULES = (_xcffib, _randr, _res, _screensaver, _xproto)
xcffib, randr, res, screensaver, xproto = (cast("Any", module) for module in _MODULES)
_MOST_UNITS = 2**16
_NUMBERS = 32
"""The format of a property that contains numbers."""
_ONLY_IF_KNOWN = _TAKE_AWAY = _PROPAGATE = False
_ON_THIS_MACHINE = 2
"""The bit that requests the process id of a client (X-Resource 1.2)."""
PendingReply = Callable[[], T]
PropertyValue = tuple[int, ...] | bytes | None
"""The value of a property: numbers, bytes, or None if it is not set."""


class WindowGone(Exception):
    """The window does not exist any more."""


class X11Connection:
    """A connection to an X server. Its calls block, so an event loop must make them in a thread."""

    def __init__(self, display: str) -> None:
        self._x = xcffib.connect(display=display)
        self.root: int = self._x.get_setup().roots[self._x.pref_screen].root
        self._atoms: dict[str, int] = {}

    def close(self) -> None:
        """Disconnect."""
        self._x.disconnect()

    def cut(self) -> None:
        """Break the connection, so that a call waiting on it in another thread ends."""
        # A connection that has already ended raises one of these errors.
        gone = suppress(OSError, xcffib.ConnectionException)
        with gone, socket.socket(fileno=os.dup(self._x.get_file_descriptor())) as same:
            same.shutdown(socket.SHUT_RDWR)

    def atoms(self, names: Iterable[str]) -> Mapping[str, int]:
        """Return the atom numbers of names; unknown ones are requested together in one round trip."""
        asked = [
            (name, self._x.core.InternAtom(_ONLY_IF_KNOWN, len(name), name))
            for name in names
            if name not in self._atoms
        ]
        self._atoms |= {name: cookie.reply().atom for name, cookie in asked}
        return self._atoms

    def property(self, window: int, name: str) -> PendingReply[PropertyValue]:
        """Request a property; the returned function fetches the reply."""
        cookie = self._x.core.GetProperty(_TAKE_AWAY, window, self.atoms((name,))[name], 0, 0, _MOST_UNITS)
        return lambda: _value(_reply(cookie))

    def bounds(self, window: int) -> PendingReply[tuple[int, int, int, int]]:
        """Request a window's bounds on the screen without its frame; the reply is left, top, width and height."""
        size, place = self._x.core.GetGeometry(window), self._x.core.TranslateCoordinates(window, self.root, 0, 0)

        def answer() -> tuple[int, int, int, int]:
            # Both replies are fetched even if one fails, so that no reply remains unread on the connection.
            found = [_or_gone(cookie) for cookie in (size, place)]
            if isinstance(found[0], WindowGone) or isinstance(found[1], WindowGone):
                raise WindowGone
            return found[1].dst_x, found[1].dst_y, found[0].width, found[0].height

        return answer

    def process(self, window: int) -> PendingReply[int | None]:
        """Request the process id of a window from the server; the reply is None if the server does not know it."""
        if not self._has_extension("X-Resource"):
            return lambda: None
        spec = res.ClientIdSpec.synthetic(window, _ON_THIS_MACHINE)
        cookie = self._x(res.key).QueryClientIds(1, [spec])

        def answer() -> int | None:
            ids = [one for one in _reply(cookie).ids if one.spec.mask & _ON_THIS_MACHINE]
            return next((int(one.value[0]) for one in ids if len(one.value)), None)

        return answer

    def idle(self) -> float | None:
        """Return the seconds since the last input; None if the server cannot tell (MIT-SCREEN-SAVER)."""
        if not self._has_extension("MIT-SCREEN-SAVER"):
            return None
        return _reply(self._x(screensaver.key).QueryInfo(self.root)).ms_since_user_input / 1000

    def monitors(self) -> list[tuple[str, bool, tuple[int, int, int, int]]]:
        """Return each monitor's name, whether it is the main one, and its left, top, width and height (RandR 1.5)."""
        found = self._x(randr.key).GetMonitors(self.root, 1).reply().monitors
        names = [self._x.core.GetAtomName(one.name) for one in found]
        return [
            (_text(name.reply().name), bool(one.primary), (one.x, one.y, one.width, one.height))
            for one, name in zip(found, names, strict=True)
        ]

    def tell(self, window: int, message: str, *data: int) -> None:
        """Send a message about a window to the window manager."""
        five = xproto.ClientMessageData.synthetic([*data, *[0] * (5 - len(data))], "I" * 5)
        event = xproto.ClientMessageEvent.synthetic(32, window, self.atoms((message,))[message], five)
        mask = xproto.EventMask.SubstructureRedirect | xproto.EventMask.SubstructureNotify
        self._x.core.SendEvent(_PROPAGATE, self.root, mask, event.pack())

    def map(self, window: int) -> None:
        """Request that a window is shown."""
        self._x.core.MapWindow(window)

    def sync(self) -> None:
        """Wait until the server has processed all requests sent so far."""
        self._x.core.GetInputFocus().reply()

    def _has_extension(self, extension: str) -> bool:
        key = f"extension {extension}"
        if key not in self._atoms:
            self._atoms[key] = int(self._x.core.QueryExtension(len(extension), extension).reply().present)
        return bool(self._atoms[key])


def is_disconnect(error: BaseException) -> bool:
    """Return whether an exception means that the connection has ended."""
    return isinstance(error, xcffib.ConnectionException)


def _value(reply: Any) -> PropertyValue:
    if not reply.type:
        return None
    return tuple(reply.value.to_atoms()) if reply.format == _NUMBERS else bytes(reply.value.buf())


def _text(name: Any) -> str:
    return bytes(name.buf()).decode("utf-8", "replace")


def _or_gone(cookie: Any) -> Any:
    try:
        return _reply(cookie)
    except WindowGone as gone:
        return gone


def _reply(cookie: Any) -> Any:
    try:
        return cookie.reply()
    except xcffib.Error as error:
        raise WindowGone from error


class CallTimeout(Exception):
    """The call did not return in time; it may still be running."""


class _ThreadCall(Generic[T]):
    """One call in a new thread."""

    def __init__(self, call: Callable[[], T], too_late: Callable[[T], object], done: int) -> None:
        self._call = call
        self._too_late = too_late
        self._done = done
        self._lock = threading.Lock()
        self._given_up = False
        self.found: list[T] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        """Make the call, and close the pipe to signal its end."""
        try:
            # An error is stored and raised again in the waiting task.
            with suppress(BaseException):
                try:
                    found = self._call()
                    with self._lock:
                        self.found.append(found)
                        given_up = self._given_up
                    if given_up:
                        self._too_late(found)
                finally:
                    self.error = sys.exception()
        finally:
            os.close(self._done)

    def give_up(self) -> None:
        """Discard the result, whether it arrives later or has just arrived."""
        with self._lock:
            self._given_up = True
            found = list(self.found)
        for result in found:
            self._too_late(result)


def keep_nothing(found: object) -> None:
    """Ignore a late result."""


async def in_time(call: Callable[[], T], seconds: float, too_late: Callable[[T], object] = keep_nothing) -> T:
    """Run a call in a thread and return its result. Raises `CallTimeout` if it does not return in time.

    An error of the call is raised too. Even if the caller is cancelled, it waits for the call within the time limit, so
    that no other call uses the connection before this call ends. A late result is passed to `too_late`. The thread does
    not keep the process alive.
    """
    reading, writing = os.pipe()
    made = _ThreadCall(call, too_late, writing)
    threading.Thread(target=made.run, daemon=True, name="x11").start()
    try:
        with anyio.move_on_after(seconds, shield=True):
            await anyio.wait_readable(reading)
            if made.error is not None:
                raise made.error
            return made.found[0]
    finally:
        os.close(reading)
    made.give_up()
    raise CallTimeout
