"""`sayso undo` takes back the last thing, one action, or a whole run, for the person alone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso, states, tree

TWO = 'CREATE_FOLDER "~/Documents/x"\nMOVE_FILE "~/Downloads/a.txt" "~/Documents/x/b.txt"\n'
Reply = Callable[[str], str]


@pytest.fixture
def done(person: Path, reply: Reply) -> dict[str, str]:
    document = sayso("run", reply(TWO), "--dialect", "lines", "--yes", "--json").document
    return {"run": document["run"], "first": document["results"][0]["id"], "second": document["results"][1]["id"]}


def test_without_a_terminal_it_needs_the_flag(person: Path, done: dict[str, str]):
    run = sayso("undo")

    assert run.code == 3
    assert "--yes" in run.err
    assert tree(person) == {"Documents/x/b.txt": "first\n"}


def test_the_last_thing_is_taken_back(person: Path, done: dict[str, str]):
    run = sayso("undo", "--yes", "--json")

    assert run.code == 0
    assert states(run.document) == ["done"]
    assert run.document["results"][0]["approved_by"] == "flag"
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_a_whole_run_is_taken_back_newest_first(person: Path, done: dict[str, str]):
    run = sayso("undo", done["run"].lower(), "--yes", "--json")

    assert run.code == 0
    assert tree(person) == {"Downloads/a.txt": "first\n"}
    assert not (person / "Documents" / "x").exists()


def test_on_a_terminal_the_typed_command_is_the_approval(person: Path, done: dict[str, str], sit: Sit):
    screen = sit("undo", done["second"])

    assert screen.end() == 0
    assert "Took back" in screen.text
    assert tree(person) == {"Downloads/a.txt": "first\n"}


@pytest.mark.parametrize("word", ["--dry-run", "--list"])
def test_looking_changes_nothing(person: Path, done: dict[str, str], word: str):
    run = sayso("undo", done["run"], word)

    assert run.code == 0
    assert "Move “~/Downloads/a.txt”" in run.out
    assert tree(person) == {"Documents/x/b.txt": "first\n"}


def test_the_list_has_rows(done: dict[str, str]):
    rows = sayso("undo", "--list", "--json").document["rows"]

    assert [row["id"] for row in rows] == [done["second"], done["first"]]


def test_what_was_changed_by_hand_is_left_alone(person: Path, done: dict[str, str]):
    (person / "Documents" / "x" / "b.txt").write_text("mine\n")

    run = sayso("undo", done["second"], "--yes", "--json")

    assert run.code == 1
    assert states(run.document) == ["failed"]
    assert tree(person) == {"Documents/x/b.txt": "mine\n"}


def test_what_was_taken_back_is_not_taken_back_again(done: dict[str, str]):
    sayso("undo", done["second"], "--yes")

    run = sayso("undo", done["second"], "--yes")

    assert run.code == 1
    assert "already taken back" in run.err


def test_an_id_that_nothing_has_is_told():
    run = sayso("undo", "do_0D8M2YQ5Z3F4K", "--yes", "--json")

    assert run.code == 2
    assert run.document["code"] == "action.unknown"
