"""Bring the index of words up to date with its journal: follow the chain, and read what was there before.

The words are found first, without a lock. Then, while the index is locked, the chain is looked at again: if something
of it was changed or removed meanwhile, all is left for the next time.
"""

import sqlite3
from contextlib import closing
from typing import cast

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.record import action_key
from sayso.journal.database import connect_to_look
from sayso.journal.reader import JournalReader
from sayso.journal.rows import ROWS, decode_json, shorthand_of
from sayso.journal.verify import origin_of
from sayso.journal.word_index import PART, Mark, Postings, WordIndex, file_of, open_index, remove_index
from sayso.journal.words import filed

_ROWS_OF_CHAIN = 4096
"""How much of the chain is followed at once."""
_CHAIN = "SELECT seq, action, event, more FROM audit WHERE seq > ? ORDER BY seq LIMIT ?"
_HEAD = """SELECT seq, hash FROM audit UNION ALL SELECT seq, hash FROM anchor ORDER BY seq DESC LIMIT 1"""
_BEFORE = f"{ROWS} WHERE key BETWEEN ? AND ? ORDER BY key DESC LIMIT ?"
_UNREAD = "SELECT low, high FROM unread WHERE after < ? ORDER BY high DESC LIMIT 1"


class Changed(Struct, frozen=True):
    """What the chain says of a while: which actions changed, which of them with new content, and up to where."""

    keys: frozenset[int]
    anew: frozenset[int]
    removed: bool
    seq: int


def changes_since(journal: sqlite3.Connection, seq: int, most: int = -1) -> Changed:
    """Return what the chain says after this row of it."""
    keys, anew, removed = set[int](), set[int](), False
    for at, action, event, more in journal.execute(_CHAIN, (seq, most)):
        seq, removed = at, removed or event == "pruned"
        if more is None:
            keys.add(action)
            continue
        for one in cast("list[dict[str, Json]]", cast("dict[str, Json]", decode_json(more)).get("actions") or []):
            try:
                keys.add(key := action_key(str(one.get("id"))))
            except ProposalError:
                continue
            if one.get("anew"):
                anew.add(key)
    return Changed(frozenset(keys), frozenset(anew), removed, seq)


def follows(journal: sqlite3.Connection, mark: Mark) -> bool:
    """Return whether the journal still has the row of the chain up to which the index followed it."""
    both = "SELECT hash FROM audit WHERE seq = ?1 UNION ALL SELECT hash FROM anchor WHERE seq = ?1"
    return (mark.hash,) in journal.execute(both, (mark.seq,)).fetchall()


def read_on(path: str) -> bool:
    """Read some of the journal at `path` into its index; return whether there may be more to read.

    It has connections of its own, and may run in any thread. Raises `SetupError` or `sqlite3.Error`.
    """
    with closing(connect_to_look(path)) as journal:
        index = open_index(file_of(path), origin_of(journal), make=True)
        if index is None:
            return False
        with closing(index):
            mark = index.mark()
            if mark.seq < 0:
                return _begin(journal, index)
            if not follows(journal, mark):
                index.close()
                remove_index(file_of(path))
                return True
            return _Reading(journal, index, mark).read_on()


def _begin(journal: sqlite3.Connection, index: WordIndex) -> bool:
    index.connection.execute("BEGIN IMMEDIATE")
    if index.mark().seq < 0:
        journal.execute("BEGIN")
        seq, head = journal.execute(_HEAD).fetchone()
        (newest,) = journal.execute("SELECT coalesce(max(key), 0) FROM action").fetchone()
        journal.execute("COMMIT")
        index.read_again(0, max(newest, 1), -1)
        index.connection.execute("UPDATE mark SET seq = ?, hash = ?", (seq, head))
    index.connection.execute("COMMIT")
    return True


class _Reading:
    def __init__(self, journal: sqlite3.Connection, index: WordIndex, mark: Mark) -> None:
        self._journal = journal
        self._index = index
        self._mark = mark
        self._reader = JournalReader(journal, shorthand_of(journal))

    def read_on(self) -> bool:
        journal, index = self._journal, self._index
        journal.execute("BEGIN")
        changed = changes_since(journal, self._mark.seq, _ROWS_OF_CHAIN)
        (head,) = journal.execute("SELECT hash FROM audit WHERE seq = ?", (changed.seq,)).fetchone() or (b"",)
        (end, _) = journal.execute(_HEAD).fetchone()
        words = self._words(changed.keys)
        unread: tuple[int, int] | None = (
            index.connection.execute(_UNREAD, (end,)).fetchone() if changed.seq == end else None
        )
        part = self._words_between(*unread) if unread else Postings()
        journal.execute("COMMIT")
        if changed.seq == self._mark.seq and not unread:
            return False
        index.connection.execute("BEGIN IMMEDIATE")
        meanwhile = changes_since(journal, end)
        moved = meanwhile.removed or not meanwhile.keys.isdisjoint([*part.keys, *words])
        if index.mark() != self._mark or moved or self._was_taken(unread):
            index.connection.execute("ROLLBACK")
            return True
        if changed.removed:
            index.forget_gone(journal, changed.seq)
        for key in changed.anew:
            index.forget(key)
        index.add(words)
        if unread:
            self._put_part(unread, part)
        if changed.seq > self._mark.seq:
            index.connection.execute("UPDATE mark SET seq = ?, hash = ?", (changed.seq, head))
        index.connection.execute("COMMIT")
        return True

    def _words(self, keys: frozenset[int]) -> dict[int, frozenset[str]]:
        return {key: filed(record) for key in keys if (record := self._reader.get(key)) is not None}

    def _words_between(self, low: int, high: int) -> Postings:
        read = Postings()
        for row in self._journal.execute(_BEFORE, (low, high, PART)):
            read.put(row[0], filed(self._reader.record(row)))
        return read

    def _was_taken(self, unread: tuple[int, int] | None) -> bool:
        there = "SELECT low, high FROM unread WHERE low = ? AND high = ?"
        return unread is not None and self._index.connection.execute(there, unread).fetchone() is None

    def _put_part(self, unread: tuple[int, int], read: Postings) -> None:
        low, high = unread
        index, least = self._index, min(read.keys, default=low)
        index.connection.execute("DELETE FROM unread WHERE low = ?", (low,))
        if low == high:
            index.add(self._words(frozenset(read.keys)))
            return
        whole = len(read.keys) < PART or least == low
        if read.keys:
            index.put_part(low if whole else least, read)
        if not whole:
            index.read_again(low, max(least - 1, low + 1), -1)
