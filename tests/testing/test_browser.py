"""The suite for browser backends finds a backend that does not keep the rules."""

import pytest

from sayso.core.ports import Backend
from sayso.providers.browser import memory
from sayso.providers.browser.memory import parse_world
from sayso.testing.browser import BrowserSuite
from sayso.testing.fakes import NumberedIds


class Suite(BrowserSuite):
    """The suite on a world that lacks the second window."""

    def make(self) -> Backend:
        return memory.backend(parse_world({"windows": [{"tabs": [{"url": "https://a.example/"}]}]}), NumberedIds())


async def test_a_world_without_the_tabs_it_needs_is_found():
    with pytest.raises(AssertionError, match="numbers and places"):
        await Suite().test_tabs_are_numbered_over_all_windows()
