"""Tabs are asked to close all at once, and what stays is told."""

import pytest

from sayso.providers.browser.bidi.navigation import close_tabs
from tests.desktop_env.browser import Around
from tests.providers.browser.bidi.conftest import Speaking


@pytest.mark.thorough
@pytest.mark.needs("firefox-esr")
@pytest.mark.req("S4-31")
def test_they_are_gone_and_the_others_stay(around: Around, spoken: Speaking):
    around.chromium.arrange([around.web.url(f"/{number}") for number in range(5)])

    with spoken().connected() as now:
        wanted = [tab.id for tab in reversed(now.tabs())][:3]
        left = close_tabs(now.now, wanted)

    assert left == set()
    assert around.chromium.shown() == [around.web.url("/0"), around.web.url("/1")]
