"""Act on windows and applications, and wait until the screen shows it."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

import anyio
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Fact, Facts
from sayso.providers.apps.geometry import Bounds, fit_within
from sayso.providers.apps.linux.applications import AppLauncher, lives, ours
from sayso.providers.apps.linux.reads import AppsSnapshot, installed_fact
from sayso.providers.apps.linux.screen import Screen, ScreenWindow
from sayso.providers.apps.memory import WindowState, at
from sayso.providers.apps.model import (
    ActivateApp,
    AppInstalled,
    AppRunning,
    BoundsBeneath,
    OpenApp,
    OpenAppPlaced,
    PlaceNewWindow,
    PlaceWindow,
    QuitApp,
    Steps,
)

T = TypeVar("T")

POLL_SECONDS = 0.01
"""Seconds between two looks: a screen tells nobody when all that a step needs has come about."""


async def until(look: Callable[[], Awaitable[T | None]], seconds: float) -> T | None:
    """Return what `look` returns as soon as that is something; None when it is not in time."""
    with anyio.move_on_after(seconds):
        while True:
            found = await look()
            if found:
                return found
            await anyio.sleep(POLL_SECONDS)
    return None


REST_SECONDS = 2.0
"""How long a window may take to come to rest."""


class WindowWatch:
    """Looks at the windows of one screen; `look` returns one of them, None where it is closed."""

    def __init__(self, look: Callable[[str], Awaitable[ScreenWindow | None]], quiet: float) -> None:
        self._look = look
        self._quiet = quiet

    async def one(self, window: str) -> ScreenWindow:
        """Return a window as it is now. Raises `ProviderError` for one that was closed."""
        found = await self._look(window)
        if found is None:
            raise ProviderError("the window was closed meanwhile", "window.missing")
        return found

    async def rest(self, window: str, wanted: Callable[[ScreenWindow], bool], quiet: float | None = None) -> bool:
        """Wait until a window is as wanted, or has not changed for `quiet` seconds; say whether it is as wanted."""
        quiet = self._quiet if quiet is None else quiet
        last: ScreenWindow | None = None
        since = anyio.current_time()

        async def at_rest() -> bool:
            nonlocal last, since
            now = await self.one(window)
            if last is None or replace(now, classes=()) != replace(last, classes=()):
                last, since = now, anyio.current_time()
            return wanted(now) or anyio.current_time() - since >= quiet

        await until(at_rest, REST_SECONDS)
        return last is not None and wanted(last)


class WindowRequests(Protocol):
    """What such a screen may be asked about one window; nothing waits until it has come about."""

    async def to_desktop(self, window: str, desktop: str) -> None:
        """Ask for a window to stand on a desktop."""
        ...

    async def plain(self, window: str, state: str) -> None:
        """Ask for a window to leave a state."""
        ...

    async def move(self, window: str, to: Bounds) -> None:
        """Ask for bounds."""
        ...

    async def into(self, window: str, state: str) -> None:
        """Ask for a window to get into a state."""
        ...


class WindowPlacer:
    """Asks for one thing after the other, each once the window has come to rest."""

    def __init__(self, asking: WindowRequests, windows: WindowWatch) -> None:
        self._asking = asking
        self._windows = windows

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Place a window as `Screen.place` says; return the bounds that it had beneath its state."""
        if desktop:
            await self._asking.to_desktop(window, desktop)
        beneath = await self._plain(window)
        await self._move_window(window, (former or to) if state != "normal" else to)
        if state != "normal":
            await self._asking.into(window, state)
            hidden = state == "minimised"
            await self._windows.rest(window, lambda now: now.state == state and (hidden or now.bounds == to))
        return beneath

    async def _plain(self, window: str) -> Bounds | None:
        """Take a window out of its state; return the bounds that came to light."""
        now = await self._windows.one(window)
        await self._asking.plain(window, now.state)
        if now.state == "normal":
            return None
        await self._windows.rest(window, lambda then: then.state == "normal" and then.bounds != now.bounds)
        # Frame and bounds come back one after the other: what was beneath is known once nothing moves any more.
        await self._windows.rest(window, lambda _: False)
        then = await self._windows.one(window)
        return then.bounds if now.state != "minimised" else None

    async def _move_window(self, window: str, to: Bounds) -> None:
        before = (await self._windows.one(window)).bounds
        await self._asking.move(window, to)
        await self._windows.rest(window, lambda now: now.bounds == to)
        now = await self._windows.one(window)
        right, down = to.left - now.bounds.left, to.top - now.bounds.top
        if now.bounds != before and (right or down):
            # Some window managers count from elsewhere than they should; they are told where that went.
            again = Bounds(to.left + right, to.top + down, to.right + right, to.bottom + down)
            await self._asking.move(window, again)
            await self._windows.rest(window, lambda now: now.bounds == to)


FRONT_SECONDS = 2.0
LAUNCH_SECONDS = 20.0
"""How long an application may take to show its first window."""


