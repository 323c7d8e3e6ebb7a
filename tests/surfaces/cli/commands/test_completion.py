"""`sayso completion` prints a script that knows every command."""

import subprocess

import pytest

from sayso.surfaces.cli.main import TABLE
from tests.surfaces.cli.person import sayso


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_knows_every_command(shell: str):
    script = sayso("completion", shell).out

    assert all(name in script for name in TABLE)


@pytest.mark.needs("bash")
def test_bash_takes_the_script():
    script = sayso("completion", "bash").out

    run = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)

    assert (run.returncode, run.stderr) == (0, "")
