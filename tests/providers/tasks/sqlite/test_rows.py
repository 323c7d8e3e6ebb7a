"""Rows are looked up by id, by parent and by what stands below."""

import json
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact
from sayso.providers.tasks.model import (
    HabitDone,
    HabitGone,
    HabitIs,
    HabitThere,
    TaskActive,
    TaskCompleted,
    TaskGone,
    TaskIs,
)
from sayso.providers.tasks.sqlite import rows
from sayso.providers.tasks.sqlite.database import empty_copy, lay_out
from sayso.providers.tasks.sqlite.rows import holds, must_hold
from sayso.providers.tasks.store import Task
from tests.providers.tasks.rule import by_the_rule


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(empty_copy()) as made:
        lay_out(made)
        made.execute(
            "INSERT INTO tasks VALUES ('a', 'A', NULL, 1, NULL, 't'), ('b', 'B', 'a', 1, NULL, 't'), "
            "('c', 'C', 'b', 2.5, 'then', 't'), ('z', 'Z', NULL, 2, NULL, 't')"
        )
        made.execute("INSERT INTO deleted_tasks VALUES ('d', 'D', NULL, 7, NULL, 't', 't')")
        yield made


def test_what_stands_below_is_found_at_any_depth(connection: sqlite3.Connection):
    assert {task.id for task in rows.subtree(connection, "a")} == {"a", "b", "c"}
    assert rows.subtree(connection, "x") == []
    assert rows.stands_below(connection, "c", "a")
    assert not rows.stands_below(connection, "a", "c")
    assert [task.id for task in rows.children(connection, None)] == ["a", "z"]


def test_a_new_place_comes_after_all_and_after_those_that_may_come_back(connection: sqlite3.Connection):
    assert rows.next_position(connection, None) == 8
    assert rows.next_position(connection, "b") == 3
    assert rows.next_position(connection, "c") == 1


def test_rows_come_in_the_order_they_are_asked_for(connection: sqlite3.Connection):
    assert [task.id for task in rows.tasks_of(connection, ["c", "x", "a"])] == ["c", "a"]
    assert rows.find_deleted(connection, ["d"]) == [Task("d", "D", None, 7, None, "t")]
    assert rows.task_of(connection, "c") == Task("c", "C", "b", 2.5, "then", "t")
    assert rows.task_of(connection, "d") is None


CASES = json.loads((Path(__file__).parent.parent / "matching.json").read_text(encoding="utf-8"))
WORDS = st.sampled_from(
    [
        *("wine", "Wine", "wines", "win", "buy", "task", "the", "for", "dinner", "to-do", "7", "!", "“x”", "a_b"),
        *("вино", "ВИНО", "винограда", "купить", "Ünal", "é", "e\u0301", "ß", "SS", "İ", "ﬁn"),
        *("買", "葡萄酒", "買葡萄酒", "酒", "ワイン", "🍷", "👩‍🚀", '"', "*", "AND", "NEAR(", "\x00", "%"),
    ]
)
TEXTS = st.lists(WORDS, max_size=5).flatmap(lambda words: st.sampled_from((" ", "")).map(lambda gap: gap.join(words)))
ANY = TEXTS | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@contextmanager
def listed(texts: Sequence[str], which: str = rows.ACTIVE) -> Generator[sqlite3.Connection]:
    """Give lists with these texts, whose ids are their numbers."""
    with closing(empty_copy()) as connection:
        lay_out(connection)
        for number, text in enumerate(texts):
            connection.execute("INSERT INTO tasks VALUES (?, ?, NULL, ?, NULL, '')", (str(number), text, number))
            rows.put(connection, which, str(number), text)
        yield connection


def found(query: str, texts: Sequence[str]) -> list[str]:
    with listed(texts) as connection:
        return [texts[int(each)] for each in sorted(rows.matching(connection, "a", query, 1000), key=int)]


@pytest.mark.req("S2-22", "S2-23", "S2-24", "T-58")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['query']!r} in {case['items']}")
def test_each_query_finds_what_the_rule_says(case: dict[str, list[str] | str]):
    assert found(str(case["query"]), list(case["items"])) == case["found"]


@pytest.mark.req("T-58")
@given(ANY, st.lists(ANY, max_size=8))
@example("wine task", ["Buy wine for dinner"])
@example("please delete the wine now", ["wine", "the wine", "delete", "lease"])
@example("a", ["a", "b a", "ab"])
def test_it_is_the_rule_for_any_texts(query: str, items: list[str]):
    assert sorted(found(query, items)) == sorted(by_the_rule(query, items))


@given(st.lists(ANY, min_size=1, max_size=6), st.data())
def test_a_text_that_was_changed_or_dropped_is_not_found_any_more(items: list[str], data: st.DataObject):
    changed = data.draw(st.lists(ANY | st.none(), min_size=len(items), max_size=len(items)))
    query = data.draw(ANY | st.sampled_from(items))

    with listed(items) as connection:
        for number, text in enumerate(changed):
            if text is None:
                rows.drop(connection, str(number))
            else:
                rows.put(connection, rows.ACTIVE, str(number), text)
        hits = rows.matching(connection, rows.ACTIVE, query, 1000)

    left = [text for text in changed if text is not None]
    assert sorted(str(changed[int(each)]) for each in hits) == sorted(by_the_rule(query, left))


