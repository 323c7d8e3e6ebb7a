"""Rows are looked up by id, by parent and by what stands below."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from sayso.providers.tasks.sqlite import rows
from sayso.providers.tasks.sqlite.opening import empty_copy, lay_out
from sayso.providers.tasks.store import Task


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
    assert rows.deleted_of(connection, ["d"]) == [Task("d", "D", None, 7, None, "t")]
    assert rows.task_of(connection, "c") == Task("c", "C", "b", 2.5, "then", "t")
    assert rows.task_of(connection, "d") is None
