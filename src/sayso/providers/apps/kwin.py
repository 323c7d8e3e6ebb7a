"""The screen of KDE on Wayland: sayso loads a script into KWin and sends it requests over D-Bus."""

import json
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Generator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

import anyio
import msgspec
from msgspec.structs import asdict

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.lazy import load
from sayso.core.ports import BackendContext, Ids
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.linux.actions import WindowPlacer, WindowWatch
from sayso.providers.apps.linux.backend import LinuxAppsBackend, linux_backend
from sayso.providers.apps.linux.screen import SECONDS, SILENT, ScreenSnapshot, ScreenWindow
from sayso.providers.dbus.session import ADDRESS, no_extra

FILLING = "filling"


class KwinRect(msgspec.Struct, frozen=True):
    """A rectangle; on a scaled monitor its edges may not be whole pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def bounds(self) -> Bounds:
        """Return the rectangle with its edges rounded to whole pixels."""
        return Bounds(round(self.left), round(self.top), round(self.right), round(self.bottom))


class KwinWindow(msgspec.Struct, frozen=True):
    """A window as the script reports it."""

    id: str
    classes: tuple[str, ...]
    pid: int
    bounds: KwinRect
    state: str
    """The window's state; `filling` if it is as large as a maximised window, whether maximised or not."""
    desktop: str
    closable: bool
    belongs: bool
    here: bool
    """Whether the window is on the desktop that is shown."""
    height: int
    """Number of windows below this one."""
    title: str = ""


class KwinMonitor(msgspec.Struct, frozen=True):
    """A monitor as the script reports it."""

    name: str
    bounds: KwinRect
    main: bool


class ScriptAnswer(msgspec.Struct, frozen=True):
    """The script's reply to a request.

    The reply to the request `look` has `windows`, `monitors` and `active`. The reply to any other request has `gone` if
    the window does not exist, and otherwise no field. If the script failed, the reply has `error`.
    """

    windows: tuple[KwinWindow, ...] = ()
    monitors: tuple[KwinMonitor, ...] = ()
    active: str = ""
    gone: bool = False
    """Whether the window of the request does not exist any more."""
    error: str = ""
    """The error that occurred in the script; empty if there was none."""


def parse_answer(said: str) -> ScriptAnswer:
    """Return the parsed reply of the script.

    Raises `ProviderError` if the reply is invalid, reports an error, or says that the window is gone.
    """
    try:
        answer = msgspec.json.decode(said, type=ScriptAnswer)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise ProviderError(f"KWin sent something that cannot be read: {error}", "screen.unreadable") from error
    if answer.error:
        raise ProviderError(f"KWin could not do it: {answer.error}", "screen.refused")
    if answer.gone:
        raise ProviderError("the window was closed meanwhile", "window.missing")
    return answer


def read_snapshot(answer: ScriptAnswer, maximised: Collection[str]) -> ScreenSnapshot:
    """Return windows and monitors. Windows of the desktop that is shown come first, topmost first.

    `maximised` contains the ids of those windows in state `filling` that are really maximised.
    """
    ordered = sorted(answer.windows, key=lambda window: (not window.here, -window.height))
    monitors = tuple(Monitor(screen.name, screen.bounds.bounds, screen.main) for screen in answer.monitors)
    return ScreenSnapshot(tuple(_read_window(window, maximised) for window in ordered), monitors)


def _read_window(window: KwinWindow, maximised: Collection[str]) -> ScreenWindow:
    filling = "maximised" if window.id in maximised else "normal"
    return ScreenWindow(
        window.id,
        tuple(dict.fromkeys(name for name in window.classes if name)),
        window.pid if window.pid > 0 else None,
        window.bounds.bounds,
        filling if window.state == FILLING else window.state,
        window.desktop,
        closable=window.closable,
        belongs=window.belongs,
        title=window.title,
    )


