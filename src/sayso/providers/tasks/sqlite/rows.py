"""Rows of the lists as values, how they are found by words, and whether facts about them hold."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import cast

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact
from sayso.providers.tasks.lookup import fits_every_word, normalize, significant, stands_alone, words
from sayso.providers.tasks.lookup import near as close_texts
from sayso.providers.tasks.model import (
    HabitDone,
    HabitGone,
    HabitIs,
    HabitThere,
    HabitWas,
    TaskActive,
    TaskCompleted,
    TaskGone,
    TaskIs,
    TaskStood,
    TaskWas,
)
from sayso.providers.tasks.store import Done, Habit, Task, changed_error, exactly, state_of

_ID_IN = {
    "tasks": "SELECT 1 FROM tasks WHERE id = ?",
    "deleted_tasks": "SELECT 1 FROM deleted_tasks WHERE id = ?",
    "habits": "SELECT 1 FROM habits WHERE id = ?",
    "deleted_habits": "SELECT 1 FROM deleted_habits WHERE id = ?",
}


def task_of(connection: sqlite3.Connection, item_id: str) -> Task | None:
    """Return the task with this id, completed or not."""
    row = connection.execute(
        "SELECT id, text, parent_id, position, completed_at, created_at FROM tasks WHERE id = ?", (item_id,)
    ).fetchone()
    return None if row is None else Task(*row)


def tasks_of(connection: sqlite3.Connection, ids: Sequence[str]) -> list[Task]:
    """Return those of these tasks that are on the list, in the order of their ids."""
    rows = connection.execute(
        "SELECT id, text, parent_id, position, completed_at, created_at FROM tasks "
        "WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(ids),),
    )
    return _in_order(ids, rows)


def find_deleted(connection: sqlite3.Connection, ids: Sequence[str]) -> list[Task]:
    """Return those of these tasks that were deleted and are kept, in the order of their ids."""
    rows = connection.execute(
        "SELECT id, text, parent_id, position, completed_at, created_at FROM deleted_tasks "
        "WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(ids),),
    )
    return _in_order(ids, rows)


def all_tasks(connection: sqlite3.Connection) -> list[Task]:
    """Return all tasks, in no order."""
    rows = connection.execute("SELECT id, text, parent_id, position, completed_at, created_at FROM tasks")
    return [Task(*row) for row in rows]


def children(connection: sqlite3.Connection, parent: str | None) -> list[Task]:
    """Return the tasks directly below this one, or at the top, in list order."""
    rows = connection.execute(
        "SELECT id, text, parent_id, position, completed_at, created_at FROM tasks WHERE parent_id IS ? "
        "ORDER BY position, created_at, id",
        (parent,),
    )
    return [Task(*row) for row in rows]


def subtree(connection: sqlite3.Connection, root: str) -> list[Task]:
    """Return a task and everything below it, in no order; nothing when it is not there."""
    rows = connection.execute(
        "WITH RECURSIVE below (id) AS (SELECT id FROM tasks WHERE id = ? UNION "
        "SELECT tasks.id FROM tasks JOIN below ON tasks.parent_id = below.id) "
        "SELECT id, text, parent_id, position, completed_at, created_at FROM tasks "
        "WHERE id IN (SELECT id FROM below)",
        (root,),
    )
    return [Task(*row) for row in rows]


def stands_below(connection: sqlite3.Connection, item_id: str, above: str) -> bool:
    """Say whether `item_id` is `above`, or stands anywhere below it."""
    row = connection.execute(
        "WITH RECURSIVE up (id) AS (VALUES (?) UNION "
        "SELECT tasks.parent_id FROM tasks JOIN up ON tasks.id = up.id) SELECT 1 FROM up WHERE id = ?",
        (item_id, above),
    ).fetchone()
    return row is not None


def next_position(connection: sqlite3.Connection, parent: str | None) -> float:
    """Return the place after all siblings, also those that are only kept: a restored one finds its own free."""
    (last,) = cast(
        "tuple[float]",
        connection.execute(
            "SELECT max(ifnull((SELECT max(position) FROM tasks WHERE parent_id IS ?1), 0), "
            "ifnull((SELECT max(position) FROM deleted_tasks WHERE parent_id IS ?1), 0))",
            (parent,),
        ).fetchone(),
    )
    return int(last // 1) + 1


def habit_of(connection: sqlite3.Connection, item_id: str) -> Habit | None:
    """Return the habit with this id."""
    row = connection.execute(
        "SELECT id, text, interval_hours, last_done_at, created_at FROM habits WHERE id = ?", (item_id,)
    ).fetchone()
    return None if row is None else Habit(*row)


def all_habits(connection: sqlite3.Connection) -> list[Habit]:
    """Return all habits, oldest first."""
    rows = connection.execute(
        "SELECT id, text, interval_hours, last_done_at, created_at FROM habits ORDER BY created_at, number"
    )
    return [Habit(*row) for row in rows]


def times_of(connection: sqlite3.Connection, habit_id: str) -> list[Done]:
    """Return the times a habit was done, oldest first."""
    rows = connection.execute(
        "SELECT id, habit_id, at FROM habit_times WHERE habit_id = ? ORDER BY number", (habit_id,)
    )
    return [Done(*row) for row in rows]


def last_entry(connection: sqlite3.Connection, habit_id: str) -> str | None:
    """Return the id of the last time a habit was done."""
    row = connection.execute(
        "SELECT id FROM habit_times WHERE habit_id = ? ORDER BY number DESC LIMIT 1", (habit_id,)
    ).fetchone()
    return None if row is None else str(row[0])


def is_there(connection: sqlite3.Connection, table: str, item_id: str) -> bool:
    """Say whether a table holds this id."""
    return connection.execute(_ID_IN[table], (item_id,)).fetchone() is not None


def _in_order(ids: Sequence[str], rows: sqlite3.Cursor) -> list[Task]:
    found = {row[0]: Task(*row) for row in rows}
    return [found[each] for each in ids if each in found]


ACTIVE, COMPLETED, HABITS = "a", "c", "h"
_MOST_TOKENS = 4
"""About how many tokens one search asks for; what they let through is compared whole."""
_MOST_WORDS = 8
"""How many words of a query are asked for, whose rarest one is not known."""
_START = 4
"""Letters of the beginning of a word that are indexed."""
_CLOSE = 8
"""How many candidates one piece of a text may give."""
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

# The tokenizer parts at everything in ASCII that is no letter or digit; those are written as other characters.
_WRITTEN = {code: 0xE000 + code for code in range(128) if not chr(code).isalnum()}


def put(connection: sqlite3.Connection, which: str, item_id: str, text: str) -> None:
    """Let a thing on a list be found by its text; one that was there is found by the new text from now on."""
    drop(connection, item_id)
    plain = normalize(text)
    if not plain:
        return  # a text of nothing but quotes is never meant
    row = connection.execute("INSERT INTO texts (list, id, plain) VALUES (?, ?, ?)", (which, item_id, plain)).lastrowid
    connection.execute("INSERT INTO letters (rowid, tokens) VALUES (?, ?)", (row, " ".join(_tokens(which, plain))))


def drop(connection: sqlite3.Connection, item_id: str) -> None:
    """Let a thing not be found any more."""
    found = connection.execute("SELECT item, list, plain FROM texts WHERE id = ?", (item_id,)).fetchone()
    if found is None:
        return
    item, which, plain = found
    tokens = " ".join(_tokens(which, plain))
    connection.execute("INSERT INTO letters (letters, rowid, tokens) VALUES ('delete', ?, ?)", (item, tokens))
    connection.execute("DELETE FROM texts WHERE item = ?", (item,))


def matching(connection: sqlite3.Connection, which: str, query: str, most: int) -> list[str]:
    """Return the ids of up to `most` things on a list that match at the first of the four steps that yields any."""
    wanted = normalize(query)
    if not wanted:
        return []
    for step in (_equal, _containing, _within, _with_every_word):
        found = list(islice(step(connection, which, wanted, most), most))
        if found:
            return found
    return []


def near(connection: sqlite3.Connection, which: str, query: str) -> tuple[str, ...]:
    """Return up to three texts of a list that are written most like the query, the closest first.

    What is compared are texts that have a half, a third or a quarter of the query in them: a slip of the pen
    leaves the other pieces whole.
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
    """Yield what stands as words in the query: from each place where it may begin, what begins the rest of it."""
    seen: set[str] = set()
    for start in range(len(wanted)):
        if not stands_alone(wanted, start, len(wanted)):
            continue
        for plain in _beginning(connection, which, wanted[start:]):
            if plain not in seen and stands_alone(wanted, start, start + len(plain)):
                seen.add(plain)
                yield from _equal(connection, which, plain, most)


