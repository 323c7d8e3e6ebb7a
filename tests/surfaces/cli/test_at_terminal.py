"""What asks is there where somebody can be asked, and costs nothing elsewhere."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.core.plan import Plan
from sayso.core.verdict import Card, Question, Verdict
from sayso.surfaces.cli.at_terminal import dialect_of
from tests.surfaces.cli.conftest import Sit

PROGRAM = """
import sys
from sayso.surfaces.cli.main import main
main(sys.argv[1:])
print("sayso.surfaces.cli.batch" in sys.modules)
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


def test_at_a_terminal_a_single_action_may_be_edited_too(person: Path, reply: Callable[[str], str], sit: Sit):
    screen = sit("run", reply(MOVE), "--dialect", "lines")

    screen.see("sayso asks before this is done; e edits it.", "Do this? [y/N]")

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
