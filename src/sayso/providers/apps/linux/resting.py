"""Watch one window until it is as wanted, or nothing moves any more."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import anyio

from sayso.core.errors import ProviderError
from sayso.providers.apps.linux.screen import Shown
from sayso.providers.apps.linux.waiting import until

REST_SECONDS = 2.0
"""How long a window may take to come to rest."""


class Resting:
    """Looks at the windows of one screen; `look` returns one of them, None where it is closed."""

    def __init__(self, look: Callable[[str], Awaitable[Shown | None]], quiet: float) -> None:
        self._look = look
        self._quiet = quiet

    async def one(self, window: str) -> Shown:
        """Return a window as it is now. Raises `ProviderError` for one that was closed."""
        found = await self._look(window)
        if found is None:
            raise ProviderError("the window was closed meanwhile", "window.missing")
        return found

    async def rest(self, window: str, wanted: Callable[[Shown], bool], quiet: float | None = None) -> bool:
        """Wait until a window is as wanted, or has not changed for `quiet` seconds; say whether it is as wanted."""
        quiet = self._quiet if quiet is None else quiet
        last: Shown | None = None
        since = anyio.current_time()

        async def at_rest() -> bool:
            nonlocal last, since
            now = await self.one(window)
            if last is None or replace(now, classes=()) != replace(last, classes=()):
                last, since = now, anyio.current_time()
            return wanted(now) or anyio.current_time() - since >= quiet

        await until(at_rest, REST_SECONDS)
        return last is not None and wanted(last)
