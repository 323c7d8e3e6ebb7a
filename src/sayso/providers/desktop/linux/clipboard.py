"""The clipboard of a session: reading it, setting it, and restoring its former content."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

import anyio
from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, Fact, NotDone, Settlement
from sayso.providers.desktop.model import RestoreClipboard, SetClipboard, clipboard_fact
from sayso.providers.desktop.stash import ClipboardContent, ClipboardStash
from sayso.providers.programs.run import ProgramCall, ProgramResult, ProgramRunner

SECONDS = 10.0
"""Time limit in seconds for the program that owns the clipboard to hand over the content."""
OWNED_SECONDS, LOOK_SECONDS = 10.0, 3.0
"""Time limits in seconds: for a new owner to take over, and for one read, as a former owner may not answer."""
TRIES = 3
XSEL_MOST = 4000
"""Number of bytes that xsel hands over reliably; longer texts do not always arrive."""
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
    """A clipboard that is read and written by type."""

    name: str
    plain: str
    """The type under which plain text is written."""

    async def types(self) -> tuple[str, ...]:
        """Return the types in which the content is available; none when the clipboard is empty."""
        ...

    async def read(self, kind: str) -> bytes:
        """Return the content in this type."""
        ...

    async def write(self, data: bytes, kind: str) -> None:
        """Replace the content with `data` of this type."""
        ...

    async def clear(self) -> None:
        """Remove the content."""
        ...


class ClipboardTool(Struct, frozen=True):
    """The arguments with which a program lists types, reads, writes and clears; `{}` stands for a type."""

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
    """A clipboard that is accessed by a program that can list types: xclip or wl-clipboard."""

    def __init__(self, runner: ProgramRunner, tool: ClipboardTool, writer: str, seconds: float = SECONDS) -> None:
        self.name, self.plain = tool.program, tool.plain
        self._runner = runner
        self._tool = tool
        self._writer = writer
        self._seconds = seconds

    async def types(self) -> tuple[str, ...]:
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
        done = await self._run_tool(_type_arguments(self._tool.reads, kind))
        if done.code:
            raise ProviderError(f"the clipboard was not handed over: {done.complaint}", "clipboard.unreachable")
        return require_complete(done)

    async def write(self, data: bytes, kind: str) -> None:
        """Replace the content with `data`; when this returns, it can be read."""
        await self._take(_type_arguments(self._tool.writes, kind), data)
        await wait_until(lambda: self._holds(kind, data))

    async def clear(self) -> None:
        await self._take(self._tool.clears, b"")
        await wait_until(lambda: self._holds(self.plain, b""))

    async def _holds(self, kind: str, data: bytes) -> bool:
        return (await self._run_tool(_type_arguments(self._tool.reads, kind))).output == data

    async def _run_tool(self, words: tuple[str, ...]) -> ProgramResult:
        return await self._runner.run(ProgramCall(self._tool.program, words, seconds=self._seconds, most=MOST))

    async def _take(self, words: tuple[str, ...], data: bytes) -> None:
        await take_clipboard(
            self._runner, ProgramCall(self._writer, words, data=data, seconds=self._seconds, silent=True)
        )


class XselClipboard:
    """The clipboard of X11, accessed by xsel, which handles only text, and only short texts reliably."""

    name = "xsel"
    plain = TEXTS[0]

    def __init__(self, runner: ProgramRunner) -> None:
        self._runner = runner

    async def types(self) -> tuple[str, ...]:
        """Return the type of text if there is a text."""
        return TEXTS[:1] if await self.read(TEXTS[0]) else ()

    async def read(self, kind: str) -> bytes:
        """Return the text. It is read again when empty, because xsel sometimes reads a long text as empty."""
        for _ in range(TRIES):
            done = await self._runner.run(ProgramCall("xsel", ("--clipboard", "--output"), seconds=SECONDS, most=MOST))
            if done.code:
                raise ProviderError(f"the clipboard cannot be reached: {done.complaint}", "clipboard.unreachable")
            if done.output:
                return require_complete(done)
        return b""

    async def write(self, data: bytes, kind: str) -> None:
        """Replace the content with this text. Raises `ProviderError` for a text that is too long for xsel."""
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
        await take_clipboard(self._runner, call)
        await wait_until(lambda: self._holds(data))

    async def clear(self) -> None:
        await take_clipboard(
            self._runner, ProgramCall("xsel", ("--clipboard", "--clear"), seconds=SECONDS, silent=True)
        )
        await wait_until(lambda: self._holds(b""))

    async def _holds(self, data: bytes) -> bool:
        return await self.read(self.plain) == data


def require_complete(done: ProgramResult) -> bytes:
    """Return the output. Raises `ProviderError` when it was cut off as too large."""
    if done.cut:
        raise ProviderError(f"the clipboard holds more than {MOST // 2**20} MiB", "clipboard.large")
    return done.output


async def take_clipboard(runner: ProgramRunner, call: ProgramCall) -> None:
    """Run a program that puts something on the clipboard; the program stays in the background to hand it over."""
    done = await runner.run(call)
    if done.code:
        raise ProviderError(f"{call.name} could not take the clipboard: {done.complaint}", "clipboard.unreachable")


async def wait_until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait until the clipboard returns what was just put on it, because a new owner needs a moment.

    Raises `Uncertain` after a time limit, because by then another program has probably taken the clipboard.
    """
    with anyio.move_on_after(OWNED_SECONDS):
        while True:
            with anyio.move_on_after(LOOK_SECONDS):
                if await condition():
                    return
            await anyio.sleep(_LOOK_EVERY)
    raise Uncertain("something else was put on the clipboard at the same moment", "clipboard.taken")


