"""The lists open privately and durably, or one sentence says why not."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SaysoError, SetupError
from sayso.core.plan import CannotTell
from sayso.core.ports import BackendContext
from sayso.providers.tasks import TASKS
from sayso.providers.tasks.sqlite.backend import SqliteBackend, build
from sayso.providers.tasks.sqlite.database import copy, open_lists
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from sayso.testing.harness import Trial, refusal_of
from sayso.testing.tasks import plant_tasks


def test_the_file_is_the_persons_alone_whatever_the_umask_says(tmp_path: Path):
    before = os.umask(0)
    try:
        open_lists(str(tmp_path / "own" / "tasks.db")).close()
    finally:
        os.umask(before)

    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "own" / "tasks.db").stat().st_mode & 0o777 == 0o600


def test_a_file_that_was_open_to_others_is_closed(tmp_path: Path):
    open_lists(str(tmp_path / "tasks.db")).close()
    (tmp_path / "tasks.db").chmod(0o644)

    open_lists(str(tmp_path / "tasks.db")).close()

    assert (tmp_path / "tasks.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.req("X-17")
def test_a_commit_is_on_the_disk_before_it_is_told(tmp_path: Path):
    open_lists(str(tmp_path / "tasks.db")).close()

    with closing(open_lists(str(tmp_path / "tasks.db"))) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def wrong(path: Path) -> SaysoError:
    with pytest.raises(SaysoError) as told:
        open_lists(str(path))
    return told.value


def test_a_newer_one_is_left_alone(tmp_path: Path):
    path = tmp_path / "tasks.db"
    open_lists(str(path)).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9")

    error = wrong(path)

    assert isinstance(error, SetupError)
    assert "written by a newer sayso (version 9, this one knows 1); update sayso" in str(error)


def test_another_programs_database_is_left_alone(tmp_path: Path):
    path = tmp_path / "tasks.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")

    assert "but not of sayso's lists" in str(wrong(path))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


def test_what_is_no_database_is_said_to_be_damaged(tmp_path: Path):
    path = tmp_path / "tasks.db"
    path.write_text("not a database, and long enough to be looked at as one" * 20)

    error = wrong(path)

    assert isinstance(error, ProviderError)
    assert error.code == "lists.damaged"
    assert path.read_text().startswith("not a database")


def test_a_folder_that_is_a_file_is_named(tmp_path: Path):
    (tmp_path / "own").write_text("")

    assert str(tmp_path / "own") in str(wrong(tmp_path / "own" / "tasks.db"))


def copied(tmp_path: Path, target: str) -> Path:
    path = str(tmp_path / "tasks.db")
    with closing(open_lists(path)) as connection:
        connection.execute("INSERT INTO tasks VALUES ('a', 'Wine', NULL, 1, NULL, 't')")
        copy(connection, path, str(tmp_path / target))
    return tmp_path / target


def test_it_holds_what_the_lists_hold(tmp_path: Path):
    target = copied(tmp_path, "copy.db")

    with closing(sqlite3.connect(target)) as made:
        assert made.execute("SELECT text FROM tasks").fetchall() == [("Wine",)]
    assert target.stat().st_mode & 0o777 == 0o600


def test_nothing_is_overwritten(tmp_path: Path):
    (tmp_path / "mine").write_text("mine")

    with pytest.raises(SetupError, match="is not overwritten"):
        copied(tmp_path, "mine")

    assert (tmp_path / "mine").read_text() == "mine"


def test_a_folder_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(SetupError, match="no copy can be made"):
        copied(tmp_path, "none/copy.db")


def lists(own: Path, clock: FakeClock) -> SqliteBackend:
    return build(BackendContext({}, "/home/ana", str(own), (), clock, RandomIds(), options={"undo_keep_seconds": 3600}))


@pytest.mark.req("T-61", "S2-41")
async def test_of_what_was_deleted_only_completed_tasks_stay_for_good(tmp_path: Path):
    clock = FakeClock()
    backend = lists(tmp_path, clock)
    trial = await plant_tasks(Trial(TASKS, backend))
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
    assert "no longer kept" in str(await refusal_of(trial.take_back(party, lefts)))
    assert isinstance(await trial.backend.settle(party.changes[0].do, ()), CannotTell)
    assert "done before" in str(await refusal_of(trial.do(party)))


def test_lists_that_are_not_there_are_not_made_for_it(tmp_path: Path):
    assert lists(tmp_path, FakeClock()).prune() == 0
    assert list(tmp_path.iterdir()) == []


async def test_while_another_process_writes_it_is_left_for_another_day(tmp_path: Path):
    backend = lists(tmp_path, FakeClock())
    await plant_tasks(Trial(TASKS, backend))
    with closing(sqlite3.connect(tmp_path / "tasks.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        assert backend.prune() == 0
