"""Tabs are asked to close all at once, and what stays is told."""

import pytest

from sayso.providers.browser.cdp.chromium import Chromium, open_tabs
from sayso.providers.browser.cdp.closing import closed
from sayso.providers.browser.live.where import Endpoint
from sayso.runtime.clock import SystemClock
from tests.desktop_env.browser import Around


@pytest.mark.needs("chromium")
@pytest.mark.req("S4-31")
def test_they_go_in_the_order_they_are_named(around: Around):
    around.chromium.arrange([around.web.url(f"/{number}") for number in range(5)])
    chromium = Chromium(lambda: Endpoint("127.0.0.1", around.chromium.port), "/home/ana", SystemClock())
    gone: list[str] = []

    with chromium.connected() as now:
        wanted = [tab.id for tab in reversed(open_tabs(now))][:3]
        now.devtools.listen(lambda event: gone.append(event.method) if "Destroyed" in event.method else None)
        left = closed(now, wanted)
        still = [tab.url for tab in open_tabs(now)]
    chromium.close()

    assert left == set()
    assert len(gone) >= 3
    assert still == [around.web.url("/0"), around.web.url("/1")]
