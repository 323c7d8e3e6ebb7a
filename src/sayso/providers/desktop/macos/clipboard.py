"""The clipboard of a Mac: its text, and everything that it held before."""

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from sayso.core.errors import ProviderError
from sayso.core.plan import Applied, CannotTell, Fact, NotDone, Settlement
from sayso.providers.desktop.model import RestoreClipboard, SetClipboard, clipboard_fact
from sayso.providers.desktop.stash import ClipboardContent, ClipboardStash
from sayso.providers.macos.engine import ScriptEngine

BOARD = "the clipboard"
ITEMS = "macos/items"
"""The type under which the stash keeps all items of a clipboard, as JSON."""
MOST = 8 * 2**20
"""The most bytes of a clipboard that are kept; types beyond them are lost."""
NOT_KEPT = "the password of your password manager that was on the clipboard is not kept and does not come back"


class Pasteboard(Struct, frozen=True):
    """What the clipboard holds: its text, and of each item its types with their data in base64."""

    text: str | None
    secret: bool
    items: tuple[Mapping[str, str], ...] = ()
    missing: tuple[str, ...] = ()
    """Types whose data is too large or is not handed over."""

    @property
    def loss(self) -> str:
        """Return what undo could not restore; empty when it restores everything."""
        if self.secret:
            return NOT_KEPT
        if not self.missing:
            return ""
        shown = ", ".join(
            "".join(letter if letter.isprintable() else "?" for letter in one[:60]) for one in self.missing
        )
        return f"what was on the clipboard comes back without some of its forms ({shown[:200]})"


class MacClipboard:
    """The clipboard, with a stash for its former contents."""

    def __init__(self, engine: ScriptEngine, stash: ClipboardStash) -> None:
        self._engine = engine
        self._stash = stash
        self._not_restored: dict[str, str] = {}

    async def text(self) -> str:
        """Return the clipboard's text; empty when it holds no text. Raises `ProviderError` for a password."""
        board = await self._read()
        if board.secret:
            raise ProviderError(
                "the clipboard holds a password that your password manager asks to keep secret", "clipboard.secret"
            )
        return board.text or ""

    async def loses(self) -> str:
        """Return what undo could not restore to the clipboard."""
        return (await self._read(items=True)).loss

    async def do(self, step: SetClipboard | RestoreClipboard) -> Applied:
        """Do a step: keep the content and put a text on the clipboard, or restore what was kept."""
        match step:
            case SetClipboard(text, kept):
                board = await self._read(items=True)
                items = b"[]" if board.secret else msgspec.json.encode(board.items)
                self._stash.keep(kept, ClipboardContent(ITEMS, items, board.loss))
                now = await self._write({"text": text})
            case RestoreClipboard(kept):
                held = self._stash.get(kept)
                now = await self._write({"items": msgspec.json.decode(held.data)})
                self._stash.forget(kept)
                self._not_restored[kept] = held.lost
        return Applied((clipboard_fact(now),))

    async def holds(self, fact: Fact) -> bool:
        """Return whether the clipboard holds the text of a fact."""
        return clipboard_fact((await self._read()).text or "") == fact

    async def settle(self, step: SetClipboard | RestoreClipboard) -> Settlement:
        """Return whether a step was completed, as far as the clipboard and the stash show."""
        kept = self._stash.has(step.kept)
        match step:
            case SetClipboard(text) if kept:
                wanted = clipboard_fact(text)
                if await self.holds(wanted):
                    return Applied((wanted,))
                return CannotTell("the clipboard holds something else, and does not tell since when")
            case SetClipboard():
                return NotDone("what the clipboard held was not put aside, and that comes first")
            case RestoreClipboard():
                return CannotTell("the clipboard does not tell who used it last")

    def take_report(self, kept: str) -> str:
        """Return what part of the content was not restored, and forget it."""
        return self._not_restored.pop(kept, "")

    async def _read(self, *, items: bool = False) -> Pasteboard:
        found = await self._engine.run_script("clipboard_read", {"items": items, "most": MOST}, app=BOARD)
        return msgspec.convert(found, Pasteboard)

    async def _write(self, content: Mapping[str, object]) -> str:
        """Replace the content, and return the text of the clipboard after that."""
        found = await self._engine.run_script("clipboard_write", content, app=BOARD, changes=True)
        written = msgspec.convert(found, _Written)
        if not written.took:
            raise ProviderError("macOS did not take this on the clipboard", "clipboard.refused")
        return written.text or ""


class _Written(Struct, frozen=True):
    took: bool
    text: str | None
