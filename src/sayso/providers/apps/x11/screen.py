"""The screen of an X session, for the backend of a Linux desktop."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.placing import Placing
from sayso.providers.apps.linux.resting import Resting
from sayso.providers.apps.linux.screen import SECONDS, SILENT, Look, Shown
from sayso.providers.apps.x11 import asking, windows
from sayso.providers.apps.x11.exchange import Late, in_time, nothing
from sayso.providers.apps.x11.wire import Gone, Value, Wire, broken

T = TypeVar("T")

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
        await self._ask(lambda wire: asking.front(wire, int(window)))

    async def close(self, window: str) -> None:
        """Ask a window to close."""
        await self._ask(lambda wire: asking.close(wire, int(window)))

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Give a window bounds, a state and a desktop, and wait until it has come to rest."""
        return await Placing(self, self._windows).place(window, to, state, desktop, former)

    async def to_desktop(self, window: str, desktop: str) -> None:
        """Ask for a window to stand on a desktop."""
        await self._ask(lambda wire: asking.to_desktop(wire, int(window), desktop))

    async def plain(self, window: str, state: str) -> None:
        """Ask for a window to leave a state."""
        await self._ask(lambda wire: asking.plain(wire, int(window), state))

    async def move(self, window: str, to: Bounds) -> None:
        """Ask for bounds."""
        await self._ask(lambda wire: asking.move(wire, int(window), to))

    async def into(self, window: str, state: str) -> None:
        """Ask for a window to get into a state."""
        await self._ask(lambda wire: asking.into(wire, int(window), state))

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
