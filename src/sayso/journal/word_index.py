"""The index of the words of the journal: which actions have them, in a file beside the journal that can be made anew.

The journal is divided into stretches of keys. Of each, the index knows for every word the places of the actions that
have it, so that a search for several words and filters is a few `and` of long numbers. It may name actions that no
longer have a word; whoever searches reads what it names. What was forgotten is never in it.
"""

import sqlite3
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct

from sayso.core.record import LARGEST
from sayso.journal.database import connect, make_private_file, run
from sayso.journal.words import ALL, HEAD, INSIDE, is_whole, pieces

PART, _MOST_PLACES = 1 << 14, 1 << 16
"""How many actions a stretch has, and how many more may come late before it is divided."""
_LIST = 1 << 10
"""Up to this many places are a list; more are a map."""
_MANY = 64
"""Of so many places it is faster to look at each bit than for the next one."""
_VERSION = 2
_CHUNK = 1 << 13
"""How many characters of words a row of the vocabulary has at most, unless it is a single word."""
_SETTINGS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA cache_size = -2048",
    "PRAGMA journal_size_limit = 16777216",
    "PRAGMA secure_delete = ON",
    "PRAGMA busy_timeout = 5000",
)
_WORDS_OF = "SELECT word, rows FROM word WHERE part = ?"
_SPREAD = "SELECT word, rows FROM word WHERE part = ? AND word >= ? AND word < ?"
_LAST = "\U0010ffff"


class Asked(Struct, frozen=True):
    """One thing that an action must have: one of these words, or a word that begins like that or has that inside."""

    words: tuple[str, ...]
    begins: bool = False
    inside: bool = False
    glob: str = ""
    """If it is set, one of the words that begin like that and match this."""


class Stretch(Struct, frozen=True):
    """The keys from `low` to `high`; if `unread`, the index does not know their words."""

    low: int
    high: int
    unread: bool


class Mark(Struct, frozen=True):
    """Up to where in the journal the index has followed its changes."""

    seq: int
    hash: bytes


def asked_for(typed: str) -> list[Asked]:
    """Return what is asked of an action by something typed, of which only the first and the last word may be a part."""
    some = pieces(typed)
    between = [Asked((one,)) for one in some[1:-1]]
    if len(some) == 1:
        return [_inside(some[0]) or _beginning(some[0])]
    # With less than that, the first word is nowhere in the index unless it begins one.
    first = _inside(some[0]) or (_beginning(some[0]) if len(typed) < INSIDE else None)
    return [*([first] if first else []), *between, *map(_beginning, some[-1:])]


def _inside(token: str) -> Asked | None:
    if is_whole(token):
        return Asked((token,))
    return Asked((token,), inside=True) if len(token) >= INSIDE else None


def _beginning(token: str) -> Asked:
    if is_whole(token):
        return Asked((token,))
    return Asked((HEAD + token,)) if len(token) < INSIDE else Asked((token,), begins=True)


def file_of(journal: str) -> str:
    """Return the path of the index of a journal."""
    return str(Path(journal).with_name("words.db"))


def open_index(path: str, origin: str, *, make: bool) -> "WordIndex | None":
    """Return the index of the journal with this origin, made if `make`; None if there is none.

    One that belongs to another journal, or that cannot be read, is removed.
    """
    for _ in range(2):
        if not Path(path).exists():
            if not make:
                return None
            with suppress(FileExistsError):
                make_private_file(path)
        connection = connect(path)
        try:
            for setting in _SETTINGS:
                connection.execute(setting).fetchall()
            if make:
                _create(connection, origin)
            found = connection.execute("PRAGMA user_version").fetchone()[0] == _VERSION
            if found and connection.execute("SELECT origin FROM mark").fetchone() == (origin,):
                return WordIndex(connection)
        except sqlite3.OperationalError:
            connection.close()
            raise
        except sqlite3.DatabaseError:
            pass
        connection.close()
        remove_index(path)
    return None


