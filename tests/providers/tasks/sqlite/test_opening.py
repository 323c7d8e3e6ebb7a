"""The lists open privately and durably, or one sentence says why not."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SaysoError, SetupError
from sayso.providers.tasks.sqlite.opening import open_lists


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
