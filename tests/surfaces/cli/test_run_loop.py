"""What asks is there where somebody can be asked, and costs nothing elsewhere."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.core.decision import Card, Question, Verdict
from sayso.core.plan import Plan
from sayso.surfaces.cli.prompts import dialect_of
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso

PROGRAM = """
import sys
from sayso.surfaces.cli.main import main
main(sys.argv[1:])
print("sayso.surfaces.cli.prompts" in sys.modules)
"""
MOVE = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'


def test_a_program_without_a_terminal_does_not_import_what_asks(person: Path, reply: Callable[[str], str]):
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, "run", reply(MOVE), "--dialect", "lines"],
        capture_output=True,
        text=True,
        check=True,
        start_new_session=True,
    )

    assert "waiting" in run.stdout
    assert run.stdout.endswith("\nFalse\n")


MOST_MODULES = 121
"""How many modules of sayso `sayso run` of one line may import; it may only fall."""
COUNTS = """
import sys
from sayso.surfaces.cli.main import main
main(sys.argv[1:])
print(*(name for name in sys.modules if name.partition(".")[0] == "sayso"), sep="\\n")
"""


def test_a_run_of_one_line_imports_no_operations_of_other_parts_and_no_more_modules_than_before(
    person: Path, reply: Callable[[str], str]
):
    run = subprocess.run(
        [sys.executable, "-c", COUNTS, "run", reply('CREATE_FOLDER "~/Documents/x"\n'), "--dialect", "lines"],
        capture_output=True,
        text=True,
        check=True,
        start_new_session=True,
    )

    loaded = [line for line in run.stdout.splitlines() if line.partition(".")[0] == "sayso"]
    assert "done: Created folder" in run.stdout
    assert [name for name in loaded if name.endswith(".operations")] == ["sayso.providers.files.operations"]
    assert len(loaded) <= MOST_MODULES


def test_at_a_terminal_a_single_action_may_be_edited_too(person: Path, reply: Callable[[str], str], sit: Sit):
    screen = sit("run", reply(MOVE), "--dialect", "lines")

    screen.see("sayso asks before this is done.", "e edit", "Do this? [y/N]")

    screen.type("\n")
    assert screen.end() == 3


@pytest.mark.req("T-37", "T-43")
@pytest.mark.parametrize(
    ("dialect", "templates", "written_in"),
    [
        ("lines", [None, None], "lines"),
        ("tools", [None], "tools"),
        ("commands", [None, None], "commands"),
        ("blocks", [None, None], "blocks"),
        ("actions", ["t", "u"], "actions"),
        ("blocks", ["t"], "chat"),
        ("blocks", [None, "t"], "chat"),
        ("actions", [None], "chat"),
        ("actions", ["t", None], "chat"),
    ],
)
def test_what_is_asked_is_edited_in_the_dialect_of_its_run(dialect: str, templates: list[str | None], written_in: str):
    cards = tuple(
        Card(f"do_{index}", index, "", {}, Plan(""), Verdict("ask", "", ""), "", template_id=template_id)
        for index, template_id in enumerate(templates)
    )

    assert dialect_of(Question("run_1", cards, "", dialect)).name == written_in


Reply = Callable[[str], str]


def test_run_and_undo_and_decline_print_the_same_document(person: Path, reply: Reply):
    text = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'
    run = sayso("run", reply(text), "--dialect", "lines", "--yes", "--json").document
    undone = sayso("undo", run["run"], "--yes", "--json").document
    waits = sayso("run", reply(text), "--dialect", "lines", "--json").document
    declined = sayso("decline", waits["run"], "--json").document

    assert set(run) == set(undone) == set(declined)
    assert set(run["results"][0]) == set(undone["results"][0]) == set(declined["results"][0])


def printed_into(where: str, *words: str) -> tuple[int, str]:
    """Run sayso with its output at a place of the shell; return exit code and standard error."""
    line = f'"$@" {where}; exit "${{PIPESTATUS[0]}}"'
    run = subprocess.run(
        ["bash", "-c", line, "bash", sys.executable, "-m", "sayso", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        start_new_session=True,
        env=dict(os.environ),
        timeout=60,
    )
    return run.returncode, run.stderr.decode()


ENDS = {"DELETE_FILE ~/Downloads/none": 1, "DELETE_FILE ~/Downloads/a.txt": 3, "CREATE_FOLDER ~/Documents/x": 0}


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(("text", "code"), ENDS.items())
def test_a_reader_that_goes_away_changes_nothing_about_the_exit_code(
    person: Path, reply: Reply, text: str, code: int, form: list[str]
):
    ended, err = printed_into("| true", "run", reply(text), "--dialect", "lines", *form)

    assert ended == code
    assert "Traceback" not in err
    assert len(sayso("log", "--json").document["rows"]) == 1


def test_where_nobody_reads_errors_either_the_exit_code_still_tells(person: Path, reply: Reply):
    ended, _ = printed_into("2>&1 | true", "run", reply("DELETE_FILE ~/Downloads/a.txt"), "--dialect", "lines")

    assert ended == 3


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(("text", "code"), ENDS.items())
def test_a_run_that_cannot_be_printed_is_told_to_have_happened(
    person: Path, reply: Reply, text: str, code: int, form: list[str]
):
    ended, err = printed_into("> /dev/full", "run", reply(text), "--dialect", "lines", *form)

    (row,) = sayso("log", "--json").document["rows"]
    assert ended == code
    assert (
        f"run {row['run']} has happened and stands in “sayso log”, but could not be printed: No space left on device"
        in err
    )


def test_where_nothing_was_to_do_nothing_is_told_to_have_happened(person: Path, reply: Reply):
    ended, err = printed_into("> /dev/full", "run", reply("\n"), "--dialect", "lines")

    assert ended == 0
    assert "nothing to do, and that could not be printed" in err
    assert "No space left on device" in err
