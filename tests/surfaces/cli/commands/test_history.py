"""`sayso log` shows, proves and exports the trail."""

import errno
import json
import os
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.journal.word_updates import read_on
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso

Reply = Callable[[str], str]
ROW = {"id", "state", "operation", "time", "run", "dialect", "entry", "session", "message", "error", "plan", "verdict"}


@pytest.fixture
def three(person: Path, reply: Reply) -> list[str]:
    text = 'CREATE_FOLDER "~/Documents/x"\nFLY "x"\nFILE_LIST "~/Documents"\n'
    document = sayso("run", reply(text), "--dialect", "lines", "--json").document
    return [result["id"] for result in document["results"]]


@pytest.mark.req("S0-82")
def test_rows_come_newest_first_with_the_fixed_keys(three: list[str]):
    rows = sayso("log", "--json").document["rows"]

    assert [row["id"] for row in rows] == sorted(three, reverse=True)
    assert all(set(row) >= ROW for row in rows)


@pytest.mark.parametrize(
    ("words", "states"),
    [
        ("--limit 1", ["done"]),
        ("--operation file.mk*", ["done"]),
        ("--state invalid", ["invalid"]),
        ("--state invalid,failed", ["invalid"]),
        ("--since 1h", ["done", "done", "invalid"]),
        ("--since 2001-01-01", ["done", "done", "invalid"]),
        ("--since 2999-01-01", []),
        ("--words ile.mk", ["done"]),
        ("--words nonesuch", []),
        ("--session nobody", None),
    ],
)
def test_rows_are_chosen(three: list[str], words: str, states: list[str] | None):
    run = sayso("log", "--json", *words.split())

    if states is None:
        assert run.code == 2
    else:
        assert sorted(row["state"] for row in run.document["rows"]) == states


def test_what_dry_runs_would_have_done_is_counted_and_shown_on_request(three: list[str], reply: Reply):
    sayso("run", reply('CREATE_FOLDER "~/Documents/y"\n'), "--dialect", "lines", "--dry-run")

    usual, asked, state = sayso("log"), sayso("log", "--dry-runs"), sayso("log", "--state", "planned")

    assert ("planned" in usual.out, "done" in usual.out) == (False, True)
    assert "1 action of a dry run is not shown: sayso log --dry-runs" in usual.err
    assert ("planned" in asked.out, "done" in asked.out, "not shown" in asked.err) == (True, True, False)
    assert ("planned" in state.out, "not shown" in state.err) == (True, False)


def test_several_words_are_all_found_with_the_other_filters_and_the_index_of_the_page(three: list[str]):
    words = ("log", "--json", "--words", "docu lder", "--state", "done")
    before = sayso(*words).document["rows"]

    while read_on(str(Path(os.environ["SAYSO_HOME"]) / "sayso.db")):
        pass

    assert [row["operation"] for row in before] == ["file.mkdir"]
    assert sayso(*words).document["rows"] == before
    assert sayso("log", "--json", "--words", "docu lder", "--state", "failed").document["rows"] == []


def test_a_word_that_stands_alone_is_answered_with_how_words_are_found(three: list[str]):
    run = sayso("log", "it's")

    assert run.code == 2
    assert """sayso log --words 'it'"'"'s'""" in run.err


def test_the_table_fits_a_narrow_screen(three: list[str], sit: Sit):
    screen = sit("log", columns=80)

    assert screen.end() == 0
    assert all(one in screen.text for one in three)
    assert len(screen.text.splitlines()) == 2 * len(three)


def test_the_table_reads_on_where_it_ended(three: list[str]):
    first = sayso("log", "--limit", "2")
    before = first.err.split("--before ")[1].strip()

    rest = sayso("log", "--limit", "2", "--before", before)

    shown = [line.split()[-1] for line in (first.out + rest.out).splitlines() if not line.startswith("    ")]
    assert sorted(shown) == sorted(three)


def test_a_whole_journal_holds(three: list[str]):
    run = sayso("log", "verify")

    assert run.code == 0
    assert "✓ the journal is intact" in run.out
    assert "Not covered are the files beside it: tasks.db, words.db, logs, trash." in run.out


@pytest.mark.req("AU-01")
def test_an_altered_journal_does_not_hold(three: list[str]):
    with sqlite3.connect(os.environ["SAYSO_HOME"] + "/sayso.db") as journal:
        journal.execute("UPDATE audit SET time = time + 1 WHERE seq = 1")

    run = sayso("log", "verify", "--json")

    assert run.code == 1
    assert run.document["ok"] is False
    assert run.document["bad_row"] == 1


def test_an_export_ends_with_a_checkpoint_that_shows_what_was_cut_off(three: list[str], tmp_path: Path):
    file = tmp_path / "log.jsonl"
    assert sayso("log", "export", str(file)).code == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert all(json.loads(line) for line in file.read_text().splitlines())
    assert sayso("log", "verify", "--checkpoint", str(file)).code == 0

    with sqlite3.connect(os.environ["SAYSO_HOME"] + "/sayso.db") as journal:
        journal.execute("DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)")

    assert sayso("log", "verify", "--checkpoint", str(file)).code == 1


def test_an_export_overwrites_nothing(three: list[str], tmp_path: Path):
    (tmp_path / "mine").write_text("mine")

    run = sayso("log", "export", str(tmp_path / "mine"))

    assert run.code == 2
    assert (tmp_path / "mine").read_text() == "mine"


