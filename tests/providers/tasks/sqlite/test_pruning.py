"""What was deleted long ago is let go of; completed tasks are history and stay."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sayso.core.plan import CannotTell
from sayso.core.ports import Ground
from sayso.providers.tasks.provider import TASKS
from sayso.providers.tasks.sqlite.backend import Lists, build
from sayso.runtime.ids import RandomIds
from sayso.testing.fakes import FakeClock
from sayso.testing.tasks import planted
from sayso.testing.trying import Trial, refused


def lists(own: Path, clock: FakeClock) -> Lists:
    return build(Ground({}, "/home/ana", str(own), (), clock, RandomIds(), options={"undo_keep_seconds": 3600}))


@pytest.mark.req("T-61", "S2-41")
async def test_of_what_was_deleted_only_completed_tasks_stay_for_good(tmp_path: Path):
    clock = FakeClock()
    backend = lists(tmp_path, clock)
    trial = await planted(Trial(TASKS, backend))
    await trial.do(await trial.plan("habit.add", text="Walk", interval_hours=24))
    await trial.do(await trial.plan("habit.log", target="Walk"))
    party, walk = await trial.plan("task.delete", target="Party"), await trial.plan("habit.delete", target="Walk")
    lefts = await trial.do(party)
    await trial.do(walk)

    clock.advance(minutes=59)
    early = backend.prune()
    clock.advance(minutes=2)
    late = backend.prune()

    assert early == 0
    assert late > 0
    with closing(sqlite3.connect(tmp_path / "tasks.db")) as connection:
        assert connection.execute("SELECT text FROM deleted_tasks").fetchall() == [("Cake",)]
        assert connection.execute("SELECT count(*) FROM tasks").fetchall() == [(2,)]
        assert connection.execute("SELECT count(*) FROM habit_times").fetchall() == [(0,)]
        assert connection.execute("SELECT count(*) FROM steps WHERE left IS NOT NULL").fetchall() == [(0,)]
    assert "no longer kept" in str(await refused(trial.take_back(party, lefts)))
    assert isinstance(await trial.backend.settle(party.changes[0].do, ()), CannotTell)
    assert "done before" in str(await refused(trial.do(party)))


def test_lists_that_are_not_there_are_not_made_for_it(tmp_path: Path):
    assert lists(tmp_path, FakeClock()).prune() == 0
    assert list(tmp_path.iterdir()) == []


async def test_while_another_process_writes_it_is_left_for_another_day(tmp_path: Path):
    backend = lists(tmp_path, FakeClock())
    await planted(Trial(TASKS, backend))
    with closing(sqlite3.connect(tmp_path / "tasks.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        assert backend.prune() == 0
