"""The words of an action: what a search looks for, and how a word that somebody typed is compared with them.

A word that is searched is found anywhere in a text, also inside a word. One of a single character or two is found only
where a word begins with it, since nearly every text has it somewhere.
"""

import re
from collections.abc import Iterator, Sequence
from typing import cast

from sayso.core.encoding import Json
from sayso.core.normal_forms import normal_form
from sayso.core.record import Record
from sayso.journal.rows import LIVE

_LETTERS = "[^\\W\\d_\u0e00-\u1dff\u2e80-\U0010ffff]+"
_TOKEN = re.compile(rf"{_LETTERS}|[0-9]+|\S")
"""Letters of one word, digits of one number, or one other character, such as one of a script without spaces."""
ALL = "="
"""Stands in the index for every action that is in it."""
INSIDE = 3
"""So many characters are found inside a word as well."""
HEAD = "=h"
"""Stands before the first sign of a word, and before its first two: of these, too many words may begin alike."""


def plain(text: str) -> str:
    """Return the text in the form in which texts are compared."""
    return normal_form(text, "NFKC").casefold().encode("utf-8", "replace").decode("utf-8")


def tokens(text: str) -> frozenset[str]:
    """Return the words of a text that `plain` returned."""
    return frozenset(_TOKEN.findall(text))


def pieces(word: str) -> list[str]:
    """Return the words of something typed, which `plain` returned, in order."""
    return _TOKEN.findall(word)


def is_whole(token: str) -> bool:
    """Return whether a word is only found as a whole: a single sign, unless it is a letter or a digit of many."""
    return len(token) == 1 and not _BEGINS.match(token)


_BEGINS = re.compile(f"{_LETTERS}|[0-9]")


def texts(record: Record) -> str:
    """Return all texts of a record that a search looks at, each in a line of its own, as `plain` writes them."""
    plan, marks = record.plan or {}, record.marks
    told = [record.operation, record.said, record.label, marks.message, marks.error]
    told += [plan.get("summary"), *_listed(plan.get("sends")), *_listed(plan.get("loses")), *_inside(record.arguments)]
    return plain("\n".join(one for one in told if isinstance(one, str)))


def have(text: str, found: frozenset[str], word: str) -> bool:
    """Return whether a text, of which these are the words, has the word that was typed."""
    typed = plain(word)
    return typed in text and (
        len(typed) >= INSIDE
        or all(
            token in found or (not is_whole(token) and any(one.startswith(token) for one in found))
            for token in tokens(typed)
        )
    )


def filed(record: Record) -> frozenset[str]:
    """Return the words under which an action is filed: its own, and those of the filters; of a live action, none."""
    if record.state in LIVE:
        return frozenset()
    by = record.marks.approved_by or ""
    marks = {ALL, f"=s{record.state.value}", f"=o{record.operation or ''}", f"=e{record.entry}"}
    marks |= {f"=b{by}", f"=b{by.partition(':')[0]}"} if by else set()
    found = tokens(texts(record))
    marks |= {f"{HEAD}{token[:size]}" for token in found if not is_whole(token) for size in (1, 2)}
    return found | marks


def _listed(value: Json) -> Sequence[Json]:
    return cast("Sequence[Json]", value) if isinstance(value, list) else ()


def _inside(value: Json) -> Iterator[Json]:
    if isinstance(value, dict):
        for one in cast("dict[str, Json]", value).values():
            yield from _inside(one)
    elif isinstance(value, list):
        for one in cast("Sequence[Json]", value):
            yield from _inside(one)
    else:
        yield value