WINDOWS = Path(__file__).with_name("windows.js")
KWIN = "org.kde.KWin"
SCRIPTING = ("/Scripting", KWIN, "org.kde.kwin.Scripting")
INFO = ("/KWin", KWIN, KWIN)
BUS = ("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
PLACE, OURS = "/windows", "sayso.Windows"
"""The D-Bus object path and interface of sayso that the script calls."""
FIX = "start sayso from within your desktop"
T = TypeVar("T")


class ScriptBus(Protocol):
    """A D-Bus connection, over which the script calls sayso."""

    name: str

    async def call(self, where: tuple[str, str, str], name: str, signature: str, values: tuple[Any, ...]) -> Any:
        """Call a method and return the reply."""
        ...

    async def next_call(self) -> Any:
        """Wait for the next call to sayso and return it."""
        ...

    async def answer(self, call: Any, signature: str, values: tuple[Any, ...]) -> None:
        """Reply to a call."""
        ...


class KwinScript:
    """Sends requests to sayso's script in KWin.

    The script calls sayso, and sayso's reply to that call is the next request.
    """

    def __init__(self, bus: ScriptBus, kwin: str, token: str) -> None:
        self._bus = bus
        self._kwin = kwin
        self._token = token
        self._waiting: Any = None

    async def wait_for_start(self) -> None:
        """Wait until the script calls for the first time."""
        await self._in_time(self._next)

    async def ask(self, question: Mapping[str, Json]) -> ScriptAnswer:
        """Send a request to the script and return its reply.

        Raises `ProviderError` if it fails or does not reply in time.
        """

        async def exchange() -> str:
            await self._bus.answer(self._waiting, "s", (json.dumps(question),))
            return await self._next()

        return parse_answer(await self._in_time(exchange))

    async def is_maximised(self, window: str) -> bool:
        """Return whether KWin reports a window as maximised in both directions."""
        reply = await self._in_time(lambda: self._bus.call(INFO, "getWindowInfo", "s", (window,)))
        info = dict(reply.body[0]) if reply.body and not reply.error else {}
        return all(info.get(key, ("", 0))[1] for key in ("maximizeHorizontal", "maximizeVertical"))

    async def _next(self) -> str:
        """Return what the script says in its next call, which is its reply to the last request."""
        while True:
            call = await self._bus.next_call()
            # Any program on the bus may call this object. Only calls from KWin with the token are accepted.
            if call.sender == self._kwin and call.body[:1] == (self._token,):
                self._waiting = call
                return str(call.body[1])

    async def _in_time(self, exchange: Callable[[], Awaitable[T]]) -> T:
        try:
            # Even if the caller is cancelled, the reply is awaited, because the next request would otherwise receive
            # it.
            with anyio.fail_after(SECONDS, shield=True):
                return await exchange()
        except TimeoutError:
            raise ProviderError(f"KWin did not answer within {SECONDS:g} seconds", SILENT) from None
        except OSError as error:
            raise ProviderError("the D-Bus of your session has ended the connection", SILENT) from error


@asynccontextmanager
async def run_script(environ: Mapping[str, str], token: str) -> AsyncGenerator[KwinScript]:
    """Run the script in KWin during the block. Raises `SetupError` if no KWin answers."""
    async with AsyncExitStack() as stack:
        try:
            with anyio.fail_after(SECONDS):
                bus: ScriptBus = await stack.enter_async_context(_connect(environ))
                kwin = await _owner(bus)
                stack.push_async_callback(_unload_script, bus, token)
                script = KwinScript(bus, kwin, token)
                with _write_script(environ, bus.name, token) as path:
                    await _run(bus, path, token)
                    await script.wait_for_start()
        except TimeoutError:
            raise SetupError(f"KWin did not answer within {SECONDS:g} seconds; {FIX}", SILENT) from None
        except (OSError, ValueError) as error:
            raise SetupError(f"the D-Bus of your session cannot be reached: {error}; {FIX}", "screen.missing") from None
        yield script


def _connect(environ: Mapping[str, str]) -> AbstractAsyncContextManager[ScriptBus]:
    try:
        return load("sayso.providers.dbus.connection:connect")(environ.get(ADDRESS, ""))
    except ImportError:
        raise SetupError(no_extra(), "screen.extra") from None


async def _owner(bus: ScriptBus) -> str:
    reply = await bus.call(BUS, "GetNameOwner", "s", (KWIN,))
    if reply.error:
        raise SetupError(f"KWin does not answer on the D-Bus of your session; {FIX}", "screen.missing")
    return str(reply.body[0])


@contextmanager
def _write_script(environ: Mapping[str, str], name: str, token: str) -> Generator[str]:
    """Yield the path of a file with the script and sayso's address; the file is removed after KWin has read it."""
    text = WINDOWS.read_text(encoding="utf-8")
    arguments = ", ".join(map(json.dumps, (name, PLACE, OURS, token)))
    with tempfile.TemporaryDirectory(prefix="sayso-", dir=environ.get("XDG_RUNTIME_DIR") or None) as private:
        path = Path(private, f"{token}.js")
        path.write_text(f"{text}\nserve({arguments});\n", encoding="utf-8")
        yield str(path)


async def _run(bus: ScriptBus, path: str, token: str) -> None:
    loaded = await bus.call(SCRIPTING, "loadScript", "ss", (path, token))
    if loaded.error or loaded.body[0] < 0:
        raise SetupError(f"KWin takes no script: {loaded.error or 'it has one of this name'}", "screen.refused")
    number = loaded.body[0]
    for place in (f"/Scripting/Script{number}", f"/{number}"):
        ran = await bus.call((place, KWIN, "org.kde.kwin.Script"), "run", "", ())
        if not ran.error:
            return
    raise SetupError(f"KWin did not run our script: {ran.error}", "screen.refused")


async def _unload_script(bus: ScriptBus, token: str) -> None:
    """Unload the script from KWin."""
    with anyio.move_on_after(SECONDS, shield=True), suppress(OSError):
        await bus.call(SCRIPTING, "unloadScript", "s", (token,))


QUIET_SECONDS = 0.25
"""Seconds without a change after which a window is considered at rest."""
LATE = "window.late"
LOOK: Mapping[str, Json] = {"what": "look"}


class KwinDisplay:
    """The display of the KWin in this session."""

    name = "kwin"
    why = "XDG_CURRENT_DESKTOP names KDE, and KWin answers on D-Bus"
    fix = FIX

    def __init__(self, environ: Mapping[str, str], ids: Ids) -> None:
        self._environ = environ
        self._ids = ids

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["KwinScreen"]:
        """Start sayso's script in KWin. Raises `SetupError` if no KWin answers."""
        async with run_script(self._environ, f"sayso-{self._ids.token()}") as script:
            yield KwinScreen(script)


class KwinScreen:
    """The screen of a KWin, read and changed through sayso's script."""

    def __init__(self, script: KwinScript) -> None:
        self._script = script
        self._watch = WindowWatch(self._find_window, QUIET_SECONDS)

    async def look(self) -> ScreenSnapshot:
        answer = await self._script.ask(LOOK)
        filling = [window.id for window in answer.windows if window.state == FILLING]
        return read_snapshot(answer, [id_ for id_ in filling if await self._script.is_maximised(id_)])

    async def active(self, window: str) -> bool:
        """Return whether a window has the keyboard focus."""
        return (await self._script.ask(LOOK)).active == window

    async def front(self, window: str) -> None:
        """Give a window the keyboard focus, whichever desktop it is on."""
        await self._request("front", window)

    async def close(self, window: str) -> None:
        """Ask a window to close."""
        await self._request("close", window)

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Give a window bounds, a state and a desktop, and wait until it no longer changes.

        Raises `Uncertain` if the window's program does not respond, because what KWin requested of the program cannot
        be withdrawn.
        """
        before = (await self._watch.one(window)).bounds
        beneath = await WindowPlacer(self, self._watch).place(window, to, state, desktop, former)
        # A program may refuse a size, but it cannot refuse a position.
        elsewhere = (before.left, before.top) != (to.left, to.top)
        if elsewhere and before == (await self._watch.one(window)).bounds:
            raise Uncertain("the program of the window does not answer; the window may move there once it does", LATE)
        return beneath

    async def to_desktop(self, window: str, desktop: str) -> None:
        await self._request("desktop", window, desktop=desktop)

    async def leave_states(self, window: str, state: str) -> None:
        """Request that a window leaves all its states."""
        await self._request("plain", window)

    async def move(self, window: str, to: Bounds) -> None:
        await self._request("move", window, to=asdict(to))

    async def enter_state(self, window: str, state: str) -> None:
        await self._request("into", window, state=state)

    async def _request(self, what: str, window: str, **more: Json) -> None:
        await self._script.ask({"what": what, "window": window, **more})

    async def _find_window(self, window: str) -> ScreenWindow | None:
        return (await self.look()).window(window)


def build(context: BackendContext) -> LinuxAppsBackend:
    """Return the back end for the KWin on the session's D-Bus. Raises `SetupError` if there is no such bus."""
    if not context.environ.get(ADDRESS):
        raise SetupError(f"there is no KWin here: {ADDRESS} is not set; {FIX}", "screen.missing")
    return linux_backend(context, KwinDisplay(context.environ, context.ids))
