"""Done marks wait for the next begun, and a row that somebody else moved is not written over."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core.errors import Stale
from sayso.core.record import State
from sayso.runtime.pen import Pen
from tests.runtime.given import events, given
from tests.runtime.shelf import World


def audited(folder: Path) -> int:
    return sqlite3.connect(folder / "sayso.db").execute("SELECT count(*) FROM audit").fetchone()[0]


async def test_what_is_held_back_shares_the_next_commit(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        first = await it.run(("shelf.take", {"name": "old"}))
        second = await it.run(("shelf.take", {"name": "old"}))
        pen, before = Pen(it.tools.journal), audited(tmp_path)
        pen.later(first.outcomes[0].record.marked(state=State.DECLINED))
        held = audited(tmp_path)
        await pen.now(second.outcomes[0].record.marked(state=State.DECLINED), event="declined")
        await pen.end()

    assert (held, audited(tmp_path)) == (before, before + 1)


async def test_what_is_held_back_to_the_end_is_written_down_as_done(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(("shelf.put", {"name": "a"}))

    assert events(tmp_path) == ["begun", "done"]


async def test_a_row_that_moved_on_is_not_written_over(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        (outcome,) = (await it.run(("shelf.take", {"name": "old"}))).outcomes
        await Pen(it.tools.journal).now(outcome.record.marked(state=State.DECLINED), event="declined")
        with pytest.raises(Stale):
            await Pen(it.tools.journal).now(outcome.record.marked(state=State.RUNNING), event="approved")
        record = await it.tools.journal.get(outcome.record.id)

    assert record is not None
    assert record.state is State.DECLINED


@pytest.mark.parametrize(("actions", "commits"), [(1, 2), (5, 6)])
async def test_an_allowed_run_of_n_actions_takes_n_and_one_commits(tmp_path: Path, actions: int, commits: int) -> None:
    async with given(tmp_path) as it:
        await it.run(*(("shelf.put", {"name": str(number)}) for number in range(actions)))

    assert audited(tmp_path) == commits


async def test_the_turn_is_the_pens_to_count(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        (outcome,) = (await it.run(("shelf.take", {"name": "old"}))).outcomes
        pen = Pen(it.tools.journal)
        for label in ("a", "b"):
            await pen.now(replace(outcome.record).marked(message=label), event="test")
        record = await it.tools.journal.get(outcome.record.id)

    assert record is not None
    assert (record.marks.message, record.marks.turn) == ("b", 2)
