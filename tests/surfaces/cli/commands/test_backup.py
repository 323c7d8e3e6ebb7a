"""`sayso backup` writes a checked copy into a new file."""

import sqlite3
from pathlib import Path

from tests.surfaces.cli.person import sayso


def test_the_copy_holds_what_the_journal_holds(person: Path, tmp_path: Path):
    sayso("run", "--dialect", "lines", text='CREATE_FOLDER "~/Documents/x"\n')

    run = sayso("backup", str(tmp_path / "copy.db"), "--json")

    assert run.code == 0
    with sqlite3.connect(tmp_path / "copy.db") as copy:
        assert copy.execute("SELECT operation FROM action").fetchall() == [("file.mkdir",)]


def test_nothing_is_overwritten(person: Path, tmp_path: Path):
    (tmp_path / "mine").write_text("mine")

    run = sayso("backup", str(tmp_path / "mine"))

    assert run.code == 2
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_folder_that_is_not_there_is_named_and_not_the_journal(person: Path, tmp_path: Path):
    run = sayso("backup", str(tmp_path / "none" / "copy.db"), "--json")

    assert run.code == 2
    assert run.document["code"] == "backup.folder"
    assert f"“{tmp_path / 'none'}”" in run.document["error"]
    assert "journal" not in run.document["error"]


def test_the_persons_lists_are_copied_beside_it(person: Path, tmp_path: Path):
    none = sayso("backup", str(tmp_path / "early.db"), "--json").document
    sayso("task", "add", "Wine")

    run = sayso("backup", str(tmp_path / "copy.db"), "--json")

    assert none["lists"] is None
    assert run.document["lists"] == str(tmp_path / "copy-tasks.db")
    assert (tmp_path / "copy-tasks.db").stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(tmp_path / "copy-tasks.db") as copy:
        assert copy.execute("SELECT text FROM tasks").fetchall() == [("Wine",)]