def remove_index(path: str) -> None:
    """Remove an index, which is made anew when it is needed."""
    for end in ("", "-wal", "-shm"):
        Path(path + end).unlink(missing_ok=True)


def _create(connection: sqlite3.Connection, origin: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    if not connection.execute("PRAGMA user_version").fetchone()[0]:
        run(connection, Path(__file__).with_name("words.sql").read_text(encoding="utf-8"))
        connection.execute("INSERT INTO mark VALUES (?, -1, x'')", (origin,))
        connection.execute(f"PRAGMA user_version = {_VERSION}")
    connection.execute("COMMIT")


class Postings:
    """The actions of a stretch that is being read, and the places of each word among them."""

    def __init__(self) -> None:
        self.keys = array("q")
        self.places: dict[str, array[int]] = {}

    def put(self, key: int, words: Iterable[str]) -> None:
        """Add an action and its words."""
        place = len(self.keys)
        self.keys.append(key)
        for word in words:
            if word not in self.places:
                self.places[word] = array("H")
            self.places[word].append(place)


class WordIndex:
    """One connection to an index; `close` it after use."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    # --- looking -----------------------------------------------------------------------------------------

    def mark(self) -> Mark:
        """Return how far the index has followed the journal."""
        return Mark(*self.connection.execute("SELECT seq, hash FROM mark").fetchone())

    def stretches(self) -> list[Stretch]:
        """Return the stretches of all keys, newest first."""
        lows = {low: False for (low,) in self.connection.execute("SELECT low FROM part")}
        lows |= {low: True for (low,) in self.connection.execute("SELECT low FROM unread WHERE low < high")}
        above, out = LARGEST, list[Stretch]()
        for low in sorted(lows, reverse=True):
            out.append(Stretch(low, above, lows[low]))
            above = low - 1
        return out

    def single(self) -> list[int]:
        """Return the single keys whose words are to be read again."""
        return [low for (low,) in self.connection.execute("SELECT low FROM unread WHERE low = high")]

    def keys(self, part: int) -> "array[int]":
        """Return the keys of a stretch by their places."""
        out = array("q")
        found = self.connection.execute("SELECT keys FROM part WHERE low = ?", (part,)).fetchone()
        out.frombytes(found[0] if found else b"")
        return out

    def find(self, part: int, asked: Sequence[Asked]) -> list[int]:
        """Return the keys of a stretch that may have all that is asked, newest first."""
        left = -1
        for one in sorted(asked, key=lambda one: (one.inside, one.begins or bool(one.glob), -len(one.words[0]))):
            left &= self._places(part, one)
            if not left:
                return []
        keys = self.keys(part)
        return sorted((keys[place] for place in _set_bits(left)), reverse=True)

    def _places(self, part: int, asked: Asked) -> int:
        places = 0
        for word in self._containing(part, asked.words[0]) if asked.inside else asked.words:
            if asked.begins or asked.glob:
                found = self.connection.execute(_SPREAD, (part, word, word + _LAST))
            else:
                found = self.connection.execute(f"{_WORDS_OF} AND word = ?", (part, word))
            for name, rows in found:
                if not asked.glob or fnmatchcase(name, asked.glob):
                    places |= _bits(rows)
        return places

    def _containing(self, part: int, inside: str) -> Iterator[str]:
        there = "SELECT words FROM vocabulary WHERE part = ? AND instr(words, ?)"
        for (words,) in self.connection.execute(there, (part, inside)).fetchall():
            at = words.find(inside)
            while at >= 0:
                end = words.index("\n", at)
                yield words[words.rindex("\n", 0, at) + 1 : end]
                at = words.find(inside, end)

    # --- changing, in a transaction that the caller opened ------------------------------------------------

    def put_part(self, low: int, read: "Postings") -> None:
        """Add a stretch."""
        self.connection.execute("INSERT INTO part VALUES (?, ?)", (low, read.keys.tobytes()))
        rows = ((low, word, _written(read.places[word])) for word in sorted(read.places))
        self.connection.executemany("INSERT INTO word VALUES (?, ?, ?)", rows)
        self._add_vocabulary(low, read.places)

    def _add_vocabulary(self, part: int, words: Iterable[str]) -> None:
        """Add words that a stretch did not have before."""
        last = "SELECT n, words FROM vocabulary WHERE part = ? ORDER BY n DESC LIMIT 1"
        n, text = self.connection.execute(last, (part,)).fetchone() or (0, "\n")
        row = "INSERT OR REPLACE INTO vocabulary VALUES (?, ?, ?)"
        added = [text]
        size = len(text)
        for word in sorted(word for word in words if _in_vocabulary(word)):
            if size > 1 and size + len(word) > _CHUNK:
                self.connection.execute(row, (part, n, "".join(added)))
                n, added, size = n + 1, ["\n"], 1
            added.append(f"{word}\n")
            size += len(word) + 1
        if len(added) > 1:
            self.connection.execute(row, (part, n, "".join(added)))

    def _forget_vocabulary(self, part: int, gone: Collection[str]) -> None:
        """Remove words that no action of a stretch has any more."""
        rows = self.connection.execute("SELECT n, words FROM vocabulary WHERE part = ?", (part,)).fetchall()
        for n, text in rows:
            words = text.split("\n")
            left = "\n".join(word for word in words if word not in gone)
            if left != text:
                self.connection.execute("UPDATE vocabulary SET words = ? WHERE part = ? AND n = ?", (left, part, n))

    def add(self, filed: Mapping[int, frozenset[str]]) -> None:
        """Add words of single actions, which may be in the index already; those of an unread stretch are left out."""
        by_part: dict[int, list[int]] = {}
        for key in sorted(filed):
            if not self._is_unread(key):
                by_part.setdefault(self._part_for(key), []).append(key)
        for part, some in by_part.items():
            keys = self.keys(part)
            places: dict[str, array[int]] = {}
            if len(keys) + len(some) > _MOST_PLACES:
                self._drop(part, -1)
                continue
            place_of = {key: place for place, key in enumerate(keys)}
            for key in some:
                if key not in place_of:
                    place_of[key] = len(keys)
                    keys.append(key)
                for word in filed[key]:
                    places.setdefault(word, array("H")).append(place_of[key])
            self.connection.execute("INSERT OR REPLACE INTO part VALUES (?, ?)", (part, keys.tobytes()))
            before = {word: self._places(part, Asked((word,))) for word in places}
            for word, more in places.items():
                self._write(part, word, before[word] | _bits(more.tobytes()))
            self._add_vocabulary(part, [word for word, there in before.items() if not there])

    def _is_unread(self, key: int) -> bool:
        there = "SELECT 1 FROM unread WHERE ? BETWEEN low AND high"
        return self.connection.execute(there, (key,)).fetchone() is not None

    def _part_of(self, key: int) -> int | None:
        return self.connection.execute("SELECT max(low) FROM part WHERE low <= ?", (key,)).fetchone()[0]

    def _part_for(self, key: int) -> int:
        """Return the stretch to which a key is added: the one that it falls into, unless that is full below it."""
        part = self._part_of(key)
        keys = array("q") if part is None else self.keys(part)
        return key if part is None or (len(keys) >= PART and key > max(keys)) else part

    def _write(self, part: int, word: str, places: int) -> None:
        if places:
            text = _written(array("H", _set_bits(places)))
            self.connection.execute("INSERT OR REPLACE INTO word VALUES (?, ?, ?)", (part, word, text))
        else:
            self.connection.execute("DELETE FROM word WHERE part = ? AND word = ?", (part, word))

    def forget(self, key: int) -> bool:
        """Remove everything about one action; return whether there was anything."""
        part = self._part_of(key)
        keys = array("q") if part is None else self.keys(part)
        if part is None or key not in keys:
            return False
        bit = 1 << keys.index(key)
        if not self._places(part, Asked((ALL,))) & bit:
            return False
        gone = set[str]()
        for word, rows in self.connection.execute(_WORDS_OF, (part,)).fetchall():
            if (places := _bits(rows)) & bit:
                self._write(part, word, places ^ bit)
                gone |= {word} if places == bit else set()
        self._forget_vocabulary(part, gone)
        return True

    def forget_gone(self, journal: sqlite3.Connection, after: int) -> None:
        """Remove the stretches of which an action is no longer in the journal; what is left of them is read again."""
        for stretch in self.stretches():
            keys = array("q") if stretch.unread else self.keys(stretch.low)
            if not keys:
                continue
            between = "SELECT key FROM action WHERE key BETWEEN ? AND ?"
            there = {key for (key,) in journal.execute(between, (min(keys), max(keys)))}
            if not there.issuperset(keys):
                self._drop(stretch.low, after)

    def _drop(self, part: int, after: int) -> None:
        """Remove a stretch, and note that it is to be read again."""
        newest = max(self.keys(part), default=part)
        self.connection.execute("DELETE FROM word WHERE part = ?", (part,))
        self.connection.execute("DELETE FROM vocabulary WHERE part = ?", (part,))
        self.connection.execute("DELETE FROM part WHERE low = ?", (part,))
        self.read_again(part, max(newest, part + 1), after)

    def read_again(self, low: int, high: int, after: int) -> None:
        """Note that these keys are to be read once the chain of the journal is longer than `after`."""
        self.connection.execute("INSERT OR REPLACE INTO unread VALUES (?, ?, ?)", (low, high, after))


def _in_vocabulary(word: str) -> bool:
    return len(word) >= INSIDE and not word.startswith(ALL)


def _set_bits(places: int) -> Iterator[int]:
    if places.bit_count() > _MANY:
        yield from (place for place, bit in enumerate(bin(places)[:1:-1]) if bit == "1")
        return
    while places:
        last = places & -places
        yield last.bit_length() - 1
        places ^= last


def _written(places: "array[int]") -> bytes:
    if len(places) <= _LIST:
        return places.tobytes()
    room = (max(places) >> 3) + 1
    bits = bytearray(room | 1)
    for place in places:
        bits[place >> 3] |= 1 << (place & 7)
    return bytes(bits)


def _bits(rows: bytes) -> int:
    if len(rows) & 1:
        return int.from_bytes(rows, "little")
    places = array("H")
    places.frombytes(rows)
    if len(places) == 1:
        return 1 << places[0]
    bits = bytearray((max(places) >> 3) + 1)
    for place in places:
        bits[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(bits, "little")


def forget_in(path: str, journal: sqlite3.Connection, keys: Iterable[int] | None) -> None:
    """Take out of the index of the journal at `path` what is about to be redacted or removed, if there is an index.

    `keys` are the actions that are redacted; if it is None, all are meant that the open transaction has removed. An
    index that cannot be changed is removed as a whole.
    """
    file = file_of(path)
    (origin,) = journal.execute("SELECT value FROM meta WHERE name = 'origin'").fetchone()
    (end,) = journal.execute("SELECT max(seq) FROM audit").fetchone()
    after = end if keys is not None else end - 1
    try:
        index = open_index(file, origin, make=False)
        if index is not None:
            with closing(index):
                _forget(index, journal, keys, after)
    except sqlite3.Error:
        remove_index(file)


def _forget(index: WordIndex, journal: sqlite3.Connection, keys: Iterable[int] | None, after: int) -> None:
    index.connection.execute("BEGIN IMMEDIATE")
    if keys is None:
        index.forget_gone(journal, after)
    for key in keys or ():
        if index.forget(key):
            index.read_again(key, key, after)
    index.connection.execute("COMMIT")
    index.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
