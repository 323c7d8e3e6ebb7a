"""Without a folder of its own sayso lives where the platform keeps such things."""

import sys
from pathlib import Path

import pytest

from sayso.config.paths import places
from sayso.policy.settings import DEFAULT_APPS, LINUX_APPS, default_allowed_apps


def test_the_platform_says_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    found = places({"HOME": str(tmp_path)})

    assert (found.home, found.config) == (tmp_path / "data/sayso", tmp_path / "config/sayso/config.toml")


TERMINALS = ("terminal", "term", "konsole", "foot", "console", "alacritty", "kitty", "tilix", "shell")


@pytest.mark.req("T-31")
def test_linux_has_its_own_names_beside_those_that_are_allowed_everywhere():
    assert set(default_allowed_apps("linux")) > set(DEFAULT_APPS)
    assert {"Files", "Firefox", "Text Editor", "Thunderbird"} <= set(default_allowed_apps("linux"))
    assert default_allowed_apps("darwin") == DEFAULT_APPS
    assert len(set(LINUX_APPS)) == len(LINUX_APPS)


@pytest.mark.req("T-31")
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_no_terminal_is_allowed_at_first(platform: str):
    names = [name.casefold() for name in default_allowed_apps(platform)]

    assert [name for name in names if any(word in name.split() for word in TERMINALS)] == []


def test_this_platform_is_one_of_them():
    assert default_allowed_apps(sys.platform)
