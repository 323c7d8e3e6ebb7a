"""Act on windows and applications, and wait until the screen shows the result."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import anyio
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Facts
from sayso.providers.apps.backend import poll
from sayso.providers.apps.geometry import Bounds, fit_within
from sayso.providers.apps.linux.applications import AppLauncher, is_alive, own_instances
from sayso.providers.apps.linux.reads import AppsSnapshot, installed_fact
from sayso.providers.apps.linux.screen import Screen, ScreenWindow
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
    WindowState,
)

REST_SECONDS = 2.0
"""The most seconds to wait until a window no longer changes."""


class WindowWatch:
    """Waits for changes of windows on one screen; `look` returns a window, or None if it is closed.

    A window is at rest when it has not changed for `quiet` seconds. After `limit` seconds the wait ends in any case.
    """

    def __init__(
        self, look: Callable[[str], Awaitable[ScreenWindow | None]], quiet: float, limit: float = REST_SECONDS
    ) -> None:
        self._look = look
        self._quiet = quiet
        self._limit = limit

    async def one(self, window: str) -> ScreenWindow:
        """Return a window as it is now. Raises `ProviderError` if it was closed."""
        found = await self._look(window)
        if found is None:
            raise ProviderError("the window was closed meanwhile", "window.missing")
        return found

    async def rest(self, window: str, wanted: Callable[[ScreenWindow], bool], quiet: float | None = None) -> bool:
        """Wait until a window is as wanted or at rest; return whether it is as wanted."""
        quiet = self._quiet if quiet is None else quiet
        last: ScreenWindow | None = None
        since = anyio.current_time()

        async def at_rest() -> bool:
            nonlocal last, since
            now = await self.one(window)
            if last is None or replace(now, classes=()) != replace(last, classes=()):
                last, since = now, anyio.current_time()
            return wanted(now) or anyio.current_time() - since >= quiet

        await poll(at_rest, self._limit)
        return last is not None and wanted(last)


class WindowRequests(Protocol):
    """The requests about one window that a screen accepts; no method waits for the effect of its request."""

    async def to_desktop(self, window: str, desktop: str) -> None:
        """Request that a window is moved to a desktop."""
        ...

    async def leave_states(self, window: str, state: str) -> None:
        """Request that a window leaves a state."""
        ...

    async def move(self, window: str, to: Bounds) -> None:
        """Request that a window gets these bounds."""
        ...

    async def enter_state(self, window: str, state: str) -> None:
        """Request that a window enters a state."""
        ...


class WindowPlacer:
    """Places a window with several requests; each is sent after the window has come to rest."""

    def __init__(self, requests: WindowRequests, watch: WindowWatch) -> None:
        self._requests = requests
        self._watch = watch

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Place a window like `Screen.place`; return the normal bounds that it had during its earlier state."""
        if desktop:
            await self._requests.to_desktop(window, desktop)
        beneath = await self._leave_state(window)
        await self._move_window(window, (former or to) if state != "normal" else to)
        if state != "normal":
            await self._requests.enter_state(window, state)
            hidden = state == "minimised"
            await self._watch.rest(window, lambda now: now.state == state and (hidden or now.bounds == to))
        return beneath

    async def _leave_state(self, window: str) -> Bounds | None:
        """End the window's state, such as maximised; return the normal bounds that it gets.

        Returns None if the window was normal or minimised.
        """
        now = await self._watch.one(window)
        await self._requests.leave_states(window, now.state)
        if now.state == "normal":
            return None
        await self._watch.rest(window, lambda later: later.state == "normal" and later.bounds != now.bounds)
        # The frame and the bounds change one after the other, so the bounds are final only after nothing changes any
        # more.
        await self._watch.rest(window, lambda _: False)
        later = await self._watch.one(window)
        return later.bounds if now.state != "minimised" else None

    async def _move_window(self, window: str, to: Bounds) -> None:
        before = (await self._watch.one(window)).bounds
        await self._requests.move(window, to)
        await self._watch.rest(window, lambda now: now.bounds == to)
        now = await self._watch.one(window)
        right, down = to.left - now.bounds.left, to.top - now.bounds.top
        if now.bounds != before and (right or down):
            # Some window managers place another corner of the window at the requested position, so the request is
            # repeated with a correction.
            corrected = Bounds(to.left + right, to.top + down, to.right + right, to.bottom + down)
            await self._requests.move(window, corrected)
            await self._watch.rest(window, lambda now: now.bounds == to)


class Deadlines(Struct, frozen=True):
    """The most seconds that the desktop may take for each kind of step."""

    front: float = 2.0
    """Seconds for a window to come to the front."""
    launch: float = 20.0
    """Seconds for a started application to show its first window."""


USUAL_DEADLINES = Deadlines()