def test_an_export_that_cannot_be_written_says_so_and_leaves_no_file(
    three: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", full)
    run = sayso("log", "export", str(file := tmp_path / "full.jsonl"))

    assert run.err == f"sayso: “{file}” could not be written, and was removed: No space left on device\n"
    assert not file.exists()


def test_an_export_whose_reader_goes_away_is_no_fault(three: list[str]):
    line = f"{sys.executable} -m sayso log export | head -c 10; exit ${{PIPESTATUS[0]}}"
    run = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)

    assert (run.returncode, run.stderr) == (0, "")


def test_an_export_goes_to_standard_output_without_a_file(three: list[str]):
    assert all(json.loads(line) for line in sayso("log", "export").out.splitlines())
    assert len(sayso("log", "export", "--json").document["lines"]) > 3


def test_without_a_journal_there_is_nothing_to_prove():
    assert sayso("log", "verify").code == 2


def test_an_export_on_a_terminal_is_ascii_and_says_the_same(person: Path, reply: Reply, sit: Sit):
    sayso("run", reply('CREATE_FOLDER "~/Documents/größe\U0001f600\u3164\U000e0041"\n'), "--dialect", "lines")

    screen = sit("log", "export", columns=400)

    assert screen.end() == 0
    assert screen.raw.isascii()
    assert set(screen.raw) <= {*range(0x20, 0x7F), *b"\r\n"}
    assert [json.loads(line) for line in screen.raw.splitlines()] == [
        json.loads(line) for line in sayso("log", "export").out.splitlines()
    ]


def test_the_name_of_an_export_is_shown_with_nothing_in_it_that_acts(three: list[str], tmp_path: Path):
    name = str(tmp_path / "a\x1b[31m\u202eb.jsonl")

    run = sayso("log", "export", name)
    again = sayso("log", "export", name)

    assert Path(name).exists()
    assert (run.code, again.code) == (0, 2)
    for shown in (run.out, again.err):
        assert "a\\u{1b}[31m\\u{202e}b.jsonl" in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown


Settings = Callable[[str], None]


def test_an_action_is_shown_with_its_plan(person: Path, reply: Reply):
    text = 'WRITE_FILE "~/Documents/n.txt" "hello"\nFLY "x"\n'
    document = sayso("run", reply(text), "--dialect", "lines", "--json").document

    shown = sayso("show", document["run"]).out

    assert "Write the new file “~/Documents/n.txt”" in shown
    assert "│ +hello" in shown
    assert "Unknown command" in shown
    assert len(sayso("show", document["run"], "--json").document["rows"]) == 2
    assert len(sayso("show", document["results"][0]["id"], "--json").document["rows"]) == 1


def test_a_way_back_is_told_as_long_as_there_is_one(person: Path, reply: Reply):
    run = sayso("run", reply('CREATE_FOLDER "~/Documents/New"\n'), "--dialect", "lines", "--json").document["run"]

    before = sayso("show", run).out
    assert sayso("undo", "--yes").code == 0

    assert "sayso undo takes it back" in before
    assert "way back" not in sayso("show", run).out


def test_an_id_that_nothing_has_is_told():
    assert sayso("show", "run_0D8M2YQ5Z3F4K").code == 2


@pytest.mark.req("X-08", "T-111")
def test_why_something_that_leaves_the_computer_is_asked_about_is_told(person: Path, reply: Reply, settings: Settings):
    settings('[browser]\nkind = "memory"\n')
    read, send = "CALENDAR_TODAY\n", 'OPEN_URL "https://x.example/?q=secret"\n'
    before = sayso("run", reply(send), "--dialect", "lines", "--session", "s", "--dry-run", "--json").document["run"]
    sayso("run", reply(read), "--dialect", "lines", "--session", "s")
    after = sayso("run", reply(send), "--dialect", "lines", "--session", "s", "--dry-run", "--json").document["run"]

    shown = [sayso("show", run).out for run in (before, after)]
    rows = [sayso("show", run, "--json").document["rows"][0] for run in (before, after)]

    assert ["The model had read what others wrote" in one for one in shown] == [False, True]
    assert [row["exposed"] for row in rows] == [[], ["calendar.today"]]


def test_the_copy_holds_what_the_journal_holds(person: Path, tmp_path: Path):
    sayso("run", "--dialect", "lines", text='CREATE_FOLDER "~/Documents/x"\n')

    run = sayso("backup", str(tmp_path / "copy.db"), "--json")

    assert run.code == 0
    with sqlite3.connect(member(tmp_path / "copy.db", "sayso.db")) as copy:
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


def member(backup: Path, name: str) -> Path:
    """Return one file of a backup, as any other program takes it out."""
    with zipfile.ZipFile(backup) as packed:
        return Path(packed.extract(name, backup.parent / "out"))


def test_the_persons_lists_are_in_it(person: Path, tmp_path: Path):
    none = sayso("backup", str(tmp_path / "early.zip"), "--json").document
    sayso("task", "add", "Wine")

    run = sayso("backup", str(tmp_path / "copy.zip"), "--json")

    assert none["holds"] == ["the journal"]
    assert run.document["holds"] == ["the journal", "your tasks and habits"]
    assert (tmp_path / "copy.zip").stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(member(tmp_path / "copy.zip", "tasks.db")) as copy:
        assert copy.execute("SELECT text FROM tasks").fetchall() == [("Wine",)]
