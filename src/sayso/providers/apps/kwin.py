"""The screen of KDE on Wayland: a script is loaded into KWin and asked over D-Bus."""

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
from sayso.providers.dbus.session import ADDRESS, NO_EXTRA

FILLING = "filling"


class KwinRect(msgspec.Struct, frozen=True):
    """A rectangle; on a scaled monitor its edges may lie between pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def bounds(self) -> Bounds:
        """Return it as bounds."""
        return Bounds(round(self.left), round(self.top), round(self.right), round(self.bottom))


class KwinWindow(msgspec.Struct, frozen=True):
    """A window."""

    id: str
    classes: tuple[str, ...]
    pid: int
    bounds: KwinRect
    state: str
    """`filling` for a window that takes all the room there is: maximised, or only made so large."""
    desktop: str
    closable: bool
    belongs: bool
    here: bool
    """It is on the desktop that is shown."""
    height: int
    """How many windows are below it."""
    title: str = ""


class KwinMonitor(msgspec.Struct, frozen=True):
    """A monitor."""

    name: str
    bounds: KwinRect
    main: bool


class ScriptAnswer(msgspec.Struct, frozen=True):
    """An answer of the script: to a look everything but the last two fields, to a request nothing or one of these."""

    windows: tuple[KwinWindow, ...] = ()
    monitors: tuple[KwinMonitor, ...] = ()
    active: str = ""
    gone: bool = False
    """There is no such window."""
    error: str = ""
    """The error that the script met."""


def parse_answer(said: str) -> ScriptAnswer:
    """Return an answer. Raises `ProviderError` for text that our script does not write, and for an error in it."""
    try:
        answer = msgspec.json.decode(said, type=ScriptAnswer)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise ProviderError(f"KWin told something that cannot be read: {error}", "screen.unreadable") from error
    if answer.error:
        raise ProviderError(f"KWin could not do it: {answer.error}", "screen.refused")
    if answer.gone:
        raise ProviderError("the window was closed meanwhile", "window.missing")
    return answer


def read_snapshot(answer: ScriptAnswer, maximised: Collection[str]) -> ScreenSnapshot:
    """Return windows and monitors; windows of the desktop that is shown come first, the front one before all others.

    `maximised` names the windows that take all the room because they are maximised.
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
"""The object and the interface by which the script calls us."""
FIX = "start sayso from within your desktop"
T = TypeVar("T")


class ScriptBus(Protocol):
    """A connection to the bus, over which the script calls us."""

    name: str

    async def call(self, where: tuple[str, str, str], name: str, signature: str, values: tuple[Any, ...]) -> Any:
        """Call a method."""
        ...

    async def next_call(self) -> Any:
        """Wait until somebody calls us."""
        ...

    async def answer(self, call: Any, signature: str, values: tuple[Any, ...]) -> None:
        """Answer one."""
        ...


class KwinScript:
    """Our script, running in KWin; it asks for a question, and answers by asking for the next."""

    def __init__(self, bus: ScriptBus, kwin: str, token: str) -> None:
        self._bus = bus
        self._kwin = kwin
        self._token = token
        self._waiting: Any = None

    async def wait_for_start(self) -> None:
        """Wait until the script asks for the first time."""
        await self._in_time(self._next)

    async def ask(self, question: Mapping[str, Json]) -> ScriptAnswer:
        """Ask the script something. Raises `ProviderError` when it does not answer in time, or could not do it."""

        async def exchange() -> str:
            await self._bus.answer(self._waiting, "s", (json.dumps(question),))
            return await self._next()

        return parse_answer(await self._in_time(exchange))

    async def is_maximised(self, window: str) -> bool:
        """Ask KWin itself whether a window is maximised, in both directions."""
        reply = await self._in_time(lambda: self._bus.call(INFO, "getWindowInfo", "s", (window,)))
        info = dict(reply.body[0]) if reply.body and not reply.error else {}
        return all(info.get(key, ("", 0))[1] for key in ("maximizeHorizontal", "maximizeVertical"))

    async def _next(self) -> str:
        """Return what the script says when it asks for the next question."""
        while True:
            call = await self._bus.next_call()
            # Any program on the bus may call us; only KWin is believed about its windows.
            if call.sender == self._kwin and call.body[:1] == (self._token,):
                self._waiting = call
                return str(call.body[1])

    async def _in_time(self, exchange: Callable[[], Awaitable[T]]) -> T:
        try:
            # The caller may be cancelled; the answer is still fetched, or the next question would get it.
            with anyio.fail_after(SECONDS, shield=True):
                return await exchange()
        except TimeoutError:
            raise ProviderError(f"KWin did not answer within {SECONDS:g} seconds", SILENT) from None
        except OSError as error:
            raise ProviderError("the D-Bus of your session has ended the connection", SILENT) from error


