"""Keep what a model is shown of the world bounded, and say what was left out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from sayso.core.canonical import Json
from sayso.core.context import Context, LeftOut, Piece
from sayso.core.fence import fenced, harmless

_EMPTY = fenced("", "")


def bounded(context: Context, most: int) -> Context:
    """Return the context with no more characters of data than `most`; the longest pieces are cut, none else.

    Raw texts give way before lists do (T-109). Of a list the first entries stay, whole.
    """
    sizes = [_size(piece) for piece in context.pieces]
    if sum(sizes) <= most:
        return context
    texts = [isinstance(piece.data, str) for piece in context.pieces]
    lists = sum(size for size, text in zip(sizes, texts, strict=True) if not text)
    for_texts = _share([size for size, text in zip(sizes, texts, strict=True) if text], max(0, most - lists))
    for_lists = _share([size for size, text in zip(sizes, texts, strict=True) if not text], most)
    kept: list[Piece] = []
    left_out: list[LeftOut] = []
    for piece, size, text in zip(context.pieces, sizes, texts, strict=True):
        room = for_texts if text else for_lists
        cut, why = (piece, "") if size <= room else _cut(piece, room)
        kept.append(cut)
        left_out += [LeftOut(piece.name, "", why)] if why else []
    return replace(context, pieces=tuple(kept), left_out=(*context.left_out, *left_out))


def _size(piece: Piece) -> int:
    if isinstance(piece.data, str):
        return len(harmless(piece.data))
    return sum(_row(row) for row in (cast("list[Json]", piece.data) if isinstance(piece.data, list) else [piece.data]))


def _row(row: Json) -> int:
    return len(fenced("", [row])) - len(_EMPTY) + 1


def _share(sizes: Sequence[int], most: int) -> int:
    """Return how long each may be so that all of them together are no longer than `most`."""
    left, waiting = most, len(sizes)
    for size in sorted(sizes):
        if size * waiting > left:
            return left // waiting
        left, waiting = left - size, waiting - 1
    return most


def _cut(piece: Piece, room: int) -> tuple[Piece, str]:
    if not isinstance(piece.data, list):
        text = str(piece.data)
        while len(harmless(text)) > room:  # what is written as its number takes more room than one character
            text = text[: room * len(text) // len(harmless(text))]
        return replace(piece, data=text), f"only the first {len(text):,} characters are told"
    rows = cast("list[Json]", piece.data)
    taken = used = 0
    while taken < len(rows) and (used := used + _row(rows[taken])) <= room:
        taken += 1
    return replace(piece, data=rows[:taken]), f"only the first {taken:,} of {len(rows):,} are told"
