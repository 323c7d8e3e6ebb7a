"""A step begins only while a browser answers and all is as expected; tabs close, come back and come to the front."""

from collections.abc import Iterator
from typing import Any, cast

import pytest

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Fact
from sayso.providers.browser import BROWSER
from sayso.providers.browser.model import (
    NotShown,
    OpenTab,
    PageAt,
    SwitchTab,
    TabAt,
    TabClosed,
    TabInFront,
    TabsReopened,
)
from sayso.providers.browser.remote.backend import must_hold
from sayso.providers.browser.remote.connection import ConnectionLost
from sayso.providers.browser.remote.driver import BrowserSession, TabSnapshot
from sayso.testing.harness import Trial
from tests.desktop_env.browser import Around
from tests.desktop_env.session import wait_for
from tests.providers.browser.conftest import Making


@pytest.fixture
def session(around: Around, making: Making) -> Iterator[BrowserSession]:
    around.chromium.arrange([around.web.url("/1"), around.web.url("/2")])
    backend = making()
    with backend.driver.connected() as session:
        yield session


def test_what_is_so_holds_and_what_is_not_so_does_not(session: BrowserSession):
    one, two = session.tabs()
    with session.page(one.id) as page:
        fact = page.fact
    here, closed = TabAt(one.id, one.url), TabClosed(f"{one.id}X")
    wrong: list[Fact] = [
        TabAt(one.id, two.url),
        TabAt(one.id, one.url, "opener"),
        TabAt("other.X", one.url),
        TabClosed(one.id),
        TabInFront("default", two.id),
        TabInFront("default", one.id, f"{one.id}X"),
        PageAt(one.id, one.url, "another load"),
    ]

    must_hold(session, (here, closed, TabInFront("default", one.id, two.id), fact, NotShown("x", "y")))
    for fact in wrong:
        with pytest.raises(ProviderError, match="nothing was changed"):
            must_hold(session, (here, fact))


class Ended:
    """A browser that is no more."""

    def tabs(self) -> list[TabSnapshot]:
        raise ConnectionLost("it ended")


@pytest.mark.req("BR-10", "T-23")
def test_a_browser_is_asked_also_where_nothing_is_expected_of_it():
    with pytest.raises(ConnectionLost):
        must_hold(cast("BrowserSession", Ended()), ())


@pytest.mark.req("BR-10")
async def test_a_step_that_begins_can_be_cut_before_and_after_and_does_not_where_something_has_changed(
    around: Around, making: Making
):
    around.chromium.arrange([around.web.url("/1")])
    labels: list[str] = []
    backend = making(kill=labels.append)
    step = OpenTab("default", around.web.url("/2"))

    with pytest.raises(ProviderError, match="nothing was changed"):
        await backend.apply(step, (TabAt("x.y", "z"),))
    before = around.chromium.shown(), list(labels)
    await backend.apply(step, ())

    assert before == ([around.web.url("/1")], [])
    assert labels == ["tab.open.before", "tab.open.after"]
    assert backend.reads is not backend.reads


async def test_nothing_begins_without_a_browser(making: Making):
    with pytest.raises(ProviderError) as no:
        await making(url="").apply(SwitchTab("default", "x.y"), ())

    assert not isinstance(no.value, Uncertain)


@pytest.fixture
def urls(around: Around) -> list[str]:
    urls = [around.web.url(f"/{number}") for number in range(1, 9)]
    around.chromium.arrange(urls[:3], urls[3:])
    return urls


async def listed(trial: Trial) -> list[tuple[int, str]]:
    return [(tab.window_index, tab.url) for tab in (await trial.backend.reads.snapshot("default")).tabs]


@pytest.mark.req("S4-30", "S4-31", "S4-46", "C-28")
async def test_many_tabs_close_highest_first_and_come_back_to_their_places(
    around: Around, making: Making, urls: list[str]
):
    trial = Trial(BROWSER, making())
    before = await listed(trial)

    plan = await trial.plan("tab.close", indices=[2, 5, 8])
    lefts = await trial.do(plan)
    left = sorted(around.chromium.shown())
    undo: Any = plan.changes[0].undo
    again = await trial.backend.apply(undo, lefts[0].facts)

    assert left == sorted(set(urls) - {urls[1], urls[4], urls[7]})
    assert await listed(trial) == before
    assert [fact.url for fact in again.facts if isinstance(fact, TabAt)] == [urls[1], urls[4], urls[7]]
    assert again.facts[-1] == TabsReopened("default")


@pytest.mark.req("T-102", "S4-50")
async def test_one_tab_that_moved_on_keeps_all_open(around: Around, making: Making, urls: list[str]):
    trial = Trial(BROWSER, making())
    plan = await trial.plan("tab.close", indices=[2, 5])
    around.chromium.evaluate(f"location.href = {around.web.url('/moved')!r}", urls[1])
    wait_for(lambda: around.web.url("/moved") in around.chromium.shown(), "the move")

    with pytest.raises(ProviderError, match="shows another page by now; nothing was changed"):
        await trial.do(plan)

    assert len(around.chromium.shown()) == 8


@pytest.mark.req("S4-30")
async def test_the_last_tab_leaves_an_empty_one_so_that_there_is_a_way_back(
    around: Around, making: Making, urls: list[str]
):
    trial = Trial(BROWSER, making())

    plan = await trial.plan("tab.close", indices=list(range(1, 9)))
    lefts = await trial.do(plan)
    left = around.chromium.shown()
    await trial.take_back(plan, lefts)

    assert left == ["about:blank"]
    assert sorted(around.chromium.shown()) == sorted(["about:blank", *urls])


async def test_a_window_that_is_gone_comes_back_as_one(around: Around, making: Making, urls: list[str]):
    trial = Trial(BROWSER, making())

    plan = await trial.plan("tab.close", indices=[1, 2, 3])
    (left,) = await trial.do(plan)
    undo: Any = plan.changes[0].undo
    left_by = await trial.backend.apply(undo, left.facts)

    again = await listed(trial)
    assert left_by.facts[-1] == TabsReopened("default", elsewhere=3)
    assert again == [*((1, url) for url in urls[3:]), *((2, url) for url in urls[:3])]


async def test_a_page_that_asks_before_it_is_closed_is_closed_as_was_said(around: Around, making: Making):
    asks = "<title>x</title><input autofocus><script>onbeforeunload = e => { e.preventDefault(); return 'x' }</script>"
    around.web.pages["/asks"] = asks
    around.chromium.arrange([around.web.url("/asks"), around.web.url("/other")])
    trial = Trial(BROWSER, making())
    await trial.do(await trial.plan("page.click", selector="input"))

    await trial.do(await trial.plan("tab.close", indices=[1]))

    assert around.chromium.shown() == [around.web.url("/other")]


@pytest.mark.req("S4-29", "S4-45", "C-23", "S1-49")
async def test_a_tab_of_another_window_comes_to_the_front(around: Around, making: Making, urls: list[str]):
    trial = Trial(BROWSER, making())

    await trial.do(await trial.plan("tab.switch", index=4))

    assert around.chromium.shown()[0] == urls[3]
    assert (await trial.answer("tab.url")).text == urls[3]


async def test_a_tab_that_is_gone_is_told(around: Around, making: Making, urls: list[str]):
    trial = Trial(BROWSER, making())
    plans = [await trial.plan("tab.switch", index=4), await trial.plan("tab.close", indices=[4, 5])]
    around.chromium.close_tab(urls[3])

    for plan in plans:
        with pytest.raises(ProviderError, match="was closed or shows another page by now"):
            await trial.do(plan)

    assert len(around.chromium.shown()) == 7
