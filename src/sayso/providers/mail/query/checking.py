"""Say what is wrong with the order of a query's words and signs, before it is read as a whole (T-47)."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from sayso.core.errors import ProposalError
from sayso.providers.mail.query.values import wrong

DEEPEST, MOST = 20, 100
_CLOSES = {"RPAR": "LPAR", "RBRACE": "LBRACE"}
_SIGNS = {"LPAR": "(", "RPAR": ")", "LBRACE": "{", "RBRACE": "}"}
_BEGINS = frozenset({"WORD", "PHRASE", "LPAR", "LBRACE"})

_NOT_UNDERSTOOD = {
    "NOT": '“NOT” is not understood here; write “-” right before what is left out, or “"NOT"” to look for the word',
    "AROUND": "“AROUND” is not understood here; write words in quotation marks to find them side by side",
}


class Piece(Protocol):
    """A word or sign of a query."""

    @property
    def type(self) -> str:
        """Return what it is."""
        ...

    @property
    def value(self) -> str:
        """Return it as it was written."""
        ...


def check(pieces: Sequence[Piece]) -> None:
    """Return if nothing is wrong. Raises `ProposalError` with one sentence that names what is."""
    if not pieces:
        raise wrong("the query is empty; write at least one word or operator")
    if len(pieces) > 4 * MOST:
        raise too_long()
    _brackets(pieces)
    for before, piece, after in _in_place(pieces):
        _piece(before, piece, after)


def too_long() -> ProposalError:
    """Return the error for a query of too many terms."""
    return wrong(f"the query has too many terms; at most {MOST} are taken")


def _in_place(pieces: Sequence[Piece]) -> Iterator[tuple[str, Piece, str]]:
    kinds = ["START", *(piece.type for piece in pieces), "END"]
    yield from zip(kinds[:-2], pieces, kinds[2:], strict=True)


def _brackets(pieces: Sequence[Piece]) -> None:
    opened: list[str] = []
    for piece in pieces:
        if piece.type in _CLOSES.values():
            opened.append(piece.type)
        elif piece.type in _CLOSES and (not opened or opened.pop() != _CLOSES[piece.type]):
            raise wrong(f"“{_SIGNS[piece.type]}” closes nothing; each bracket needs its other half before it")
        elif piece.type == "AND" and opened and opened[-1] == "LBRACE":
            raise wrong("“AND” cannot stand between { and }, which mean OR; write ( and ) there")
        if len(opened) > DEEPEST:
            raise wrong(f"brackets stand deeper than {DEEPEST} within each other; write the query flatter")
    if opened:
        raise wrong(f"“{_SIGNS[opened[-1]]}” is not closed")


def _piece(before: str, piece: Piece, after: str) -> None:
    match piece.type:
        case "OR" | "AND" if not (_ends(before) and _starts(after)):
            raise wrong(
                f"“{piece.value}” needs something on both sides; put it in quotation marks to look for the word"
            )
        case "MINUS" if before == "OPERATOR":
            raise wrong("“-” stands before the operator, as in -from:ana, and not behind it")
        case "MINUS" if after not in {*_BEGINS, "OPERATOR"}:
            raise wrong("“-” must stand right before what it leaves out")
        case "WORD":
            _word(piece.value)
        case "OPERATOR" if after == "OPERATOR":
            raise wrong(f"“{piece.value}” needs something behind it; put text with a colon in quotation marks")
        case "OPERATOR" if after not in {*_BEGINS, "MINUS"}:
            raise wrong(f"“{piece.value}” needs something behind it, as in {piece.value}word")
        case "LPAR" | "LBRACE" if after in _CLOSES:
            raise wrong("a pair of brackets is empty")
        case _:
            pass


def _word(word: str) -> None:
    if word in _NOT_UNDERSTOOD:
        raise wrong(_NOT_UNDERSTOOD[word])
    if word.startswith("-"):
        raise wrong("“-” must stand once, right before what it leaves out")


def _ends(kind: str) -> bool:
    return kind in {"WORD", "PHRASE", *_CLOSES}


def _starts(kind: str) -> bool:
    return kind in {*_BEGINS, "OPERATOR", "MINUS"}
