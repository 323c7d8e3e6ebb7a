"""A test waits for what a program shows, and no longer than it can still come."""

import sys
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit


@pytest.mark.timeout(40)
def test_a_program_that_has_ended_is_not_waited_for(tmp_path: Path, sit: Sit):
    program = tmp_path / "ends.py"
    program.write_text("print('no module of this name')")
    screen = sit(argv=[sys.executable, "-I", str(program)])

    with pytest.raises(AssertionError, match="no module of this name"):
        screen.see("the prompt")
