"""The screen of KDE on Wayland."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict

from sayso.core.encoding import Json
from sayso.core.errors import SetupError, Uncertain
from sayso.core.ports import Ground, Ids
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.kwin import script as told
from sayso.providers.apps.kwin.script import FIX, Script, running
from sayso.providers.apps.linux.actions import Placing, Resting
from sayso.providers.apps.linux.backend import Desktop, desktop
from sayso.providers.apps.linux.screen import Look, Shown
from sayso.providers.dbus.session import ADDRESS

QUIET_SECONDS = 0.25

"""A window that has not moved for this long will not."""

LATE = "window.late"

LOOK: Mapping[str, Json] = {"what": "look"}


class KwinScreens:
    """The way to the KWin of a session."""

    name = "kwin"
    why = "XDG_CURRENT_DESKTOP names KDE, and KWin answers on D-Bus"
    fix = FIX

    def __init__(self, environ: Mapping[str, str], ids: Ids) -> None:
        self._environ = environ
        self._ids = ids

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["KwinScreen"]:
        """Have KWin run our script. Raises `SetupError` when no KWin answers."""
        async with running(self._environ, f"sayso-{self._ids.token()}") as script:
            yield KwinScreen(script)


class KwinScreen:
    """A script that runs in KWin."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._windows = Resting(self._find, QUIET_SECONDS)

    async def look(self) -> Look:
        """Return what is there."""
        answer = await self._script.ask(LOOK)
        filling = [window.id for window in answer.windows if window.state == told.FILLING]
        return told.look(answer, [id_ for id_ in filling if await self._script.is_maximised(id_)])

    async def active(self, window: str) -> bool:
        """Say whether a window has the keyboard."""
        return (await self._script.ask(LOOK)).active == window

    async def front(self, window: str) -> None:
        """Give a window the keyboard, on whatever desktop it is."""
        await self._do("front", window)

    async def close(self, window: str) -> None:
        """Ask a window to close."""
        await self._do("close", window)

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Give a window bounds, a state and a desktop, and wait until it has come to rest.

        Raises `Uncertain` when its program does not answer: nothing calls back what KWin asked of it.
        """
        before = (await self._windows.one(window)).bounds
        beneath = await Placing(self, self._windows).place(window, to, state, desktop, former)
        # A program may refuse a size, but has no say in where its window is.
        elsewhere = (before.left, before.top) != (to.left, to.top)
        if elsewhere and before == (await self._windows.one(window)).bounds:
            raise Uncertain("the program of the window does not answer; the window may go there once it does", LATE)
        return beneath

    async def to_desktop(self, window: str, desktop: str) -> None:
        """Ask for a window to stand on a desktop."""
        await self._do("desktop", window, desktop=desktop)

    async def plain(self, window: str, state: str) -> None:
        """Ask for a window to leave every state it may be in."""
        await self._do("plain", window)

    async def move(self, window: str, to: Bounds) -> None:
        """Ask for bounds."""
        await self._do("move", window, to=asdict(to))

    async def into(self, window: str, state: str) -> None:
        """Ask for a window to get into a state."""
        await self._do("into", window, state=state)

    async def _do(self, what: str, window: str, **more: Json) -> None:
        await self._script.ask({"what": what, "window": window, **more})

    async def _find(self, window: str) -> Shown | None:
        return (await self.look()).window(window)


def build(ground: Ground) -> Desktop:
    """Return the backend of the KWin on the session's D-Bus. Raises `SetupError` where there is no such bus."""
    if not ground.environ.get(ADDRESS):
        raise SetupError(f"there is no KWin here: {ADDRESS} is not set; {FIX}", "screen.missing")
    return desktop(ground, KwinScreens(ground.environ, ground.ids))
