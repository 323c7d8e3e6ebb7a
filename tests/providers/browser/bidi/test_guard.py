"""No spelling, redirect, frame or worker leads Firefox to sayso's own page; without the guard each of them does."""

from contextlib import suppress
from pathlib import Path

import pytest

from sayso.core.errors import Refused, SaysoError, SetupError
from sayso.providers.browser.bidi.guard import anew, must_be_kept_away, preference
from sayso.providers.browser.live.where import Endpoint
from sayso.providers.browser.own_pages import announced
from sayso.providers.browser.provider import BROWSER
from sayso.testing.trying import Trial
from tests.desktop_env.browser import Around
from tests.desktop_env.session import wait_for
from tests.providers.browser.cdp.test_guard import HOSTS, WAYS, Way, lead, visits
from tests.providers.browser.conftest import Making

BY_ITSELF = {".".join("0000")}
"""Where Firefox goes on no port at all."""
NAMED, OWN = Endpoint("127.0.0.1", 1), Endpoint("127.0.0.1", 1, own=Path("/own"))


@pytest.fixture
def trial(around: Around, making: Making, scratch_home: Path) -> Trial:
    around.chromium.arrange([around.web.url("/begin")])
    return Trial(BROWSER, making())


async def go(trial: Trial, around: Around, way: Way, url: str) -> None:
    """Take the way, as far as the browser lets anybody."""
    with suppress(SaysoError):
        await trial.do(await trial.plan("url.open", url=url))
        if way.made:
            await trial.do(await trial.plan("page.click", selector=way.made))
        # What the page began has been let through or stopped once another page could be fetched after it.
        await trial.do(await trial.plan("page.run_js", code="fetch('/still').then(r => r.text())"))


@pytest.mark.needs("firefox-esr")
@pytest.mark.req("BR-01")
@pytest.mark.parametrize("host", HOSTS)
async def test_no_spelling_of_the_address_is_opened(trial: Trial, around: Around, host: str, scratch_home: Path):
    with (
        announced(str(scratch_home.parent / "sayso"), around.kept_away.port),
        pytest.raises(Refused, match="sayso's own page"),
    ):
        await trial.plan("url.open", url=around.kept_away.url("/reached", host))


@pytest.mark.needs("firefox-esr")
@pytest.mark.req("BR-01")
@pytest.mark.parametrize("host", HOSTS)
async def test_no_spelling_leads_there_within_the_browser(trial: Trial, around: Around, host: str, mark: str):
    around.web.pages["/go"] = (302, {"location": around.kept_away.url(mark, host)}, b"")
    with pytest.raises(SaysoError):
        await trial.do(await trial.plan("url.open", url=around.web.url("/go")))
    around.web.pages["/go"] = (302, {"location": around.free.url(mark, host)}, b"")
    with suppress(SaysoError):
        await trial.do(await trial.plan("url.open", url=around.web.url("/go")))

    assert visits(mark, around.kept_away) == []
    assert bool(visits(mark, around.free)) is (host not in BY_ITSELF)


@pytest.mark.needs("firefox-esr")
@pytest.mark.req("BR-01")
@pytest.mark.parametrize("name", WAYS)
async def test_no_way_leads_there(trial: Trial, around: Around, name: str, mark: str):
    await go(trial, around, WAYS[name], lead(around, WAYS[name], around.kept_away, mark))
    await go(trial, around, WAYS[name], lead(around, WAYS[name], around.free, mark))

    wait_for(lambda: visits(mark, around.free), "the control, which nothing guards")
    assert visits(mark, around.kept_away) == []


@pytest.mark.needs("firefox-esr")
@pytest.mark.req("BR-01")
async def test_it_keeps_away_without_anybody_watching(trial: Trial, around: Around, mark: str):
    sockets = "<script>for (const port of [{}, {}]) new WebSocket(`ws://127.0.0.1:${{port}}{}`)</script>"
    around.web.pages["/sockets"] = sockets.format(around.kept_away.port, around.free.port, mark)

    around.chromium.open_tab(around.kept_away.url(mark, "name.test"))
    around.chromium.open_tab(around.web.url("/sockets"))

    wait_for(lambda: visits(mark, around.free), "the control, which nothing guards")
    assert visits(mark, around.kept_away) == []


@pytest.mark.needs("firefox-esr")
@pytest.mark.req("BR-01", "SE-02")
async def test_a_page_of_sayso_that_the_person_has_open_is_neither_told_nor_touched(
    trial: Trial, around: Around, scratch_home: Path
):
    ours, other = around.free.url("/mine#secret"), around.web.url("/other")
    around.chromium.arrange([ours, other])

    with announced(str(scratch_home.parent / "sayso"), around.free.port):
        told = await trial.answer("tab.list")
        for operation in ("tab.url", "tab.title", "page.text", "page.links", "page.screenshot"):
            with pytest.raises(Refused, match="sayso's own page"):
                await trial.answer(operation)
        for operation, rest in (("page.click", {"selector": "h1"}), ("page.run_js", {"code": "1"})):
            with pytest.raises(Refused, match="sayso's own page"):
                await trial.plan(operation, **rest)
        await trial.do(await trial.plan("tab.close", indices=[1]))

    assert told.text == f"1. “/other” {other}"
    assert around.chromium.shown() == [ours]


@pytest.mark.req("BR-01")
def test_a_browser_that_was_not_told_is_left_alone():
    must_be_kept_away(NAMED, frozenset({1, 2}), frozenset({1, 2, 3}))

    for at in (NAMED, OWN):
        with pytest.raises(SetupError, match="nothing is done in its pages") as no:
            must_be_kept_away(at, frozenset({1, 2}), frozenset({2, 3}))
        assert str(no.value).endswith(anew(at, frozenset({1, 2}), frozenset({2, 3})))


def test_it_is_said_how_it_is_told():
    again = anew(OWN, frozenset({1}), frozenset())

    assert preference([9, 8]) == 'user_pref("network.security.ports.banned", "8,9");'
    assert again.endswith("sayso browser --firefox --stop, then sayso browser --firefox")
    assert '"1,3"' in anew(NAMED, frozenset({1}), frozenset({3}))
