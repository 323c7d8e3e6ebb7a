"""Mount a file system for a test, where the machine lets it."""

import os
import subprocess
from pathlib import Path

import pytest


def mount(*words: str | Path) -> None:
    """Call `mount`; where that is not permitted the test is skipped."""
    done = subprocess.run(["mount", *map(str, words)], check=False, capture_output=True) if os.geteuid() == 0 else None
    if done is None or done.returncode:
        pytest.skip("needs to be root, to mount a file system")
