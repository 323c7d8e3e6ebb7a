"""A real browser behaves as any other backend."""

import pytest

from sayso.core.errors import ProviderError
from sayso.core.ports import Backend
from sayso.providers.browser import BROWSER
from sayso.testing.browser import BrowserSuite
from sayso.testing.harness import Trial
from tests.desktop_env.browser import Around
from tests.desktop_env.session import wait_for
from tests.providers.browser.conftest import Making


@pytest.mark.needs("chromium")
class TestCdp(BrowserSuite):
    """The suite on a real browser."""

    @pytest.fixture(autouse=True)
    def _two_windows(self, around: Around, making: Making) -> None:
        urls = [around.web.url(f"/{number}") for number in range(1, 6)]
        around.chromium.arrange(urls[:2], urls[2:])
        titles = {f"/{number}" for number in range(1, 6)}
        wait_for(lambda: {each["title"] for each in around.chromium.get("/json/list")} >= titles, "their titles")
        self.making = making
        self.elsewhere = around.web.url("/elsewhere")

    def make(self) -> Backend:
        return self.making()


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-02", "SE-01")
async def test_pages_of_the_browser_itself_are_left_alone(around: Around, making: Making):
    around.chromium.arrange(["chrome://version/"])

    with pytest.raises(ProviderError, match="is no page of the web, and is left alone"):
        await Trial(BROWSER, making()).answer("page.text")
    around.chromium.arrange([around.web.url("/next")])
