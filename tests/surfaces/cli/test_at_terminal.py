"""What asks is there where somebody can be asked, and costs nothing elsewhere."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

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
