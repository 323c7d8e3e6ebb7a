"""No test reads the home of whoever runs it, and no two tests share one."""

import os
import pwd
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