@asynccontextmanager
async def run_script(environ: Mapping[str, str], token: str) -> AsyncGenerator[KwinScript]:
    """Run the script in KWin as long as this lasts. Raises `SetupError` where no KWin answers."""
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
        raise SetupError(NO_EXTRA, "screen.extra") from None


async def _owner(bus: ScriptBus) -> str:
    reply = await bus.call(BUS, "GetNameOwner", "s", (KWIN,))
    if reply.error:
        raise SetupError(f"KWin does not answer on the D-Bus of your session; {FIX}", "screen.missing")
    return str(reply.body[0])


@contextmanager
def _write_script(environ: Mapping[str, str], name: str, token: str) -> Generator[str]:
    """Yield a file with the script and whom it has to call, until KWin has read it."""
    text = WINDOWS.read_text(encoding="utf-8")
    arguments = ", ".join(map(json.dumps, (name, PLACE, OURS, token)))
    # A name that nobody can guess, in a folder that belongs to the person alone.
    path = Path(environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()) / f"{token}.js"
    with path.open("x", encoding="utf-8") as file:
        file.write(f"{text}\nserve({arguments});\n")
    try:
        yield str(path)
    finally:
        path.unlink(missing_ok=True)


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
"""A window that has not changed for this long will not."""
LATE = "window.late"
LOOK: Mapping[str, Json] = {"what": "look"}


class KwinDisplay:
    """The display of the KWin of a session."""

    name = "kwin"
    why = "XDG_CURRENT_DESKTOP names KDE, and KWin answers on D-Bus"
    fix = FIX

    def __init__(self, environ: Mapping[str, str], ids: Ids) -> None:
        self._environ = environ
        self._ids = ids

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["KwinScreen"]:
        """Have KWin run our script. Raises `SetupError` when no KWin answers."""
        async with run_script(self._environ, f"sayso-{self._ids.token()}") as script:
            yield KwinScreen(script)


class KwinScreen:
    """The screen of a KWin, asked through our script."""

    def __init__(self, script: KwinScript) -> None:
        self._script = script
        self._watch = WindowWatch(self._find_window, QUIET_SECONDS)

    async def look(self) -> ScreenSnapshot:
        answer = await self._script.ask(LOOK)
        filling = [window.id for window in answer.windows if window.state == FILLING]
        return read_snapshot(answer, [id_ for id_ in filling if await self._script.is_maximised(id_)])

    async def active(self, window: str) -> bool:
        """Say whether a window has the keyboard."""
        return (await self._script.ask(LOOK)).active == window

    async def front(self, window: str) -> None:
        """Give a window the keyboard, on whatever desktop it is."""
        await self._request("front", window)

    async def close(self, window: str) -> None:
        """Ask a window to close."""
        await self._request("close", window)

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Give a window bounds, a state and a desktop, and wait until it has come to rest.

        Raises `Uncertain` when its program does not answer: what KWin asked of it cannot be withdrawn.
        """
        before = (await self._watch.one(window)).bounds
        beneath = await WindowPlacer(self, self._watch).place(window, to, state, desktop, former)
        # A program may refuse a size, but cannot refuse a place.
        elsewhere = (before.left, before.top) != (to.left, to.top)
        if elsewhere and before == (await self._watch.one(window)).bounds:
            raise Uncertain("the program of the window does not answer; the window may go there once it does", LATE)
        return beneath

    async def to_desktop(self, window: str, desktop: str) -> None:
        await self._request("desktop", window, desktop=desktop)

    async def leave_states(self, window: str, state: str) -> None:
        """Ask for a window to leave every state it may be in."""
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
    """Return the backend of the KWin on the session's D-Bus. Raises `SetupError` where there is no such bus."""
    if not context.environ.get(ADDRESS):
        raise SetupError(f"there is no KWin here: {ADDRESS} is not set; {FIX}", "screen.missing")
    return linux_backend(context, KwinDisplay(context.environ, context.ids))
