"""The small program starts another one and tells its number, or why not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sayso.providers.programs import detach
from sayso.providers.programs.run import STARTED


def test_it_tells_why_something_does_not_start():
    done = subprocess.run(
        [sys.executable, "-I", "-S", detach.__file__, "/nowhere"], capture_output=True, text=True, check=False
    )

    assert done.stdout == "No such file or directory"


def test_it_tells_the_number_of_what_it_started(capfd: pytest.CaptureFixture[str]):
    pid = int(detach.main(["/bin/sh", "-c", "echo quiet; sleep 0.1"]))

    assert Path(f"/proc/{pid}/environ").read_bytes()
    os.waitpid(pid, 0)
    assert capfd.readouterr().out == ""


def test_it_takes_the_mark_of_a_run_off():
    assert detach.MARK == STARTED


def test_one_that_ends_at_once_is_told_too():
    assert int(detach.main(["/bin/true"]))
