"""What the shared half of the backend asks for is what Firefox shows."""

from pathlib import Path

import pytest

from tests.desktop_env.browser import Around
from tests.providers.browser.bidi.conftest import Speaking


@pytest.mark.needs("firefox-esr")
@pytest.mark.req("S4-40", "BR-01")
def test_tabs_front_and_words_are_those_of_the_browser(around: Around, spoken: Speaking):
    urls = [around.web.url("/1"), around.free.url("/approve")]
    around.chromium.arrange(urls)

    with spoken().connected() as now:
        tabs = now.tabs()
        raw = now.raw(frozenset({around.free.port}))
        closed_off = now.hands(frozenset({1}), Path("/nowhere")).closed_off
        front = now.front(tabs)

    assert [tab.url for tab in tabs] == urls
    assert urls[0] in raw
    assert "/approve" not in raw
    assert front == tabs[0].id
    assert closed_off == {1, around.chromium.port}
