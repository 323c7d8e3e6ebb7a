"""Read the clipboard's text, put other text on it, and put back what it held."""

from datetime import datetime, timedelta

from sayso.core.errors import ProviderError
from sayso.core.plan import CannotTell, Fact, Left, NotDone, Settled
from sayso.providers.desktop.facts import on_it
from sayso.providers.desktop.linux.clipboards import TEXTS, Clipboard, clipboard
from sayso.providers.desktop.linux.kept import Held, Kept
from sayso.providers.desktop.steps import RestoreClipboard, SetClipboard
from sayso.providers.programs.running import Runner

PRIVATE = "x-kde-passwordManagerHint"
"""The type by which password managers mark what nobody is to keep or pass on."""
LATIN_1 = "STRING"
NOTHING = Held("")
PICTURES = ("image/png", "image/jpeg", "image/bmp")


class Copying:
    """The clipboard of a session, with the memory of what it held."""

    def __init__(self, runner: Runner, kept: Kept) -> None:
        self._runner = runner
        self._kept = kept

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
        if await _secret(board, types):
            return "the clipboard holds a password of your password manager, which is not kept and does not come back"
        kind = chosen(types)
        if types and kind is None:
            return f"what the clipboard holds ({', '.join(types[:3])}) cannot be kept; undo can only empty it"
        rich = [other for other in types if "/" in other and not other.startswith("text/plain")]
        if kind in TEXTS and rich:
            return f"what the clipboard holds comes back as plain text, without its other forms ({', '.join(rich[:3])})"
        return ""

    async def do(self, step: SetClipboard | RestoreClipboard) -> Left:
        """Keep what the clipboard holds and put a text on it; or put back what is kept."""
        match step:
            case SetClipboard():
                return await self._set(step)
            case RestoreClipboard():
                return await self._restore(step)

    async def _set(self, step: SetClipboard) -> Left:
        board = self._clipboard
        held = await _held(board)
        self._kept.keep(step.kept, held)
        await board.write(_encoded(step.text), board.plain)
        return Left((on_it(step.text),))

    async def _restore(self, step: RestoreClipboard) -> Left:
        held, board = self._kept.get(step.kept), self._clipboard
        if held.kind:
            await board.write(held.data, board.plain if held.kind in TEXTS else held.kind)
        else:
            await board.clear()
        self._kept.forget(step.kept)
        return Left((on_it(await _text(board, await board.types())),))

    async def settle(self, step: SetClipboard | RestoreClipboard) -> Settled:
        """Say what became of a step, as far as the clipboard and what is kept of it show."""
        match step:
            case SetClipboard(text, kept):
                if not self._kept.has(kept):
                    return NotDone("what the clipboard held was not put aside, which comes first")
                wanted = text
            case RestoreClipboard(kept):
                if not self._kept.has(kept):
                    return CannotTell("what was kept is gone, and the clipboard does not tell who used it last")
                wanted = _decoded(self._kept.get(kept))
        board = self._clipboard
        if await _text(board, await board.types()) == wanted:
            return Left((on_it(wanted),))
        return CannotTell("the clipboard holds something else, and does not tell since when")

    async def holds(self, fact: Fact) -> bool:
        """Say whether the clipboard holds the text that a fact is about."""
        board = self._clipboard
        return on_it(await _text(board, await board.types())) == fact

    def prune(self, now: datetime, age: timedelta) -> int:
        """Forget what was kept longer than this."""
        return self._kept.prune(now, age)


def chosen(types: tuple[str, ...]) -> str | None:
    """Return the type under which a clipboard is kept: text if there is any, else a picture, else what has a name."""
    named = (*(kind for kind in (*TEXTS, *PICTURES) if kind in types), *(kind for kind in types if "/" in kind))
    return next(iter(named), None)


async def _held(board: Clipboard) -> Held:
    types = await board.types()
    kind = chosen(types)
    if kind is None or await _secret(board, types):
        return NOTHING
    if kind in TEXTS:
        return Held(TEXTS[0], _encoded(await _text(board, types)))
    return Held(kind, await board.read(kind))


async def _text(board: Clipboard, types: tuple[str, ...]) -> str:
    kind = next((kind for kind in TEXTS if kind in types), None)
    if kind is None:
        return ""
    data = await board.read(kind)
    return data.decode("latin-1") if kind == LATIN_1 else data.decode("utf-8", "replace")


async def _secret(board: Clipboard, types: tuple[str, ...]) -> bool:
    return PRIVATE in types and (await board.read(PRIVATE)).strip() == b"secret"


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _decoded(held: Held) -> str:
    return held.data.decode("utf-8", "replace") if held.kind in TEXTS else ""
