"""Write what stands in most rows, or twice in one, as one character, so that a row stays small.

A raw control character cannot occur in JSON text, so it is free to stand for something: 1 to 4 for
the texts of this very row (its columns `a` to `d`), 5 to 31 for the texts of the table `short`, which
is the same for every row of a journal. `history` in `schema.sql` writes everything out again.
"""

import re
import sqlite3
from collections.abc import Mapping, Sequence
from typing import cast

from sayso.core.canonical import Json
from sayso.core.values import dataclass
from sayso.journal.rows import encoded

OWN = 4
"""How many texts of its own a row may have."""
WORTH = 6
"""Shorter texts are not worth a column."""
_OWN = re.compile("[\x01-\x04]")
_COMMON = re.compile("[\x05-\x1f]")
_CHARACTERS = tuple(map(chr, range(1 + OWN, 32)))
_FIRST_NUMBER = re.compile(r'(?<=":)\d')

Texts = tuple[str | None, str | None, str | None, str | None]
"""A row's own texts, the common ones in them written as characters already."""


@dataclass(frozen=True)
class Shorthand:
    """The texts that one journal writes as a character each; the first one's character is 5."""

    common: tuple[str, ...]

    def texts(self, arguments: Mapping[str, Json], plan: Mapping[str, Json] | None) -> Texts:
        """Return what stands more than once in a row: its longest arguments, the home folder, what was seen."""
        values = [value for value in arguments.values() if isinstance(value, str)]
        longest = sorted({_quoted(value.removeprefix("~")) for value in values}, key=lambda text: (-len(text), text))[
            :2
        ]
        change = _first_change(plan)
        texts = (*(*longest, "", "")[:2], _home(change, longest), self._shortened(_seen(change)))
        first, second, third, fourth = (text if len(text) > WORTH else None for text in texts)
        return first, second, third, fourth

    def short(self, text: str, texts: Texts) -> str:
        """Return JSON text with the common texts, and then the row's own, written as characters."""
        text = self._shortened(text)
        for code, own in enumerate(texts, 1):
            if own:
                text = text.replace(own, chr(code))
        return text

    def long(self, text: str, texts: Texts) -> str:
        """Return what `short` was given."""
        text = _OWN.sub(lambda found: texts[ord(found.group()) - 1] or "", text)
        return _COMMON.sub(lambda found: self.common[ord(found.group()) - 1 - OWN], text)

    def _shortened(self, text: str) -> str:
        for character, common in zip(_CHARACTERS, self.common, strict=False):
            text = text.replace(common, character)
        return text


def _first_change(plan: Mapping[str, Json] | None) -> Mapping[str, Json]:
    changes = (plan or {}).get("changes")
    if isinstance(changes, Sequence) and changes and isinstance(changes[0], Mapping):
        return cast("Mapping[str, Json]", changes[0])
    return {}


def _home(change: Mapping[str, Json], longest: list[str]) -> str:
    # The plan has ~/a.txt as /home/ana/a.txt.
    step = change.get("do")
    if not isinstance(step, Mapping):
        return ""
    for value in cast("Mapping[str, Json]", step).values():
        for tail in longest:
            if isinstance(value, str) and tail.startswith("/") and value.endswith(tail) and value != tail:
                return _quoted(value.removesuffix(tail))
    return ""


def _seen(change: Mapping[str, Json]) -> str:
    # What was seen of a thing before comes again in what was left of it.
    expects = change.get("expects")
    if not isinstance(expects, Mapping):
        return ""
    for abouts in cast("Mapping[str, Json]", expects).values():
        for members in cast("Mapping[str, Json]", abouts).values() if isinstance(abouts, Mapping) else ():
            if isinstance(members, Mapping) and len(seen := cast("Mapping[str, Json]", members)) > OWN:
                text = _quoted(seen)
                start = _FIRST_NUMBER.search(text)
                return text[start.start() :] if start else text
    return ""


def _quoted(value: Json) -> str:
    return encoded(value)[1:-1]


def shorthand_of(connection: sqlite3.Connection) -> Shorthand:
    """Return the texts that this journal writes as characters."""
    return Shorthand(tuple(text for (text,) in connection.execute("SELECT text FROM short ORDER BY code")))
