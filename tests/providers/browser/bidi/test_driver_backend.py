"""A real Firefox behaves as any other backend."""

import pytest

from sayso.core.ports import Backend
from sayso.testing.browser import BrowserSuite
from tests.desktop_env.browser import Around
from tests.providers.browser.conftest import Making

pytestmark = pytest.mark.thorough


@pytest.mark.needs("firefox-esr")
class TestBidi(BrowserSuite):
    """The suite on a real Firefox."""

    @pytest.fixture(autouse=True)
    def _two_windows(self, around: Around, making: Making) -> None:
        urls = [around.web.url(f"/{number}") for number in range(1, 6)]
        around.chromium.arrange(urls[:2], urls[2:])
        self.making = making
        self.elsewhere = around.web.url("/elsewhere")

    def make(self) -> Backend:
        return self.making()
