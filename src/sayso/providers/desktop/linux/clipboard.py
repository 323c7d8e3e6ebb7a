"""The clipboard of a session: read, set, and put back with everything it held."""

import os
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

import anyio
from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, Fact, NotDone, Settlement
from sayso.providers.desktop.model import RestoreClipboard, SetClipboard, clipboard_fact
from sayso.providers.programs.run import ProgramCall, ProgramResult, ProgramRunner

FOLDER = "clipboard"


class ClipboardContent(Struct, frozen=True):
    """Something a clipboard held, as one type; an empty type is an empty clipboard."""

    kind: str
    data: bytes = b""
    lost: str = ""
    """What of it was not kept, in one clause; empty where all of it was."""


class ClipboardStash:
    """A folder in sayso's own, one file for each thing."""

    def __init__(self, own: str) -> None:
        self._folder = Path(own) / FOLDER

    def keep(self, name: str, held: ClipboardContent) -> None:
        """Keep something under a name; it is on the disk when this returns."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(self._at(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(file, "wb") as open_file:
            open_file.write(f"{held.kind}\t{held.lost}\n".encode() + held.data)
            open_file.flush()
            os.fsync(open_file.fileno())

    def has(self, name: str) -> bool:
        """Say whether something is kept under this name."""
        return self._at(name).is_file()

    def get(self, name: str) -> ClipboardContent:
        """Return what is kept under a name. Raises `ProviderError` when it is not any more."""
        try:
            head, _, data = self._at(name).read_bytes().partition(b"\n")
        except FileNotFoundError:
            raise ProviderError("what the clipboard held before is no longer kept", "clipboard.gone") from None
        kind, _, lost = head.decode().partition("\t")
        return ClipboardContent(kind, data, lost)

    def lost(self, name: str) -> str:
        """Return what was not kept of what lies under this name; nothing where it is no longer kept at all."""
        try:
            return self.get(name).lost
        except ProviderError:
            return ""

    def forget(self, name: str) -> None:
        """Remove what is kept under a name."""
        self._at(name).unlink(missing_ok=True)

    def prune(self, now: datetime, age: timedelta) -> int:
        """Remove what was kept longer than this; return how much that was."""
        old = [file for file in self._files() if now.timestamp() - file.stat().st_mtime > age.total_seconds()]
        for file in old:
            file.unlink(missing_ok=True)
        return len(old)

    def _files(self) -> list[Path]:
        return list(self._folder.iterdir()) if self._folder.is_dir() else []

    def _at(self, name: str) -> Path:
        if not name.isascii() or not name.isalnum():
            raise ProviderError("nothing is kept under this name", "clipboard.gone")
        return self._folder / name


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


class ClipboardTool(Struct, frozen=True):
    """The words with which a program lists, reads, writes and clears; `{}` is the type."""

    program: str
    lists: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    clears: tuple[str, ...]
    plain: str


XCLIP = ClipboardTool(
    "xclip",
    ("-selection", "clipboard", "-o", "-t", "TARGETS"),
    ("-selection", "clipboard", "-o", "-t", "{}"),
    ("-selection", "clipboard", "-i", "-t", "{}"),
    ("-selection", "clipboard", "-i"),
    "UTF8_STRING",
)
WL_CLIPBOARD = ClipboardTool(
    "wl-paste",
    ("--list-types",),
    ("--no-newline", "--type", "{}"),
    ("--type", "{}"),
    ("--clear",),
    "text/plain;charset=utf-8",
)
WL_COPY = "wl-copy"


class ToolClipboard:
    """A clipboard whose types can be listed: xclip, wl-clipboard."""

    def __init__(self, runner: ProgramRunner, tool: ClipboardTool, writer: str, seconds: float = SECONDS) -> None:
        self.name, self.plain = tool.program, tool.plain
        self._runner = runner
        self._tool = tool
        self._writer = writer
        self._seconds = seconds

    async def types(self) -> tuple[str, ...]:
        """Return the types in which it is offered."""
        done = await self._run_tool(self._tool.lists)
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
        done = await self._run_tool(_type_arguments(self._tool.reads, kind))
        if done.code:
            raise ProviderError(f"the clipboard was not handed over: {done.complaint}", "clipboard.unreachable")
        return whole(done)

    async def write(self, data: bytes, kind: str) -> None:
        """Empty it and put this on it; it can be read when this returns."""
        await self._put(_type_arguments(self._tool.writes, kind), data)
        await until(lambda: self._holds(kind, data))

    async def clear(self) -> None:
        """Empty it."""
        await self._put(self._tool.clears, b"")
        await until(lambda: self._holds(self.plain, b""))

    async def _holds(self, kind: str, data: bytes) -> bool:
        return (await self._run_tool(_type_arguments(self._tool.reads, kind))).output == data

    async def _run_tool(self, words: tuple[str, ...]) -> ProgramResult:
        return await self._runner.run(ProgramCall(self._tool.program, words, seconds=self._seconds, most=MOST))

    async def _put(self, words: tuple[str, ...], data: bytes) -> None:
        await put(self._runner, ProgramCall(self._writer, words, data=data, seconds=self._seconds, silent=True))


class XselClipboard:
    """The clipboard of X11 through xsel, which knows no types but text, and is sure for short texts only."""

    name = "xsel"
    plain = TEXTS[0]

    def __init__(self, runner: ProgramRunner) -> None:
        self._runner = runner

    async def types(self) -> tuple[str, ...]:
        """Return the type of text when there is some."""
        return TEXTS[:1] if await self.read(TEXTS[0]) else ()

    async def read(self, kind: str) -> bytes:
        """Return its text; a long one is at times read as nothing by xsel, so nothing is asked for again."""
        for _ in range(TRIES):
            done = await self._runner.run(ProgramCall("xsel", ("--clipboard", "--output"), seconds=SECONDS, most=MOST))
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
        call = ProgramCall("xsel", ("--clipboard", "--input"), data=data, seconds=SECONDS, silent=True)
        await put(self._runner, call)
        await until(lambda: self._holds(data))

    async def clear(self) -> None:
        """Empty it."""
        await put(self._runner, ProgramCall("xsel", ("--clipboard", "--clear"), seconds=SECONDS, silent=True))
        await until(lambda: self._holds(b""))

    async def _holds(self, data: bytes) -> bool:
        return await self.read(self.plain) == data


def whole(done: ProgramResult) -> bytes:
    """Return what was handed over, unless it is too much."""
    if done.cut:
        raise ProviderError(f"the clipboard holds more than {MOST // 2**20} MiB", "clipboard.large")
    return done.output


async def put(runner: ProgramRunner, call: ProgramCall) -> None:
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


def _type_arguments(words: tuple[str, ...], kind: str) -> tuple[str, ...]:
    return tuple(kind if word == "{}" else word for word in words)


def clipboard(runner: ProgramRunner) -> Clipboard:
    """Return the clipboard of this session. Raises `SetupError` where it has none that can be reached."""
    environ: Mapping[str, str] = runner.environ
    if environ.get("WAYLAND_DISPLAY") and runner.find(WL_COPY):
        return ToolClipboard(runner, WL_CLIPBOARD, WL_COPY)
    if environ.get("DISPLAY") and runner.find("xclip"):
        return ToolClipboard(runner, XCLIP, "xclip")
    if environ.get("DISPLAY") and runner.find("xsel"):
        return XselClipboard(runner)
    raise SetupError(NONE_HERE, "clipboard.missing")


PRIVATE = "x-kde-passwordManagerHint"
"""The type by which password managers mark what nobody is to keep or pass on."""
ABOUT_TYPES = frozenset({"TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "DELETE"})
"""Types in which a clipboard tells of itself."""
LATIN_1 = "STRING"
PICTURES = ("image/png", "image/jpeg", "image/bmp")


class SessionClipboard:
    """The clipboard of a session, with the memory of what it held."""

    def __init__(self, runner: ProgramRunner, kept: ClipboardStash) -> None:
        self._runner = runner
        self._kept = kept
        self._lacking: dict[str, str] = {}
        """By the name it was kept under, what of the former clipboard did not come back."""

    @property
    def _clipboard(self) -> Clipboard:
        return clipboard(self._runner)

    async def text(self) -> str:
        """Return the clipboard's text, empty when it holds none; never what a password manager put there."""
        board = self._clipboard
        types = await board.types()
        if await _secret(board, types):
            raise ProviderError(
                "the clipboard holds a password that your password manager asks to keep secret", "clipboard.secret"
            )
        return await _text(board, types)

    async def loses(self) -> str:
        """Say what of the clipboard would not come back; empty when all of it does."""
        board = self._clipboard
        types = await board.types()
        return _describe_loss(types, secret=await _secret(board, types))

    async def do(self, step: SetClipboard | RestoreClipboard) -> Applied:
        """Keep what the clipboard holds and put a text on it; or put back what is kept."""
        match step:
            case SetClipboard():
                return await self._set(step)
            case RestoreClipboard():
                return await self._restore(step)

    async def _set(self, step: SetClipboard) -> Applied:
        board = self._clipboard
        held = await _read_clipboard(board)
        self._kept.keep(step.kept, held)
        await board.write(_encode_text(step.text), board.plain)
        return Applied((clipboard_fact(step.text),))

    async def _restore(self, step: RestoreClipboard) -> Applied:
        held, board = self._kept.get(step.kept), self._clipboard
        if held.kind:
            await board.write(held.data, board.plain if held.kind in TEXTS else held.kind)
        else:
            await board.clear()
        self._kept.forget(step.kept)
        self._lacking[step.kept] = held.lost
        return Applied((clipboard_fact(await _text(board, await board.types())),))

    def foretells(self, kept: str) -> str:
        """Say what would not come back."""
        return self._kept.lost(kept)

    def tells(self, kept: str) -> str:
        """Return, once, what did not come back."""
        return self._lacking.pop(kept, "")

    async def settle(self, step: SetClipboard | RestoreClipboard) -> Settlement:
        """Say what became of a step, as far as the clipboard and what is kept of it show."""
        match step:
            case SetClipboard(text, kept):
                if not self._kept.has(kept):
                    return NotDone("what the clipboard held was not put aside, which comes first")
                wanted = text
            case RestoreClipboard(kept):
                if not self._kept.has(kept):
                    return CannotTell("what was kept is gone, and the clipboard does not tell who used it last")
                wanted = _decode_text(self._kept.get(kept))
        board = self._clipboard
        if await _text(board, await board.types()) == wanted:
            return Applied((clipboard_fact(wanted),))
        return CannotTell("the clipboard holds something else, and does not tell since when")

    async def holds(self, fact: Fact) -> bool:
        """Say whether the clipboard holds the text that a fact is about."""
        board = self._clipboard
        return clipboard_fact(await _text(board, await board.types())) == fact

    def prune(self, now: datetime, age: timedelta) -> int:
        """Forget what was kept longer than this."""
        return self._kept.prune(now, age)


