"""A fact is so only of what is exactly so in the lists."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact
from sayso.providers.tasks.facts import (
    HabitDone,
    HabitGone,
    HabitIs,
    HabitThere,
    TaskActive,
    TaskCompleted,
    TaskGone,
    TaskIs,
)
from sayso.providers.tasks.sqlite.expecting import holds, must_hold
from sayso.providers.tasks.sqlite.opening import empty_copy, lay_out


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
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
def test_what_is_so_holds(fact: Fact, connection: sqlite3.Connection):
    assert holds(connection, fact)


@pytest.mark.req("T-63", "T-64")
@pytest.mark.parametrize("fact", FALSE, ids=repr)
def test_what_is_not_so_does_not_hold(fact: Fact, connection: sqlite3.Connection):
    assert not holds(connection, fact)


def test_what_has_changed_is_named(connection: sqlite3.Connection):
    with pytest.raises(ProviderError, match="“Wine” has changed since; nothing was done"):
        must_hold(connection, TaskCompleted("a", "then"))
    with pytest.raises(ProviderError, match="“Old” has changed since"):
        must_hold(connection, TaskActive("c"))


def test_a_fact_of_another_store_is_no_fact_here(connection: sqlite3.Connection):
    with pytest.raises(ProviderError, match="know no fact"):
        holds(connection, Fact("a"))
