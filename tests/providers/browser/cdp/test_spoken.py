"""What the shared half of the backend asks for is what the browser shows."""

from pathlib import Path

import pytest

from sayso.providers.browser.cdp.chromium import Chromium
from sayso.providers.browser.cdp.spoken import Spoke
from sayso.providers.browser.live.where import Endpoint
from sayso.runtime.clock import SystemClock
from tests.desktop_env.browser import Around


@pytest.mark.needs("chromium")
def test_tabs_front_and_words_are_those_of_the_browser(around: Around):
    urls = [around.web.url(f"/{number}") for number in range(3)]
    around.chromium.arrange(urls)
    browser = Spoke(Chromium(lambda: Endpoint("127.0.0.1", around.chromium.port), "/home/ana", SystemClock()))

    with browser.connected() as now:
        tabs = now.tabs()
        raw = now.raw(frozenset())
        knows = [now.knows(tabs[0].id), now.knows("another1.X")]
        closed_off = now.hands(frozenset({1}), Path("/nowhere")).closed_off
        front = now.front(tabs)
    browser.close()

    assert [tab.url for tab in tabs] == urls
    assert all(url in raw for url in urls)
    assert (knows, front) == ([True, False], tabs[0].id)
    assert closed_off == {1, around.chromium.port}
