"""Without a folder of its own sayso lives where the platform keeps such things."""

from pathlib import Path

import pytest

from sayso.config.usual import folders


def test_the_platform_says_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    assert folders() == (str(tmp_path / "data/sayso"), str(tmp_path / "config/sayso"))