def _type_arguments(words: tuple[str, ...], kind: str) -> tuple[str, ...]:
    return tuple(kind if word == "{}" else word for word in words)


def clipboard(runner: ProgramRunner) -> Clipboard:
    """Return the clipboard of this session. Raises `SetupError` when none can be reached."""
    environ: Mapping[str, str] = runner.environ
    if environ.get("WAYLAND_DISPLAY") and runner.find(WL_COPY):
        return ToolClipboard(runner, WL_CLIPBOARD, WL_COPY)
    if environ.get("DISPLAY") and runner.find("xclip"):
        return ToolClipboard(runner, XCLIP, "xclip")
    if environ.get("DISPLAY") and runner.find("xsel"):
        return XselClipboard(runner)
    raise SetupError(NONE_HERE, "clipboard.missing")


PRIVATE = "x-kde-passwordManagerHint"
"""The type by which password managers mark content that must not be kept or passed on."""
ABOUT_TYPES = frozenset({"TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "DELETE"})
"""Types that describe the clipboard instead of its content."""
LATIN_1 = "STRING"
PICTURES = ("image/png", "image/jpeg", "image/bmp")


class SessionClipboard:
    """The clipboard of a session, with a stash for its former contents."""

    def __init__(self, runner: ProgramRunner, stash: ClipboardStash) -> None:
        self._runner = runner
        self._stash = stash
        self._not_restored: dict[str, str] = {}
        """For the name of each content that was restored, the part of it that is missing."""

    @property
    def _clipboard(self) -> Clipboard:
        return clipboard(self._runner)

    async def text(self) -> str:
        """Return the clipboard's text; empty when it holds no text. Raises `ProviderError` for a password."""
        board = self._clipboard
        types = await board.types()
        if await _secret(board, types):
            raise ProviderError(
                "the clipboard holds a password that your password manager asks to keep secret", "clipboard.secret"
            )
        return await _text(board, types)

    async def loses(self) -> str:
        """Return what undo could not restore to the clipboard; empty when it can restore everything."""
        board = self._clipboard
        types = await board.types()
        return _describe_loss(types, secret=await _secret(board, types))

    async def do(self, step: SetClipboard | RestoreClipboard) -> Applied:
        """Do a step: keep the content and put a text on the clipboard, or restore what was kept."""
        match step:
            case SetClipboard():
                return await self._set(step)
            case RestoreClipboard():
                return await self._restore(step)

    async def _set(self, step: SetClipboard) -> Applied:
        board = self._clipboard
        held = await _read_clipboard(board)
        self._stash.keep(step.kept, held)
        await board.write(_encode_text(step.text), board.plain)
        return Applied((clipboard_fact(step.text),))

    async def _restore(self, step: RestoreClipboard) -> Applied:
        held, board = self._stash.get(step.kept), self._clipboard
        if held.kind:
            await board.write(held.data, board.plain if held.kind in TEXTS else held.kind)
        else:
            await board.clear()
        self._stash.forget(step.kept)
        self._not_restored[step.kept] = held.lost
        return Applied((clipboard_fact(await _text(board, await board.types())),))

    def take_report(self, kept: str) -> str:
        """Return what part of the content was not restored, and forget it."""
        return self._not_restored.pop(kept, "")

    async def settle(self, step: SetClipboard | RestoreClipboard) -> Settlement:
        """Return whether a step was completed, as far as the clipboard and the stash show."""
        match step:
            case SetClipboard(text, kept):
                if not self._stash.has(kept):
                    return NotDone("what the clipboard held was not put aside, and that comes first")
                wanted = text
            case RestoreClipboard(kept):
                if not self._stash.has(kept):
                    return CannotTell("what was kept is gone, and the clipboard does not tell who used it last")
                wanted = _decode_text(self._stash.get(kept))
        board = self._clipboard
        if await _text(board, await board.types()) == wanted:
            return Applied((clipboard_fact(wanted),))
        return CannotTell("the clipboard holds something else, and does not tell since when")

    async def holds(self, fact: Fact) -> bool:
        """Return whether the clipboard holds the text of a fact."""
        board = self._clipboard
        return clipboard_fact(await _text(board, await board.types())) == fact


def choose_type(types: tuple[str, ...]) -> str | None:
    """Return the type in which a content is kept: text if available, else a picture, else any MIME type."""
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
    """Return what undo could not restore to a clipboard with these types."""
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
