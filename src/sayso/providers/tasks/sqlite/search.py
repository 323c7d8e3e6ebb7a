"""Search index for tasks and habits: it contains groups of letters, and the first letters of words, of each text."""

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice

from sayso.providers.tasks.lookup import fits_every_word, normalize, significant, stands_alone, words
from sayso.providers.tasks.lookup import near as close_texts

ACTIVE, COMPLETED, HABITS = "a", "c", "h"
_MOST_TOKENS = 4
"""About how many tokens one search uses; the texts found with these tokens are then compared with the query in full."""
_MOST_WORDS = 8
"""How many words of a query are looked up at most. The longest are used, since it is not known which are rarest."""
_START = 4
"""How many letters at the beginning of each word are indexed."""
_CLOSE = 8
"""How many candidates are taken at most for one piece of a query."""
_PIECES = (2, 3, 4)
_OF_TASKS = (
    "SELECT texts.id, tasks.text FROM letters JOIN texts ON texts.item = letters.rowid "
    "JOIN tasks ON tasks.id = texts.id WHERE letters MATCH ? LIMIT ?"
)
_OF_HABITS = (
    "SELECT texts.id, habits.text FROM letters JOIN texts ON texts.item = letters.rowid "
    "JOIN habits ON habits.id = texts.id WHERE letters MATCH ? LIMIT ?"
)
_CANDIDATES = {ACTIVE: _OF_TASKS, COMPLETED: _OF_TASKS, HABITS: _OF_HABITS}

# The tokenizer splits at every ASCII character other than letters and digits, so tokens use private characters instead.
_WRITTEN = {code: 0xE000 + code for code in range(128) if not chr(code).isalnum()}


def put(connection: sqlite3.Connection, which: str, item_id: str, text: str) -> None:
    """Put a task or habit into the index with its list (`which`) and text; a former entry of it is replaced."""
    plain = normalize(text)
    if connection.execute(
        "SELECT 1 FROM texts WHERE id = ? AND list = ? AND plain = ?", (item_id, which, plain)
    ).fetchone():
        return
    drop(connection, item_id)
    if not plain:
        return  # a text of nothing but quotes is empty when normalized, and cannot be found
    row = connection.execute("INSERT INTO texts (list, id, plain) VALUES (?, ?, ?)", (which, item_id, plain)).lastrowid
    connection.execute("INSERT INTO letters (rowid, tokens) VALUES (?, ?)", (row, " ".join(_tokens(which, plain))))


def drop(connection: sqlite3.Connection, item_id: str) -> None:
    """Remove a task or habit from the index."""
    found = connection.execute("SELECT item, list, plain FROM texts WHERE id = ?", (item_id,)).fetchone()
    if found is None:
        return
    item, which, plain = found
    tokens = " ".join(_tokens(which, plain))
    connection.execute("INSERT INTO letters (letters, rowid, tokens) VALUES ('delete', ?, ?)", (item, tokens))
    connection.execute("DELETE FROM texts WHERE item = ?", (item,))


def matching(connection: sqlite3.Connection, which: str, query: str, most: int) -> list[str]:
    """Return up to `most` ids of the items on a list that match the query.

    Four kinds of match are tried in this order, and the first one that finds an item is used: the text equals the
    query; it contains the query; the query contains it; it has all words of the query.
    """
    wanted = normalize(query)
    if not wanted:
        return []
    for step in (_equal, _containing, _within, _with_every_word):
        found = list(islice(step(connection, which, wanted, most), most))
        if found:
            return found
    return []


def near(connection: sqlite3.Connection, which: str, query: str) -> tuple[str, ...]:
    """Return up to three texts of a list whose spelling is closest to the query, the closest first.

    Only texts that contain some half, third or quarter of the query unchanged are compared: a single typing error
    changes only one of these pieces.
    """
    wanted = normalize(query)
    found: dict[str, str] = {}
    for pieces in _PIECES:
        for piece in _cut(wanted, pieces):
            rows = connection.execute(_CANDIDATES[which], (_all_of(which, _grams(piece)), _CLOSE))
            found.update(rows.fetchall())
        close = close_texts(wanted, found.values())
        if close:
            return close
    return ()


def _equal(connection: sqlite3.Connection, which: str, wanted: str, most: int) -> Iterator[str]:
    return _ids(connection.execute("SELECT id FROM texts WHERE list = ? AND plain = ? LIMIT ?", (which, wanted, most)))