def test_no_more_are_returned_than_are_asked_for():
    with listed([f"wine {number}" for number in range(50)]) as connection:
        for query in ("wine", "wi", "e", "task wine 1 2", "wine task"):
            assert len(rows.matching(connection, rows.ACTIVE, query, 7)) <= 7
        assert len(rows.matching(connection, rows.ACTIVE, "wine", 7)) == 7


@pytest.mark.req("S2-25")
def test_lists_are_searched_apart():
    with listed(["wine"], rows.COMPLETED) as connection:
        assert rows.matching(connection, rows.ACTIVE, "wine", 9) == []
        assert rows.matching(connection, rows.HABITS, "wine", 9) == []
        assert rows.matching(connection, rows.COMPLETED, "wine", 9) == ["0"]


@pytest.mark.req("S2-44")
@pytest.mark.parametrize(
    ("query", "close"),
    [
        ("Buy breda", "Buy bread"),
        ("bread buy", "Buy bread"),
        ("Call Anna", "Call Ana"),
        ("Позвонить Ане", "Позвонить Ани"),
        ("買牛乳を", "牛乳を買う"),
    ],
)
def test_close_names_are_found_by_the_pieces_that_are_right(query: str, close: str):
    with listed(
        ["Call Ana", "Write a letter", "Позвонить Ани", "牛乳を買う", "Buy bread", "Something else"]
    ) as connection:
        assert rows.near(connection, rows.ACTIVE, query)[0] == close


def test_what_is_like_nothing_has_no_close_names():
    with listed(["Call Ana"]) as connection:
        assert rows.near(connection, rows.ACTIVE, "zzz") == ()
        assert rows.near(connection, rows.ACTIVE, "") == ()


@pytest.fixture
def connection_expecting() -> Iterator[sqlite3.Connection]:
    with closing(empty_copy()) as made:
        lay_out(made)
        made.execute("INSERT INTO tasks VALUES ('a', 'Wine', NULL, 1, NULL, 't'), ('b', 'Red', 'a', 1.5, 'then', 't')")
        made.execute("INSERT INTO deleted_tasks VALUES ('c', 'Old', NULL, 2, NULL, 't', 't')")
        made.execute("INSERT INTO habits VALUES (1, 'h', 'Walk', 24, 'then', 't')")
        made.execute("INSERT INTO deleted_habits VALUES (2, 'g', 'Sit', 4, NULL, 't', 't')")
        made.execute("INSERT INTO habit_times VALUES (1, 'd', 'h', 'before'), (2, 'e', 'h', 'then')")
        yield made


TRUE: list[Fact] = [
    TaskActive("a"),
    TaskCompleted("b", "then"),
    TaskIs("b", "Red", "a", 1.5, "then"),
    TaskGone("c"),
    HabitThere("h"),
    HabitIs("h", "Walk", 24),
    HabitDone("h", "e"),
    HabitGone("g"),
]
FALSE: list[Fact] = [
    *(TaskActive("b"), TaskActive("c"), TaskActive("x")),
    *(TaskCompleted("b", "now"), TaskCompleted("a", "then")),
    *(TaskIs("b", "red", "a", 1.5, "then"), TaskIs("b", "Red", None, 1.5, "then"), TaskIs("b", "Red", "a", 1, "then")),
    *(TaskIs("b", "Red", "a", 1.5, None), TaskGone("a"), TaskGone("x"), HabitThere("g"), HabitIs("h", "Walk", 23)),
    *(HabitIs("h", "Run", 24), HabitDone("h", "d"), HabitDone("h", None), HabitGone("h"), HabitGone("x")),
]


@pytest.mark.parametrize("fact", TRUE, ids=repr)
def test_what_is_so_holds(fact: Fact, connection_expecting: sqlite3.Connection):
    assert holds(connection_expecting, fact)


@pytest.mark.req("T-63", "T-64")
@pytest.mark.parametrize("fact", FALSE, ids=repr)
def test_what_is_not_so_does_not_hold(fact: Fact, connection_expecting: sqlite3.Connection):
    assert not holds(connection_expecting, fact)


def test_what_has_changed_is_named(connection_expecting: sqlite3.Connection):
    with pytest.raises(ProviderError, match="“Wine” has changed since; nothing was done"):
        must_hold(connection_expecting, TaskCompleted("a", "then"))
    with pytest.raises(ProviderError, match="“Old” has changed since"):
        must_hold(connection_expecting, TaskActive("c"))


def test_a_fact_of_another_store_is_no_fact_here(connection_expecting: sqlite3.Connection):
    with pytest.raises(ProviderError, match="know no fact"):
        holds(connection_expecting, Fact("a"))
