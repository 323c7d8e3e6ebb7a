"""No test reads the home of whoever runs it, and no two tests share one."""

import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugins.conftest import Runner

SEEN: set[Path] = set()


@pytest.mark.parametrize("time", [1, 2])
def test_home_is_new_and_empty(scratch_home: Path, time: int):
    assert Path.home() == scratch_home
    assert list(scratch_home.iterdir()) == []
    assert Path(os.environ["SAYSO_HOME"]).parent == scratch_home.parent
    assert scratch_home not in SEEN
    assert str(scratch_home) != pwd.getpwuid(os.getuid()).pw_dir
    SEEN.add(scratch_home)


def test_what_one_program_compiled_the_next_one_finds(tmp_path: Path):
    (tmp_path / "module.py").write_text("")

    subprocess.run([sys.executable, "-c", "import module"], cwd=tmp_path, check=True)

    kept = Path(os.environ["PYTHONPYCACHEPREFIX"])
    assert [found.name for found in kept.rglob("module.*.pyc")]


def test_what_leads_to_the_persons_desktop_is_forgotten(run: Runner, monkeypatch: pytest.MonkeyPatch):
    for name in ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_CONFIG_HOME", "SAYSO_MAIL_PASSWORD"):
        monkeypatch.setenv(name, "theirs")

    ran = run(
        """
        import os

        def test_it(): assert "theirs" not in os.environ.values()
        """
    )

    assert ran.outcome("test_it") == "passed"
