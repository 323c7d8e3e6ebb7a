"""`sayso run` prints what interfaces.md says, and takes nobody's word but the person's."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.policy.settings import Mode
from sayso.surfaces.cli.commands.run import mode_of_run
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso, states, tree

MOVE = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'
Reply = Callable[[str], str]
Settings = Callable[[str], None]

RUN = {"run", "dialect", "dry_run", "needs_clarification", "clarification_reason", "results"}
RESULT = {
    "id", "index", "operation", "arguments", "label", "state", "success", "message", "error", "code", "data", "plan",
    "verdict", "digest", "approved_by", "undo", "duration_ms",
}  # fmt: skip


@pytest.mark.req("S0-59", "S0-60")
def test_the_document_has_the_fixed_shape(person: Path, reply: Reply):
    run = sayso("run", reply(MOVE + 'FLY "x"\n'), "--dialect", "lines", "--yes", "--json")

    document = run.document
    assert set(document) >= RUN
    assert all(set(result) >= RESULT for result in document["results"])
    moved, flown = document["results"]
    assert moved["id"].startswith("do_")
    assert document["run"].startswith("run_")
    assert (moved["success"], moved["message"], moved["error"]) == (True, "Moved file", None)
    assert (flown["success"], flown["message"], flown["error"]) == (False, None, 'Unknown command: FLY "x"')
    assert moved["undo"] == moved["id"]
    assert moved["digest"].startswith("sha256:")
    (change,) = moved["plan"]["changes"]
    assert set(change) >= {"do", "undo", "expects", "left", "outcome"}
    assert change["outcome"] == "done"
    assert set(moved["verdict"]) == {"ruling", "because", "rule"}


@pytest.mark.req("X-03", "X-11", "T-44")
def test_what_the_model_is_given_back_is_added_on_request(person: Path, reply: Reply):
    text = reply('CREATE_FOLDER "~/Documents/x"\nCREATE_FOLDR "~/Documents/y"\n')

    document = sayso("run", text, "--dialect", "lines", "--json", "--results").document

    made, flown = document["given_back"]
    assert set(made) == {"command", "success", "message", "error"}
    assert (made["command"].split()[0], made["success"], flown["success"]) == ("CREATE_FOLDER", True, False)
    (note,) = document["notes"]
    assert (note["kind"], note["index"], note["line"], note["candidates"]) == ("invalid", 1, 2, [])
    assert note["sentence"].endswith('Write this instead:\nCREATE_FOLDER "~/Documents/y"')


@pytest.mark.req("X-11", "S2-44")
def test_what_may_have_been_meant_is_named_in_results_and_notes(person: Path, reply: Reply):
    assert sayso("task", "add", "Buy milk").code == 0

    told = sayso("run", reply('TASK_DELETE "Buy mlik"'), "--dialect", "lines", "--json", "--results").document

    meant = [{"name": "Buy milk", "id": "", "where": ""}]
    assert told["results"][0]["data"] == {"candidates": meant}
    assert told["notes"][0]["candidates"] == meant


def test_the_text_comes_from_standard_input_when_no_file_is_named(person: Path):
    run = sayso("run", "--dialect", "lines", "--json", text='CREATE_FOLDER "~/Documents/x"\n')

    assert run.code == 0
    assert (person / "Documents" / "x").is_dir()


@pytest.mark.req("S0-65", "T-29")
def test_a_dry_run_changes_nothing_and_is_written_down(person: Path, reply: Reply):
    run = sayso("run", reply(MOVE), "--dialect", "lines", "--dry-run", "--json")

    assert run.code == 0
    assert run.document["dry_run"] is True
    assert states(run.document) == ["planned"]
    assert tree(person) == {"Downloads/a.txt": "first\n"}
    with sqlite3.connect(os.environ["SAYSO_HOME"] + "/sayso.db") as journal:
        assert journal.execute("SELECT state FROM action").fetchall() == [("planned",)]


@pytest.mark.req("X-09")
def test_without_a_terminal_what_asks_waits(person: Path, reply: Reply):
    run = sayso("run", reply(MOVE), "--dialect", "lines", "--json")

    assert run.code == 3
    assert states(run.document) == ["waiting"]
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_with_json_nothing_is_asked_even_on_a_terminal(person: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(MOVE), "--dialect", "lines", "--json")

    assert screen.end() == 3
    assert "[y/N]" not in screen.text
    assert b'"state": "waiting"' in screen.raw


def test_no_action_is_an_empty_list(person: Path):
    run = sayso("run", "--dialect", "lines", "--json", text="# No action needed")

    assert (run.code, run.document["results"]) == (0, [])


def test_a_stricter_mode_may_be_asked_for_by_anybody(person: Path, reply: Reply):
    text = 'CREATE_FOLDER "~/Documents/x"\n'

    run = sayso("run", reply(text), "--dialect", "lines", "--mode", "always", "--json")

    assert states(run.document) == ["waiting"]


def test_a_looser_mode_is_the_persons_own_flag_also_without_a_terminal(person: Path, reply: Reply):
    run = sayso("run", reply(MOVE), "--dialect", "lines", "--mode", "never", "--json")

    assert run.code == 0
    assert states(run.document) == ["done"]
    assert run.err == ""
    assert tree(person) == {"Documents/b.txt": "first\n"}


def test_a_looser_mode_without_a_terminal_leaves_floor_questions_waiting(person: Path, reply: Reply):
    run = sayso("run", reply('DELETE_FILE "~/Downloads/a.txt"\n'), "--dialect", "lines", "--mode", "never", "--json")

    assert run.code == 3
    assert states(run.document) == ["waiting"]
    assert tree(person) == {"Downloads/a.txt": "first\n"}


@pytest.mark.parametrize(
    ("wanted", "administrators", "holds"),
    [
        (None, "always", None),
        ("never", None, "never"),
        ("never", "destructive", "destructive"),
        ("destructive", "always", "always"),
        ("always", "never", "always"),
        ("destructive", "destructive", "destructive"),
    ],
)
def test_the_stricter_of_the_flag_and_the_administrators_mode_holds(
    wanted: Mode | None, administrators: Mode | None, holds: Mode | None
):
    assert mode_of_run(wanted, administrators) == holds


def test_a_looser_mode_does_not_answer_floor_questions(person: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply('DELETE_FILE "~/Downloads/a.txt"\n'), "--dialect", "lines", "--mode", "never")
    screen.see("[y/N]")

    screen.type("\n")

    assert screen.end() == 3
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_ctrl_c_while_acting_leaves_nothing_half_done(person: Path, reply: Reply):
    count = 400
    text = "".join(f'CREATE_FOLDER "~/Documents/d{number}"\n' for number in range(count))
    process = subprocess.Popen(
        [sys.executable, "-m", "sayso", "run", reply(text), "--dialect", "lines", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not (person / "Documents" / "d3").exists() and process.poll() is None:
        pass

    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    document = json.loads(out)
    made = [number for number in range(count) if (person / "Documents" / f"d{number}").exists()]
    done = [result["index"] for result in document["results"] if result["state"] == "done"]
    assert made == done
    assert set(states(document)) <= {"done", "skipped"}
    assert process.returncode == (1 if "skipped" in states(document) else 0)
    assert b"Traceback" not in err


def test_session_is_written_down(person: Path):
    sayso("run", "--dialect", "lines", "--session", "talk 7", text='CREATE_FOLDER "~/Documents/x"\n')

    (row,) = sayso("log", "--json").document["rows"]

    assert row["session"] == "talk 7"


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (MOVE, "lines"),
        ('```json-action\n{"type": "add_task", "text": "x"}\n```\n', "blocks"),
        ('{"commands": [{"type": "list_apps"}]}', "commands"),
    ],
)
def test_a_text_shows_which_dialect_it_is_written_in(person: Path, reply: Reply, text: str, dialect: str):
    run = sayso("run", reply(text), "--dry-run", "--json")

    assert run.document["dialect"] == dialect
    assert [result["state"] for result in run.document["results"]] == ["planned"] or dialect == "commands"


def test_where_the_dialect_is_not_certain_nothing_runs_and_the_flag_is_named(person: Path, reply: Reply):
    run = sayso("run", reply("I would say:\n" + MOVE), "--yes")

    assert run.code == 2
    assert "name it, as with --dialect lines" in run.err
