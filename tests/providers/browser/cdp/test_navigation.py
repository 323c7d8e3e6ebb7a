"""Tabs are asked to close all at once, and what stays is told."""

import pytest

from sayso.providers.browser.cdp.navigation import Opens, again, close_tabs
from sayso.providers.browser.cdp.session import Chromium, open_tabs
from sayso.providers.browser.model import ReopenTabs
from sayso.providers.browser.remote.settings import Endpoint
from sayso.runtime.system import SystemClock
from tests.desktop_env.browser import Around
from tests.desktop_env.session import wait_for
from tests.providers.browser.conftest import HANGS, Hang


@pytest.mark.needs("chromium")
@pytest.mark.req("S4-31")
def test_they_go_in_the_order_they_are_named(around: Around):
    around.chromium.arrange([around.web.url(f"/{number}") for number in range(5)])
    chromium = Chromium(lambda: Endpoint("127.0.0.1", around.chromium.port), "/home/ana", SystemClock())
    gone: list[str] = []

    with chromium.connected() as now:
        wanted = [tab.id for tab in reversed(open_tabs(now))][:3]
        now.devtools.listen(lambda event: gone.append(event.method) if "Destroyed" in event.method else None)
        left = close_tabs(now, wanted)
        still = [tab.url for tab in open_tabs(now)]
    chromium.close()

    assert left == set()
    assert len(gone) >= 3
    assert still == [around.web.url("/0"), around.web.url("/1")]


@pytest.mark.needs("chromium")
@pytest.mark.req("S4-46")
def test_they_stand_where_they_stood(around: Around):
    urls = [around.web.url(f"/{number}") for number in range(3)]
    new = tuple(around.web.url(f"/new/{number}") for number in range(5))
    around.chromium.arrange(urls)
    chromium = Chromium(lambda: Endpoint("127.0.0.1", around.chromium.port), "/home/ana", SystemClock())

    with chromium.connected() as now:
        opens = Opens(now, frozenset(), None)
        there = open_tabs(now)
        window = there[0].window
        step = ReopenTabs("default", new, (window, window, window, "gone", "gone"), (2, 3, 5, 1, 2))
        with again(opens, step) as made:
            found = [(tab.id, tab.window) for tab in open_tabs(now)]
    chromium.close()

    one, two, three = (tab.id for tab in there)
    assert [tab for tab, _ in found] == [one, made[0], made[1], two, made[2], three, made[3], made[4]]
    assert [len({window for _, window in part}) for part in (found[:6], found[6:], found)] == [1, 1, 2]
    wait_for(lambda: {*urls, *new} == set(around.chromium.shown()), "their pages")


@pytest.mark.needs("chromium")
@pytest.mark.usefixtures("impatient")
def test_a_page_that_hangs_keeps_none_of_them_away(around: Around, hang: Hang):
    around.chromium.arrange([around.web.url("/1")])
    chromium = Chromium(lambda: Endpoint("127.0.0.1", around.chromium.port), "/home/ana", SystemClock())
    new = (around.web.url("/2"), around.web.url("/3"))

    with chromium.connected() as now:
        (hangs,) = open_tabs(now)
        around.chromium.evaluate(f"void setTimeout(() => {HANGS})")
        wait_for(hang.began.is_set, "a page that hangs")
        step = ReopenTabs("default", new, (hangs.window,) * 2, (2, 3))
        with again(Opens(now, frozenset(), None), step) as made:
            found = [tab.id for tab in open_tabs(now)]
    chromium.close()

    assert found == [hangs.id, *made]