class AppActions:
    """The deeds on one open screen."""

    def __init__(self, screen: Screen, menu: AppLauncher, look: Callable[[], Awaitable[AppsSnapshot]]) -> None:
        self._screen = screen
        self._menu = menu
        self._look = look

    async def do(self, step: Steps, expects: Facts) -> Facts:
        """Carry a step out; what it expects was checked."""
        match step:
            case OpenApp(name, _, token):
                return await self._open_application(name, token, expects)
            case ActivateApp(name):
                return await self._raise_application(name)
            case QuitApp(name, seconds):
                return await self._quit(name, seconds)
            case PlaceWindow():
                return await self._place_window(step, _beneath(expects))
            case PlaceNewWindow(name, left, top, right, bottom, fit):
                return await self._place_front_window(name, Bounds(left, top, right, bottom), fit=fit)
            case OpenAppPlaced(name, _, left, top, right, bottom, fit, token):
                opened = await self._open_application(name, token, expects)
                try:
                    placed = await self._place_front_window(name, Bounds(left, top, right, bottom), fit=fit)
                except ProviderError as odd:
                    raise Uncertain(f"{name} was opened, but not placed: {odd}", "window.not_placed") from odd
                return (*opened, *placed)

    async def _open_application(self, name: str, token: str, expects: Facts) -> Facts:
        sight = await self._look()
        if sight.of(name):
            return await self._raise_application(name)
        wanted = {fact.id for fact in expects if isinstance(fact, AppInstalled)}
        entry = next(
            (one for one in sight.installed.menu_entries() if one.name == name and installed_fact(one).id in wanted),
            None,
        )
        if entry is None:
            raise ProviderError(f"{name} does not run any more and was not launched", "app.not_running")
        await self._menu.start(entry, sight.installed, token)
        running = await until(lambda: self._running(name), LAUNCH_SECONDS)
        if running is None:
            raise Uncertain(
                f"{name} was started, but showed no window within {LAUNCH_SECONDS:g} seconds", "app.no_window"
            )
        return (running,)

    async def _running(self, name: str) -> Fact | None:
        instances = (await self._look()).of(name)
        return AppRunning(name, instances) if instances else None

    async def _raise_application(self, name: str) -> Facts:
        window = await self._front_window(name)
        await self._screen.front(window.id)
        if not await until(lambda: self._screen.active(window.id), FRONT_SECONDS):
            raise ProviderError(f"{name} did not come to the front; the desktop held it back", "app.held_back")
        return (AppRunning(name, (await self._look()).of(name)),)

    async def _front_window(self, name: str) -> WindowState:
        window = next((one for one in (await self._look()).windows if one.app == name), None)
        if window is None:
            raise ProviderError(f"{name} has no window", "window.missing")
        return window

    async def _quit(self, name: str, seconds: int) -> Facts:
        sight = await self._look()
        instances = set(sight.of(name))
        if instances & ours():
            raise ProviderError(
                f"sayso itself was started in {name}, and would end with it; quit it by hand", "app.own"
            )
        windows = [window for window in sight.windows if window.app == name]
        deaf = {window.id for window in sight.all_of(name) if not window.closable}
        if deaf & {window.id for window in windows}:
            raise ProviderError(f"{name} has a window that cannot be asked to close; quit it by hand", "app.deaf")
        for window in windows:
            await self._screen.close(window.id)

        async def ended() -> bool:
            shown = (await self._look()).instances
            return not any(lives(one) for one in instances) and not instances & {one for one, _ in shown}

        if not await until(ended, seconds):
            raise ProviderError(await self._why_not_ended(name, seconds, len(windows)), "app.still_running")
        return (AppRunning(name, ()),)

    async def _why_not_ended(self, name: str, seconds: int, before: int) -> str:
        left = len([window for window in (await self._look()).windows if window.app == name])
        if not left:
            return f"{name} has closed its windows, and still runs in the background {seconds} s after it was asked"
        closed = f"; {before - left} of its {before} windows closed" if left < before else ""
        return f"{name} is still running {seconds} s after it was asked to quit; it may be asking you something{closed}"

    async def _place_window(self, step: PlaceWindow, former: Bounds | None = None) -> Facts:
        to = Bounds(step.left, step.top, step.right, step.bottom)
        before = (await self._look()).window(step.window)
        beneath = await self._screen.place(step.window, to, step.state, step.desktop, former)
        after = (await self._look()).window(step.window)
        if before is None or after is None:
            raise ProviderError(f"the window of {step.name} was closed meanwhile", "window.missing")
        if after == before and (after.bounds, after.state) != (to, step.state):
            raise ProviderError(
                f"the window of {step.name} stays where it is; it, or the desktop, does not let it be moved",
                "window.stuck",
            )
        return (at(after), *([_as_fact(step.window, beneath)] if beneath else []))

    async def _place_front_window(self, name: str, to: Bounds, *, fit: bool) -> Facts:
        window = await self._front_window(name)
        to = fit_within(window.bounds, to) if fit else to
        return await self._place_window(PlaceWindow(name, window.id, to.left, to.top, to.right, to.bottom))


def _as_fact(id_: str, bounds: Bounds) -> BoundsBeneath:
    return BoundsBeneath(id_, bounds.left, bounds.top, bounds.right, bounds.bottom)


def _beneath(expects: Facts) -> Bounds | None:
    known = next((fact for fact in expects if isinstance(fact, BoundsBeneath)), None)
    return Bounds(known.left, known.top, known.right, known.bottom) if known else None
