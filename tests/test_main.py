"""The package can be run as a module."""

import subprocess
import sys


def test_the_module_is_the_program():
    run = subprocess.run([sys.executable, "-m", "sayso", "--version"], capture_output=True, text=True, check=True)

    assert run.stdout.startswith("sayso ")
