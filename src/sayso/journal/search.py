"""Find actions of the journal by words, by where they were asked from and by who approved them.

Most is found in the index of words (`word_index.py`). What this does not have yet is looked through: what waits or
runs, what changed since the index was last brought up to date, and what it has not read at all.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.ports import RecordQuery
from sayso.core.record import LARGEST, WIDTH, Record, id_part, key_limits, run_id
from sayso.journal.reader import JournalReader, fits
from sayso.journal.rows import Texts, decode_json, encode_json
from sayso.journal.verify import origin_of
from sayso.journal.word_index import Asked, Stretch, WordIndex, asked_for, file_of, open_index
from sayso.journal.word_updates import changes_since, follows
from sayso.journal.words import ALL, have, plain, texts, tokens

_Row = tuple[Sequence[Any], bool]
"""A row as it is stored, and whether it may fit."""


class Wanted(Struct, frozen=True):
    """What to look for beside what an index finds; an empty part means anything."""

    words: tuple[str, ...] = ()
    """Each of them is somewhere in what was said, planned, done or answered, in upper or lower case; one of less than
    three characters is where a word begins."""
    entries: frozenset[str] = frozenset()
    """The surfaces from which it was asked."""
    approved_by: frozenset[str] = frozenset()
    """How it was approved or declined; `grant` means any standing permission."""


class Found(Struct, frozen=True):
    """Some of what was found, newest first, and from where to look on."""

    records: tuple[Record, ...]
    further: int | None
    """The key of the oldest action that was looked at; None if there is nothing older."""
    since: str | None = None
    """When that action was proposed."""
    indexed: bool = True
    """Whether the words of all actions are in the index, so that nothing has to be looked through."""


def search(reader: JournalReader, query: RecordQuery, wanted: Wanted, enough: Callable[[], bool], path: str) -> Found:
    """Return the newest actions that fit, at most as many as the query says.

    What is not in the index of the journal at `path` is looked through until it is enough; then the rest is left.
    """
    with suppress(sqlite3.DatabaseError):
        index = open_index(file_of(path), origin_of(reader.connection), make=False)
        if index is not None:
            with closing(index):
                return _Search(reader, query, wanted, index).found(enough)
    return _Search(reader, query, wanted, None).found(enough)


def found_with(reader: JournalReader, query: RecordQuery, words: Iterable[str], path: str) -> list[Record]:
    """Return the newest actions that have these words, however far back they are."""
    return [*search(reader, query, Wanted(tuple(words)), lambda: False, path).records]


class _Search:
    def __init__(self, reader: JournalReader, query: RecordQuery, wanted: Wanted, index: WordIndex | None) -> None:
        self._reader = reader
        self._query = query
        self._wanted = wanted
        self._top, self._bottom = reader.bounds(query)
        self._ids = [word for word in wanted.words if _is_id(word)]
        self._words = [plain(word) for word in wanted.words if not _is_id(word)]
        self._index = index if index and follows(reader.connection, index.mark()) else None
        self._stretches = self._index.stretches() if self._index else [Stretch(0, LARGEST, unread=True)]

    def found(self, enough: Callable[[], bool]) -> Found:
        reader, out, patience = self._reader, list[Record](), _MOST_MISSES
        indexed = not any(stretch.unread for stretch in self._stretches)
        for row, may_fit in self._of_ids() if self._ids else self._all():
            record = reader.record(row) if may_fit else None
            fitting = record is not None and self._fits(record)
            if record is not None and fitting:
                out.append(record)
            patience = 0 if record is None else patience - (not fitting)
            if len(out) >= self._query.limit or (patience <= 0 and not fitting and enough()):
                return Found(tuple(out), row[0], reader.record(row).time, indexed)
        return Found(tuple(out), None, None, indexed)

    def _of_ids(self) -> Iterator[_Row]:
        """Yield the actions that the first id names, which may be shortened."""
        word, part = self._ids[0], id_part(self._ids[0])
        if part is not None:
            low, high, _, _ = key_limits(part)
            keys = {*self._reader.keys_between(low, high, _MOST_OF_ID)}
            runs = {run_id(key) for key in keys}
        else:
            found = self._reader.find(word)
            keys, runs = {found.key} if found else set[int](), {word}
        if word.casefold().startswith("run_"):
            keys = {record.key for run in runs for record in self._reader.of_run(run)}
        yield from self._read(keys)

    def _all(self) -> Iterator[_Row]:
        """Yield the actions that may fit, newest first."""
        asked, extra = self._asked(), self._extra()
        for stretch in self._stretches:
            if stretch.high < self._bottom or stretch.low >= self._top:
                continue
            if stretch.unread or self._index is None:
                yield from self._looked_through(stretch)
            else:
                keys = {*self._index.find(stretch.low, asked), *extra}
                yield from self._read(key for key in keys if stretch.low <= key <= stretch.high)
        lowest = self._stretches[-1].low if self._stretches else LARGEST + 1
        yield from self._read(key for key in extra if key < lowest)

    def _asked(self) -> list[Asked]:
        """Return what is asked of the index."""
        query, wanted = self._query, self._wanted
        asked = [one for word in self._words for one in asked_for(word)]
        for mark, some in (("s", query.states), ("e", wanted.entries), ("b", wanted.approved_by)):
            if some:
                asked.append(Asked(tuple(f"={mark}{one}" for one in sorted(some))))
        if query.operation is not None:
            asked.append(Asked(("=o",), glob=f"=o{query.operation}"))
        return asked or [Asked((ALL,))]

    def _extra(self) -> frozenset[int]:
        """Return the actions that may have changed since they were filed, and those that wait or run."""
        if self._index is None:
            return frozenset()
        changed = changes_since(self._reader.connection, self._index.mark().seq).keys
        return changed | {*self._index.single()} | {*self._reader.live_keys()}

    def _looked_through(self, stretch: Stretch) -> Iterator[_Row]:
        known: dict[str, bool] = {}
        for row in self._reader.stored_rows(replace(self._query, before=min(self._top, stretch.high + 1))):
            if row[0] < stretch.low:
                return
            yield row, self._may_fit(row, known)

    def _read(self, keys: Iterable[int]) -> Iterator[_Row]:
        for key in sorted(keys, reverse=True):
            row = self._reader.row(key) if self._bottom <= key < self._top else None
            if row is not None and fits(row, self._query):
                yield row, True

    def _may_fit(self, row: Sequence[Any], known: dict[str, bool]) -> bool:
        """Return whether a row may fit, without reading it as a record, which takes ten times as long."""
        if self._wanted.entries:
            origin = cast("str", row[5])
            if origin not in known:
                known[origin] = cast("dict[str, Json]", decode_json(origin))["entry"] in self._wanted.entries
            if not known[origin]:
                return False
        marks = cast("str", row[17])
        if self._wanted.approved_by and '"approved_by":"' not in marks:
            return False
        text = plain(self._written_out(f"{row[3]}{row[10]}{marks}", row)) if self._words else ""
        return "\\u" in text or all(encode_json(word)[1:-1] in text for word in self._words)

    def _written_out(self, text: str, row: Sequence[Any]) -> str:
        """Return the texts of a row without its own abbreviations.

        The texts that all rows share are structure; of a value, they can only be quotes, colons and braces.
        """
        own_texts = cast("Texts", tuple(row[11:15]))
        if any({*word} & _STRUCTURE for word in self._words):
            return self._reader.shorthand.long(text, own_texts)
        for code, own in enumerate(own_texts, 1):
            if own:
                text = text.replace(chr(code), own)
        return text

    def _fits(self, record: Record) -> bool:
        by = record.marks.approved_by or ""
        wanted = self._wanted
        if wanted.approved_by and by not in wanted.approved_by and by.partition(":")[0] not in wanted.approved_by:
            return False
        if wanted.entries and record.entry not in wanted.entries:
            return False
        if not all(_names(record, word) for word in self._ids):
            return False
        text = texts(record) if self._words else ""
        found = tokens(text) if self._words else frozenset[str]()
        return all(have(text, found, word) for word in self._words)


_STRUCTURE = frozenset('":{},')
_MOST_MISSES = 500
"""So many actions that may fit are read although they do not, before a search is left for later."""
_MOST_OF_ID = 1000
"""How many actions a shortened id stands for at most."""


def _is_id(word: str) -> bool:
    """Return whether a word is an id of an action or a run, whole or shortened, which stands in no text."""
    head, mark, digits = word.casefold().partition("_")
    return head in {"do", "run"} and mark == "_" and (id_part(word) is not None or len(digits) == WIDTH)


def _names(record: Record, word: str) -> bool:
    """Return whether an id, which may be shortened, is that of a record or of its run."""
    return (record.run if word.casefold().startswith("run_") else record.id).casefold().startswith(word.casefold())