def _containing(connection: sqlite3.Connection, which: str, wanted: str, most: int) -> Iterator[str]:
    return _ids(
        connection.execute(
            "SELECT texts.id FROM letters JOIN texts ON texts.item = letters.rowid "
            "WHERE letters MATCH ? AND instr(texts.plain, ?) > 0 LIMIT ?",
            (_all_of(which, _grams(wanted)), wanted, most),
        )
    )


def _within(connection: sqlite3.Connection, which: str, wanted: str, most: int) -> Iterator[str]:
    """Yield the ids of texts that occur in the query as whole words; such a text may start at any word of the query."""
    seen: set[str] = set()
    for start in range(len(wanted)):
        if not stands_alone(wanted, start, len(wanted)):
            continue
        for plain in _beginning(connection, which, wanted[start:]):
            if plain not in seen and stands_alone(wanted, start, start + len(plain)):
                seen.add(plain)
                yield from _equal(connection, which, plain, most)


def _beginning(connection: sqlite3.Connection, which: str, rest: str) -> Iterator[str]:
    """Yield the texts of a list with which `rest` starts, the longest first.

    In the index, all of these texts sort before `rest`. The last text that sorts before `rest` is either one of them,
    or shares only its first few letters with `rest`. If it only shares these letters, every text that is still to be
    found is at most as long as the shared letters, so the search continues from them.
    """
    bound, itself = rest, True
    while bound:
        row = connection.execute(
            "SELECT plain FROM texts WHERE list = ? AND plain <= ? AND (plain < ? OR ?) ORDER BY plain DESC LIMIT 1",
            (which, bound, bound, itself),
        ).fetchone()
        if row is None:
            return
        (plain,) = row
        if rest.startswith(plain):
            yield plain
            bound, itself = plain, False
        else:
            bound, itself = _shared_start(plain, bound), True


def _shared_start(one: str, other: str) -> str:
    for number, (this, that) in enumerate(zip(one, other, strict=False)):
        if this != that:
            return one[:number]
    return one[: min(len(one), len(other))]


def _with_every_word(connection: sqlite3.Connection, which: str, wanted: str, most: int) -> Iterator[str]:
    starts = significant(wanted)
    if not starts:
        return iter(())
    longest = sorted(dict.fromkeys(starts), key=len, reverse=True)[:_MOST_WORDS]
    begins = [f"w{word[:_START]}" for word in longest]
    # For long words the last letters are looked up too, to exclude words that only start with the same letters.
    ends = [f"g{word[-3:]}" for word in longest if len(word) > _START][: max(0, _MOST_TOKENS - len(begins))]
    rows = connection.execute(
        "SELECT texts.id, texts.plain FROM letters JOIN texts ON texts.item = letters.rowid WHERE letters MATCH ?",
        (_all_of(which, [*begins, *ends]),),
    )
    return (item_id for item_id, plain in rows if fits_every_word(wanted, plain))


def _ids(rows: sqlite3.Cursor) -> Iterator[str]:
    return (item_id for (item_id,) in rows)


def _all_of(which: str, tokens: Iterable[str]) -> str:
    return " AND ".join(f'"{which}{token.translate(_WRITTEN)}"' for token in dict.fromkeys(tokens))


def _grams(text: str) -> Iterator[str]:
    """Yield some three-letter groups that every text containing `text` has; a shorter `text` is yielded whole."""
    size = min(len(text), 3)
    places = range(len(text) - size + 1)
    # The groups are taken from all parts of `text`: many indexed texts may share its first letters.
    step = max(1, len(places) // _MOST_TOKENS)
    return (f"g{text[place : place + size]}" for place in places[::step])


def _tokens(which: str, plain: str) -> list[str]:
    grams = {f"g{plain[place : place + size]}" for size in (1, 2, 3) for place in range(len(plain) - size + 1)}
    starts = {f"w{word[:size]}" for word in words(plain) for size in range(1, min(len(word), _START) + 1)}
    return sorted(f"{which}{token.translate(_WRITTEN)}" for token in grams | starts)


def _cut(text: str, pieces: int) -> Iterator[str]:
    size = -(-len(text) // pieces)
    return (text[place : place + size] for place in range(0, len(text), size)) if text else iter(())