class AppActions:
    """Does the steps of the apps store on one open screen."""

    def __init__(
        self,
        screen: Screen,
        launcher: AppLauncher,
        look: Callable[[], Awaitable[AppsSnapshot]],
        deadlines: Deadlines,
    ) -> None:
        self._screen = screen
        self._launcher = launcher
        self._look = look
        self._deadlines = deadlines

    async def execute(self, step: Steps, expects: Facts) -> Facts:
        """Do a step after its expected facts were checked; return the facts that result from it."""
        match step:
            case OpenApp(name, _, token):
                return await self._open(name, token, expects)
            case ActivateApp(name):
                return await self._bring_to_front(name)
            case QuitApp(name, seconds):
                return await self._quit(name, seconds)
            case PlaceWindow():
                beneath = next((fact.bounds for fact in expects if isinstance(fact, BoundsBeneath)), None)
                return await self._place(step, beneath)
            case PlaceNewWindow(name):
                return await self._place_front_window(name, step.bounds, fit=step.fit)
            case OpenAppPlaced(name):
                opened = await self._open(name, step.token, expects)
                try:
                    placed = await self._place_front_window(name, step.bounds, fit=step.fit)
                except ProviderError as error:
                    raise Uncertain(f"{name} was opened, but not placed: {error}", "window.not_placed") from error
                return (*opened, *placed)

    async def _open(self, name: str, token: str, expects: Facts) -> Facts:
        snapshot = await self._look()
        if snapshot.state.instances(name):
            return await self._bring_to_front(name)
        wanted = {fact.id for fact in expects if isinstance(fact, AppInstalled)}
        named = (entry for entry in snapshot.entries.menu_entries() if entry.name == name)
        entry = next((entry for entry in named if installed_fact(entry).id in wanted), None)
        if entry is None:
            raise ProviderError(f"{name} is no longer running and was not launched", "app.not_running")
        await self._launcher.start(entry, snapshot.entries, token)
        seconds = self._deadlines.launch
        running = await poll(lambda: self._find_running(name), seconds)
        if running is None:
            raise Uncertain(f"{name} was started, but showed no window within {seconds:g} seconds", "app.no_window")
        return (running,)

    async def _find_running(self, name: str) -> AppRunning | None:
        running = (await self._look()).state.running_fact(name)
        return running if running.instances else None

    async def _bring_to_front(self, name: str) -> Facts:
        window = await self._front_window(name)
        await self._screen.front(window.id)
        if not await poll(lambda: self._screen.active(window.id), self._deadlines.front):
            raise ProviderError(f"{name} did not come to the front; the desktop held it back", "app.held_back")
        return ((await self._look()).state.running_fact(name),)

    async def _front_window(self, name: str) -> WindowState:
        window = (await self._look()).state.front_window(name)
        if window is None:
            raise ProviderError(f"{name} has no window", "window.missing")
        return window

    async def _quit(self, name: str, seconds: int) -> Facts:
        snapshot = await self._look()
        instances = set(snapshot.state.instances(name))
        if instances & own_instances():
            raise ProviderError(
                f"sayso itself was started in {name}, and would end with it; quit it by hand", "app.own"
            )
        windows = {window.id for window in snapshot.state.windows if window.app == name}
        if any(not window.closable for window in snapshot.windows_of(name) if window.id in windows):
            raise ProviderError(f"{name} has a window that cannot be asked to close; quit it by hand", "app.deaf")
        for window in snapshot.state.windows:
            if window.id in windows:
                await self._screen.close(window.id)

        async def has_ended() -> bool:
            running = (await self._look()).state.running
            return not any(is_alive(instance) for instance in instances) and not instances & {one for one, _ in running}

        if not await poll(has_ended, seconds):
            raise ProviderError(await self._why_it_runs_on(name, seconds, len(windows)), "app.still_running")
        return (AppRunning(name, ()),)

    async def _why_it_runs_on(self, name: str, seconds: int, before: int) -> str:
        left = len([window for window in (await self._look()).state.windows if window.app == name])
        if not left:
            return f"{name} has closed its windows, and still runs in the background {seconds} s after it was asked"
        closed = f"; {before - left} of its {before} windows closed" if left < before else ""
        return f"{name} is still running {seconds} s after it was asked to quit; it may be asking you something{closed}"

    async def _place(self, step: PlaceWindow, former: Bounds | None = None) -> Facts:
        before = (await self._look()).state.window(step.window)
        beneath = await self._screen.place(step.window, step.bounds, step.state, step.desktop, former)
        after = (await self._look()).state.window(step.window)
        if before is None or after is None:
            raise ProviderError(f"the window of {step.name} was closed meanwhile", "window.missing")
        if after == before and (after.bounds, after.state) != (step.bounds, step.state):
            raise ProviderError(
                f"the window of {step.name} stays where it is; it, or the desktop, does not let it be moved",
                "window.stuck",
            )
        return (after.fact, *([BoundsBeneath(step.window, *beneath.edges)] if beneath else []))

    async def _place_front_window(self, name: str, to: Bounds, *, fit: bool) -> Facts:
        window = await self._front_window(name)
        bounds = fit_within(window.bounds, to) if fit else to
        return await self._place(PlaceWindow(name, window.id, *bounds.edges))
