"""Each platform has its own usual applications, and no terminal is among them."""

import sys

import pytest

from sayso.config.usual_apps import LINUX_APPS, allowed_at_first
from sayso.policy.settings import DEFAULT_APPS

TERMINALS = ("terminal", "term", "konsole", "foot", "console", "alacritty", "kitty", "tilix", "shell")


@pytest.mark.req("T-31")
def test_linux_has_its_own_names_beside_those_that_are_allowed_everywhere():
    assert set(allowed_at_first("linux")) > set(DEFAULT_APPS)
    assert {"Files", "Firefox", "Text Editor", "Thunderbird"} <= set(allowed_at_first("linux"))
    assert allowed_at_first("darwin") == DEFAULT_APPS
    assert len(set(LINUX_APPS)) == len(LINUX_APPS)


@pytest.mark.req("T-31")
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_no_terminal_is_allowed_at_first(platform: str):
    names = [name.casefold() for name in allowed_at_first(platform)]

    assert [name for name in names if any(word in name.split() for word in TERMINALS)] == []


def test_this_platform_is_one_of_them():
    assert allowed_at_first(sys.platform)
