"""A tab opens again right after the one that stands before its place, or in a window of its own."""

import pytest

from sayso.providers.browser.cdp.chromium import Chromium, open_tabs
from sayso.providers.browser.cdp.reopening import again
from sayso.providers.browser.live.where import Endpoint
from sayso.runtime.clock import SystemClock
from tests.desktop_env.browser import Around


@pytest.mark.needs("chromium")
@pytest.mark.req("S4-46")
def test_it_stands_where_it_stood(around: Around):
    urls = [around.web.url(f"/{number}") for number in range(3)]
    around.chromium.arrange(urls)
    chromium = Chromium(lambda: Endpoint("127.0.0.1", around.chromium.port), "/home/ana", SystemClock())

    with chromium.connected() as now:
        beside = again(now, open_tabs(now), around.web.url("/second"), 2)
        alone = again(now, [], around.web.url("/alone"), 5)
        found = [(tab.id, tab.window) for tab in open_tabs(now)]
    chromium.close()

    assert found[1][0] == beside
    assert found[-1][0] == alone
    assert len({window for _, window in found}) == 2
