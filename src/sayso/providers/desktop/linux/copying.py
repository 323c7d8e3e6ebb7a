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
ABOUT_TYPES = frozenset({"TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "DELETE"})
"""Types in which a clipboard tells of itself."""
LATIN_1 = "STRING"
PICTURES = ("image/png", "image/jpeg", "image/bmp")


class Copying:
    """The clipboard of a session, with the memory of what it held."""

    def __init__(self, runner: Runner, kept: Kept) -> None:
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
        return _lost(types, secret=await _secret(board, types))

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
        self._lacking[step.kept] = held.lost
        return Left((on_it(await _text(board, await board.types())),))

    def foretells(self, kept: str) -> str:
        """Say what would not come back."""
        return self._kept.lost(kept)

    def tells(self, kept: str) -> str:
        """Return, once, what did not come back."""
        return self._lacking.pop(kept, "")

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
    kind, secret = chosen(types), await _secret(board, types)
    lost = _lost(types, secret=secret)
    if kind is None or secret:
        return Held("", lost=lost)
    if kind in TEXTS:
        return Held(TEXTS[0], _encoded(await _text(board, types)), lost)
    return Held(kind, await board.read(kind), lost)


def _lost(types: tuple[str, ...], *, secret: bool) -> str:
    """Say what of a clipboard in these types does not come back."""
    if secret:
        return "the password of your password manager that was on the clipboard is not kept and does not come back"
    kind = chosen(types)
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


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _decoded(held: Held) -> str:
    return held.data.decode("utf-8", "replace") if held.kind in TEXTS else ""