def choose_type(types: tuple[str, ...]) -> str | None:
    """Return the type under which a clipboard is kept: text if there is any, else a picture, else what has a name."""
    named = (*(kind for kind in (*TEXTS, *PICTURES) if kind in types), *(kind for kind in types if "/" in kind))
    return next(iter(named), None)


async def _read_clipboard(board: Clipboard) -> ClipboardContent:
    types = await board.types()
    kind, secret = choose_type(types), await _secret(board, types)
    lost = _describe_loss(types, secret=secret)
    if kind is None or secret:
        return ClipboardContent("", lost=lost)
    if kind in TEXTS:
        return ClipboardContent(TEXTS[0], _encode_text(await _text(board, types)), lost)
    return ClipboardContent(kind, await board.read(kind), lost)


def _describe_loss(types: tuple[str, ...], *, secret: bool) -> str:
    """Say what of a clipboard in these types does not come back."""
    if secret:
        return "the password of your password manager that was on the clipboard is not kept and does not come back"
    kind = choose_type(types)
    if kind is None:
        was = ", ".join(_clean(one) for one in types if one not in ABOUT_TYPES) or "nothing that has a name"
        return f"what was on the clipboard ({was}) cannot be kept and does not come back" if types else ""
    others = [_clean(other) for other in types if "/" in other and other != kind and not other.startswith("text/plain")]
    if not others:
        return ""
    shown = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > len(others[:3]) else "")
    as_what = "plain text" if kind in TEXTS else kind
    return f"what was on the clipboard comes back as {as_what}, without its other forms ({shown})"


def _clean(kind: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in kind[:60])


async def _text(board: Clipboard, types: tuple[str, ...]) -> str:
    kind = next((kind for kind in TEXTS if kind in types), None)
    if kind is None:
        return ""
    data = await board.read(kind)
    return data.decode("latin-1") if kind == LATIN_1 else data.decode("utf-8", "replace")


async def _secret(board: Clipboard, types: tuple[str, ...]) -> bool:
    return PRIVATE in types and (await board.read(PRIVATE)).strip() == b"secret"


def _encode_text(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _decode_text(held: ClipboardContent) -> str:
    return held.data.decode("utf-8", "replace") if held.kind in TEXTS else ""
