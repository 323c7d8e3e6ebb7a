"""The tab in front is the one that has the person's attention, else the one that was brought there last."""

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.browser.cdp.driver import bring, front
from sayso.providers.browser.cdp.session import Chromium, open_tabs
from sayso.providers.browser.remote.settings import Endpoint
from sayso.runtime.system import SystemClock
from tests.desktop_env import browser
from tests.desktop_env.browser import Around
from tests.desktop_env.session import Session

pytestmark = pytest.mark.needs("chromium")


def fronted(port: int, *urls: str) -> list[str]:
    """Bring these to the front, one after the other; return what is told to be there each time."""
    chromium = Chromium(lambda: Endpoint("127.0.0.1", port), "/home/ana", SystemClock())
    told: list[str] = []
    with chromium.connected() as now:
        for url in urls:
            bring(now, next(tab.id for tab in open_tabs(now) if tab.url == url))
            tabs = open_tabs(now)
            told.append(next(tab.url for tab in tabs if tab.id == front(now, tabs)))
    chromium.close()
    return told


@pytest.mark.req("S4-29")
def test_without_a_screen_it_is_the_one_that_was_brought_there(around: Around):
    urls = [around.web.url(f"/{number}") for number in range(4)]
    around.chromium.arrange(urls[:2], urls[2:])
    order = [urls[2], urls[0], urls[3], urls[1], urls[3]]

    assert fronted(around.chromium.port, *order) == order


@pytest.mark.req("S4-29")
def test_on_a_screen_it_is_the_one_with_the_attention(
    around: Around, x_session: Session, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(browser, "FLAGS", tuple(flag for flag in browser.FLAGS if not flag.startswith("--headless")))
    made = browser.Chromium(x_session)
    urls = [around.web.url(f"/{number}") for number in range(4)]
    made.arrange(urls[:2], urls[2:])
    order = [urls[2], urls[0], urls[3], urls[1]]

    assert fronted(made.port, *order) == order
    x_session.end(made.process)


def test_a_tab_that_is_gone_is_told(around: Around):
    around.chromium.arrange([around.web.url("/1"), around.web.url("/2")])
    chromium = Chromium(lambda: Endpoint("127.0.0.1", around.chromium.port), "/home/ana", SystemClock())

    with chromium.connected() as now, pytest.raises(ProviderError, match="no longer open; nothing was changed"):
        bring(now, f"{now.key}.GONE")
    chromium.close()
