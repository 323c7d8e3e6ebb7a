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


@pytest.fixture
def stuck(person: Path, done: dict[str, str]) -> dict[str, str]:
    (person / "Documents" / "x" / "b.txt").write_text("mine\n")
    return done


def test_behind_a_thing_that_cannot_be_taken_back_the_one_before_is_named(stuck: dict[str, str]):
    run = sayso("undo", "--yes")

    assert run.code == 1
    assert "has changed since it was looked at" in run.out
    assert f"Before that: Create folder “~/Documents/x”. sayso undo {stuck['first']} takes that back" in run.out


def test_at_a_terminal_the_one_before_is_offered_and_taken_back_after_a_yes(
    person: Path, reply: Reply, done: dict[str, str], sit: Sit
):
    sayso("run", reply('WRITE_FILE "~/Documents/c.txt" "c"\n'), "--dialect", "lines", "--yes")
    (person / "Documents" / "c.txt").write_text("mine\n")
    screen = sit("undo")
    screen.see("has changed since it was looked at", "Before that: Move", "Take that back? [y/N]")

    screen.type("y\n")

    assert screen.end() == 0
    assert tree(person) == {"Downloads/a.txt": "first\n", "Documents/c.txt": "mine\n"}


def test_a_no_to_what_is_offered_changes_nothing_and_nothing_before_is_told(
    person: Path, reply: Reply, stuck: dict[str, str], sit: Sit
):
    screen = sit("undo")
    screen.see("Take that back? [y/N]")
    screen.type("\n")

    assert screen.end() == 1
    assert tree(person) == {"Documents/x/b.txt": "mine\n"}


def test_the_list_is_picked_from_by_number(person: Path, done: dict[str, str], sit: Sit):
    screen = sit("undo", "--list")
    screen.see("1  ", "file.move", "2  ", "file.mkdir", "Take back which?")

    screen.type("7\n")
    screen.see("type a number from 1 to 2", "Take back which?")
    screen.type("1\n")

    assert screen.end() == 0
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_part_of_an_id_is_enough_where_it_names_one(person: Path, done: dict[str, str]):
    end = f"do_{done['second'][-5:].lower()}"

    shown = sayso("show", end)
    both = sayso("show", done["second"][:7])
    none = sayso("show", "do_zzzzz")
    undone = sayso("undo", f"run_{done['run'][-5:]}", "--yes", "--json")

    assert shown.out.startswith(done["second"])
    assert (both.code, none.code) == (1, 2)
    assert f"may be {done['second']}, {done['first']}; write more of it" in both.err
    assert "there is no action whose id begins or ends with “do_zzzzz”" in none.err
    assert states(undone.document) == ["done", "done"]


def test_a_changed_mode_alone_does_not_keep_a_file_from_going_back(person: Path, done: dict[str, str]):
    (person / "Documents" / "x" / "b.txt").chmod(0o600)
    (person / "Documents" / "x").chmod(0o700)

    run = sayso("undo", done["run"], "--yes", "--json")

    assert states(run.document) == ["done", "done"]
    assert (person / "Downloads" / "a.txt").stat().st_mode & 0o777 == 0o600
