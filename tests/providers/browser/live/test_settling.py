"""After a crash a browser is asked what became of a step; what it cannot show stays unknown."""

import pytest

from sayso.core.errors import Uncertain
from sayso.core.plan import CannotTell, Left, NotDone
from sayso.providers.browser.facts import Closed, TabAt
from sayso.providers.browser.live.backend import Live
from sayso.providers.browser.provider import BROWSER
from sayso.providers.browser.steps import CloseTabs, Navigate
from sayso.testing.trying import Trial
from tests.desktop_env.browser import Around
from tests.desktop_env.session import Session
from tests.providers.browser.conftest import Making, Showing


async def test_closed_tabs_show_that_they_are(around: Around, making: Making):
    around.chromium.arrange([around.web.url("/1"), around.web.url("/2"), around.web.url("/3")])
    trial = Trial(BROWSER, making())
    change = (await trial.plan("tab.close", indices=[2, 3])).changes[0]
    assert isinstance(change.do, CloseTabs)
    before = await trial.backend.settle(change.do, change.expects)
    half = CloseTabs("default", (change.do.tabs[0],))
    await trial.backend.apply(half, ())
    between = await trial.backend.settle(change.do, change.expects)
    await trial.backend.apply(CloseTabs("default", change.do.tabs[1:]), ())

    assert isinstance(before, NotDone)
    assert isinstance(between, CannotTell)
    assert await trial.backend.settle(change.do, change.expects) == Left(tuple(Closed(tab) for tab in change.do.tabs))


async def test_tabs_of_a_browser_that_has_ended_show_nothing(making: Making):
    step = CloseTabs("default", ("another1.ABCDEF",))

    assert isinstance(await making().settle(step, ()), CannotTell)


async def test_a_tab_that_still_shows_its_page_was_not_sent_elsewhere(page: Showing, around: Around):
    trial = page("")
    tab = await trial.backend.reads.current("default")
    expects = (TabAt(tab.id, tab.url),)

    found = [await trial.backend.settle(Navigate("default", tab.id, url), expects) for url in ("http://x/", tab.url)]

    assert [type(each) for each in found] == [NotDone, CannotTell]


@pytest.mark.req("BR-10")
async def test_what_was_clicked_or_opened_cannot_be_told(page: Showing):
    trial = page("<button id=b>x</button>")
    change = (await trial.plan("page.click", selector="#b")).changes[0]

    assert isinstance(await trial.backend.settle(change.do, change.expects), CannotTell)


@pytest.mark.req("BR-10")
async def test_a_browser_that_dies_in_the_middle_leaves_it_uncertain(around: Around, making: Making):
    session = Session()
    try:
        dying = type(around.chromium)(session)
        around.web.pages["/dies"] = "<title>x</title><button id=b onclick='for (;;) {}'>x</button>"
        dying.arrange([around.web.url("/dies")])
        backend = making(url=dying.url)
        trial = Trial(BROWSER, backend)
        plan = await trial.plan("page.run_js", code="fetch('/dying'); new Promise(() => {})")

        def dies() -> tuple[int, dict[str, str], bytes]:
            session.end(dying.process)
            return 200, {}, b""

        around.web.pages["/dying"] = dies
        with pytest.raises(Uncertain, match="ended"):
            await trial.do(plan)

        await must_be_unknown(backend, plan.changes[0].do)
    finally:
        session.close()


async def must_be_unknown(backend: Live, step: object) -> None:
    assert isinstance(await backend.settle(step, ()), CannotTell)
