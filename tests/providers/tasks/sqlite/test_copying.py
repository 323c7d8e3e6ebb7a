"""A copy of the lists is whole, private and new."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.providers.tasks.sqlite.copying import copy
from sayso.providers.tasks.sqlite.opening import open_lists


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
