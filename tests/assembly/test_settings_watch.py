"""The settings of this moment."""

import logging
import os
from pathlib import Path

import pytest

from sayso.assembly.settings_watch import ReloadingSettings
from sayso.core.errors import SetupError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of settings in a home of sayso."""
    (tmp_path / "own").mkdir()
    return tmp_path / "own" / "config.toml"


def reloading(file: Path) -> ReloadingSettings:
    """Return the settings of that home."""
    return ReloadingSettings({"HOME": str(file.parent.parent), "SAYSO_HOME": str(file.parent)})


def test_what_is_wrong_at_the_start_is_said(file: Path):
    file.write_text("[policy\n")
    settings = reloading(file)

    for _ in range(2):
        with pytest.raises(SetupError, match="is not TOML"):
            settings()


@pytest.mark.req("X-16")
def test_settings_that_break_later_pause_everything_and_keep_what_was_said(
    file: Path, caplog: pytest.LogCaptureFixture
):
    file.write_text('[policy]\nmode = "always"\n')
    settings = reloading(file)
    before = settings().policy

    with caplog.at_level(logging.WARNING, "sayso"):
        file.write_text("[policy\n")
        broken = [settings().policy, settings().policy]
        file.write_text('[policy]\nmode = "nonsense"\n')
        broken.append(settings().policy)

    assert not before.paused
    assert [(policy.mode, policy.paused) for policy in broken] == [("always", True)] * 3
    (record,) = caplog.records
    assert "everything is paused" in record.getMessage()
    assert "config.toml is not TOML" in record.getMessage()


def test_settings_that_are_mended_hold_again(file: Path):
    file.write_text("")
    settings = reloading(file)
    settings()
    file.write_text("[policy\n")
    paused = settings().policy.paused
    file.write_text('[policy]\nmode = "never"\n')

    assert paused
    assert (settings().policy.mode, settings().policy.paused) == ("never", False)


def test_a_change_that_leaves_size_and_time_as_they_were_is_seen(file: Path):
    file.write_text('[policy]\nundo_keep = "8h"\n')
    settings = reloading(file)
    before, at = settings().policy.undo_keep, file.stat().st_mtime_ns

    file.write_text('[policy]\nundo_keep = "9h"\n')
    os.utime(file, ns=(at, at))

    assert (before, settings().policy.undo_keep) == (28_800, 32_400)


def test_the_place_of_the_program_is_part_of_the_settings(file: Path):
    settings = ReloadingSettings(
        {"HOME": str(file.parent.parent), "SAYSO_HOME": str(file.parent)}, program=lambda policy: (policy.home + "/p",)
    )

    assert settings().policy.program == (f"{file.parent.parent}/p",)
