"""`sayso settle` takes the person's word, and only about what is unknown."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso, tree

Reply = Callable[[str], str]
BECOMES = {"done": "done", "not-done": "failed"}
ROOT = Path(__file__).parents[4]


@pytest.fixture
def unknown(person: Path) -> str:
    return left_unknown(person)


def left_unknown(person: Path) -> str:
    """Return the id of a copy whose process died when it had begun, and that somebody else has made since."""
    text = "COPY_FILE ~/Downloads/a.txt ~/Documents/b.txt"
    died = subprocess.run(
        [sys.executable, "-m", "tests.surfaces.cli.dies", text, "files.copy.begun"], cwd=ROOT, check=False
    )
    assert died.returncode == -signal.SIGKILL
    shutil.copy2(person / "Downloads/a.txt", person / "Documents/b.txt")
    (row,) = sayso("log", "--state", "unknown", "--json").document["rows"]
    return row["id"]


def state_of(action: str) -> str:
    """Return where an action stands, as another process is told."""
    (row,) = [row for row in sayso("log", "--json").document["rows"] if row["id"] == action]
    return row["state"]


def test_a_program_settles_nothing():
    run = sayso("settle", "do_0D8M2YQ5Z3F4K", "done")

    assert run.code == 3
    assert "type it on your terminal" in run.err


def test_what_is_known_is_not_settled(person: Path, reply: Reply, sit: Sit):
    document = sayso("run", reply('CREATE_FOLDER "~/Documents/x"\n'), "--dialect", "lines", "--json").document

    screen = sit("settle", document["results"][0]["id"], "not-done")

    assert screen.end() == 1
    assert "is not unknown: it is done" in screen.text


def test_doctor_says_what_to_do_about_what_is_unknown(unknown: str):
    assert "sayso log --state unknown, then sayso settle" in sayso("doctor").out
    assert unknown in sayso("log", "--state", "unknown").out


@pytest.mark.req("CR-01")
@pytest.mark.parametrize("how", ["done", "not-done"])
def test_the_persons_word_settles_what_is_unknown_and_touches_nothing(person: Path, unknown: str, sit: Sit, how: str):
    state = BECOMES[how]
    before = tree(person)

    screen = sit("settle", unknown, how)

    assert screen.end() == 0
    assert f"{state}: " in screen.text
    assert state_of(unknown) == state
    assert tree(person) == before
    assert sayso("log", "verify").code == 0


def test_without_a_terminal_the_unknown_stays_unknown(unknown: str):
    run = sayso("settle", unknown, "done")

    assert run.code == 3
    assert state_of(unknown) == "unknown"


def test_it_is_settled_once(unknown: str, sit: Sit):
    assert sit("settle", unknown, "not-done").end() == 0

    again = sit("settle", unknown, "done")

    assert again.end() == 1
    assert "is not unknown: it is failed" in again.text
    assert state_of(unknown) == "failed"


@pytest.mark.parametrize("how", ["done", "not-done"])
def test_taking_back_what_was_settled_never_takes_what_somebody_else_made(
    person: Path, unknown: str, sit: Sit, how: str
):
    theirs = (person / "Documents/b.txt").stat()
    settled = sit("settle", unknown, how)
    assert settled.end() == 0
    assert "takes it back" not in settled.text

    undo = sit("undo", unknown)

    assert undo.end() == 1
    assert ("is your word" if how == "done" else "changed nothing") in undo.text
    now = (person / "Documents/b.txt").stat()
    assert (now.st_ino, now.st_ctime_ns) == (theirs.st_ino, theirs.st_ctime_ns)
    assert state_of(unknown) == BECOMES[how]


def test_after_settling_undo_takes_back_the_last_thing_that_can_be(person: Path, reply: Reply, sit: Sit):
    made = sayso("run", reply("CREATE_FOLDER ~/Documents/x\n"), "--dialect", "lines", "--json").document
    action = left_unknown(person)
    assert sit("settle", action, "done").end() == 0

    undo = sit("undo")

    assert undo.end() == 0
    assert not (person / "Documents/x").exists()
    assert (person / "Documents/b.txt").exists()
    assert state_of(made["results"][0]["id"]) == "undone"
    assert sayso("log", "verify").code == 0
