"""The clipboard of a session, through the programs that own it for as long as it is wanted."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

import anyio

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.values import dataclass
from sayso.providers.programs.call import Call, Ended
from sayso.providers.programs.running import Runner

SECONDS = 10.0
"""How long the program that holds the clipboard may take to hand it over."""
TAKEN_WITHIN, A_LOOK = 10.0, 3.0
"""How long it may take to be taken, and how long one look at it: who is just being relieved may not answer at all."""
TRIES = 3
XSEL_MOST = 4000
"""How many bytes xsel hands out in one piece; several pieces it hands out to one program at times, or to none."""
_LOOK_EVERY = 0.005
MOST = 64 * 2**20
TEXTS = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain;charset=UTF-8", "text/plain", "STRING", "TEXT")
"""The types that are plain text, best first."""
EMPTY = ("not available", "No selection", "Nothing is copied", "no selection", "Nothing copied")
NONE_HERE = (
    "there is no clipboard that can be reached here; install wl-clipboard (Wayland) or xclip (X11), "
    "and start sayso from within your desktop"
)


class Clipboard(Protocol):
    """What is on the clipboard, by type; and putting something else on it."""

    name: str
    plain: str
    """The type under which plain text is put on it."""

    async def types(self) -> tuple[str, ...]:
        """Return the types in which it is offered; none when it holds nothing."""
        ...

    async def read(self, kind: str) -> bytes:
        """Return what it holds, as this type."""
        ...

    async def write(self, data: bytes, kind: str) -> None:
        """Empty it and put this on it."""
        ...

    async def clear(self) -> None:
        """Empty it."""
        ...


@dataclass(frozen=True)
class Tool:
    """The words with which a program lists, reads, writes and clears; `{}` is the type."""

    program: str
    lists: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    clears: tuple[str, ...]
    plain: str


XCLIP = Tool(
    "xclip",
    ("-selection", "clipboard", "-o", "-t", "TARGETS"),
    ("-selection", "clipboard", "-o", "-t", "{}"),
    ("-selection", "clipboard", "-i", "-t", "{}"),
    ("-selection", "clipboard", "-i"),
    "UTF8_STRING",
)
WL_CLIPBOARD = Tool(
    "wl-paste",
    ("--list-types",),
    ("--no-newline", "--type", "{}"),
    ("--type", "{}"),
    ("--clear",),
    "text/plain;charset=utf-8",
)
WL_COPY = "wl-copy"


class ByTool:
    """A clipboard whose types can be listed: xclip, wl-clipboard."""

    def __init__(self, runner: Runner, tool: Tool, writer: str, seconds: float = SECONDS) -> None:
        self.name, self.plain = tool.program, tool.plain
        self._runner = runner
        self._tool = tool
        self._writer = writer
        self._seconds = seconds

    async def types(self) -> tuple[str, ...]:
        """Return the types in which it is offered."""
        done = await self._asked(self._tool.lists)
        if done.code:
            if any(words in done.errors.decode(errors="replace") for words in EMPTY):
                return ()
            raise ProviderError(
                f"the clipboard cannot be reached: {done.complaint}; start sayso from within your desktop",
                "clipboard.unreachable",
            )
        return tuple(line.strip() for line in done.text.splitlines() if line.strip())

    async def read(self, kind: str) -> bytes:
        """Return what it holds, as this type."""
        done = await self._asked(_typed(self._tool.reads, kind))
        if done.code:
            raise ProviderError(f"the clipboard was not handed over: {done.complaint}", "clipboard.unreachable")
        return whole(done)

    async def write(self, data: bytes, kind: str) -> None:
        """Empty it and put this on it; it can be read when this returns."""
        await self._put(_typed(self._tool.writes, kind), data)
        await until(lambda: self._holds(kind, data))

    async def clear(self) -> None:
        """Empty it."""
        await self._put(self._tool.clears, b"")
        await until(lambda: self._holds(self.plain, b""))

    async def _holds(self, kind: str, data: bytes) -> bool:
        return (await self._asked(_typed(self._tool.reads, kind))).output == data

    async def _asked(self, words: tuple[str, ...]) -> Ended:
        return await self._runner.run(Call(self._tool.program, words, seconds=self._seconds, most=MOST))

    async def _put(self, words: tuple[str, ...], data: bytes) -> None:
        await put(self._runner, Call(self._writer, words, data=data, seconds=self._seconds, silent=True))


class XSel:
    """The clipboard of X11 through xsel, which knows no types but text, and is sure for short texts only."""

    name = "xsel"
    plain = TEXTS[0]

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    async def types(self) -> tuple[str, ...]:
        """Return the type of text when there is some."""
        return TEXTS[:1] if await self.read(TEXTS[0]) else ()

    async def read(self, kind: str) -> bytes:
        """Return its text; a long one is at times read as nothing by xsel, so nothing is asked for again."""
        for _ in range(TRIES):
            done = await self._runner.run(Call("xsel", ("--clipboard", "--output"), seconds=SECONDS, most=MOST))
            if done.code:
                raise ProviderError(f"the clipboard cannot be reached: {done.complaint}", "clipboard.unreachable")
            if done.output:
                return whole(done)
        return b""

    async def write(self, data: bytes, kind: str) -> None:
        """Empty it and put this text on it. Raises `ProviderError` for a text that xsel may not hand out."""
        if not data:
            await self.clear()
            return
        if len(data) > XSEL_MOST:
            raise ProviderError(
                f"the text has {len(data):,} bytes, and xsel hands out no more than {XSEL_MOST:,} for sure; "
                "install xclip for longer ones",
                "clipboard.large",
            )
        call = Call("xsel", ("--clipboard", "--input"), data=data, seconds=SECONDS, silent=True)
        await put(self._runner, call)
        await until(lambda: self._holds(data))

    async def clear(self) -> None:
        """Empty it."""
        await put(self._runner, Call("xsel", ("--clipboard", "--clear"), seconds=SECONDS, silent=True))
        await until(lambda: self._holds(b""))

    async def _holds(self, data: bytes) -> bool:
        return await self.read(self.plain) == data


def whole(done: Ended) -> bytes:
    """Return what was handed over, unless it is too much."""
    if done.cut:
        raise ProviderError(f"the clipboard holds more than {MOST // 2**20} MiB", "clipboard.large")
    return done.output


async def put(runner: Runner, call: Call) -> None:
    """Put something on the clipboard; who does stays behind and hands it out."""
    done = await runner.run(call)
    if done.code:
        raise ProviderError(f"{call.name} could not take the clipboard: {done.complaint}", "clipboard.unreachable")


async def until(so: Callable[[], Awaitable[bool]]) -> None:
    """Wait until a clipboard that was just taken answers with what was put there: it takes a moment to be taken.

    Raises `Uncertain` when it does not: then somebody else took it right afterwards.
    """
    with anyio.move_on_after(TAKEN_WITHIN):
        while True:
            with anyio.move_on_after(A_LOOK):
                if await so():
                    return
            await anyio.sleep(_LOOK_EVERY)
    raise Uncertain("something else was put on the clipboard at the same moment", "clipboard.taken")


def _typed(words: tuple[str, ...], kind: str) -> tuple[str, ...]:
    return tuple(kind if word == "{}" else word for word in words)


def clipboard(runner: Runner) -> Clipboard:
    """Return the clipboard of this session. Raises `SetupError` where it has none that can be reached."""
    environ: Mapping[str, str] = runner.environ
    if environ.get("WAYLAND_DISPLAY") and runner.find(WL_COPY):
        return ByTool(runner, WL_CLIPBOARD, WL_COPY)
    if environ.get("DISPLAY") and runner.find("xclip"):
        return ByTool(runner, XCLIP, "xclip")
    if environ.get("DISPLAY") and runner.find("xsel"):
        return XSel(runner)
    raise SetupError(NONE_HERE, "clipboard.missing")