def _beginning(connection: sqlite3.Connection, which: str, rest: str) -> Iterator[str]:
    """Yield the texts of a list with which `rest` begins, the longest first.

    All of them stand before `rest` in the order of the index. The last one there either is one, or shares only its
    first letters with `rest`, and no other one can be longer than those.
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
    # The last letters of a long word part those that only begin alike.
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
    """Yield the groups of letters that a text with this in it must have: threes, or all of it when it is shorter."""
    size = min(len(text), 3)
    places = range(len(text) - size + 1)
    # Of a long text some from everywhere; its beginning alone may be what many begin with.
    step = max(1, len(places) // _MOST_TOKENS)
    return (f"g{text[place : place + size]}" for place in places[::step])


def _tokens(which: str, plain: str) -> list[str]:
    grams = {f"g{plain[place : place + size]}" for size in (1, 2, 3) for place in range(len(plain) - size + 1)}
    starts = {f"w{word[:size]}" for word in words(plain) for size in range(1, min(len(word), _START) + 1)}
    return sorted(f"{which}{token.translate(_WRITTEN)}" for token in grams | starts)


def _cut(text: str, pieces: int) -> Iterator[str]:
    size = -(-len(text) // pieces)
    return (text[place : place + size] for place in range(0, len(text), size)) if text else iter(())


_TEXT_OF = (
    "SELECT text FROM tasks WHERE id = ?1 UNION ALL SELECT text FROM habits WHERE id = ?1 "
    "UNION ALL SELECT text FROM deleted_tasks WHERE id = ?1 UNION ALL SELECT text FROM deleted_habits WHERE id = ?1"
)


def must_hold(connection: sqlite3.Connection, fact: Fact) -> None:
    """Raise `ProviderError` that names the item when a fact is not so."""
    if holds(connection, fact):
        return
    named = _name_of(connection, fact.about)
    if isinstance(fact, TaskGone | HabitGone) and named is None:
        raise ProviderError("what was deleted is no longer kept; nothing was done", "world.changed")
    raise changed_error(named or "the item")


def holds(connection: sqlite3.Connection, fact: Fact) -> bool:
    """Say whether a fact is so."""
    match fact:
        case TaskActive() | TaskCompleted():
            task = task_of(connection, fact.about)
            return task is not None and state_of(task) == fact
        case TaskIs():
            task = task_of(connection, fact.about)
            return task is not None and exactly(task) == fact
        case TaskGone():
            there = is_there(connection, "tasks", fact.about)
            return not there and is_there(connection, "deleted_tasks", fact.about)
        case TaskWas() | TaskStood() | HabitWas():
            return True  # what was, for the way back
        case _:
            return _habit_holds(connection, fact)


def _habit_holds(connection: sqlite3.Connection, fact: Fact) -> bool:
    habit = habit_of(connection, fact.about)
    match fact:
        case HabitThere():
            return habit is not None
        case HabitIs():
            return habit is not None and (habit.text, habit.interval_hours) == (fact.text, fact.interval_hours)
        case HabitDone():
            return last_entry(connection, fact.about) == fact.entry
        case HabitGone():
            return habit is None and is_there(connection, "deleted_habits", fact.about)
        case _:
            raise ProviderError(f"the lists know no fact “{fact.fact}”; nothing was done", "world.unknown_fact")


def _name_of(connection: sqlite3.Connection, item_id: str) -> str | None:
    found = connection.execute(_TEXT_OF, (item_id,)).fetchone()
    return f"“{found[0]}”" if found else None
