"""No spelling, redirect, frame or worker leads a browser to sayso's own page; without the guard each of them does."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import pytest

from sayso.core.errors import Refused, SaysoError
from sayso.providers.browser.cdp.guard import flag
from sayso.providers.browser.provider import BROWSER
from sayso.testing.trying import Trial
from tests.desktop_env.browser import Around, Site
from tests.desktop_env.session import wait_for
from tests.providers.browser.conftest import Making

HOSTS = (
    "127.0.0.1", "localhost", "[::1]", ".".join("0000"), "127.1", "2130706433", "0x7f.1", "017700000001", "a.localhost",
    "localhost.", "[::ffff:127.0.0.1]", "name.test",
)  # fmt: skip
"""The spellings; names that end in `.test` resolve to this machine in the browser of the tests."""


@dataclass(frozen=True)
class Way:
    """A page that leads on to another one by itself; `made` is what a test presses first, where somebody must."""

    body: str
    made: str = ""
    status: int = 200
    worker: str = ""


WAYS = {
    "redirect": Way("", status=302),
    "meta refresh": Way('<meta http-equiv=refresh content="0;url={ours}">'),
    "script": Way("<script>location.href = '{ours}'</script>"),
    "script, past another address in the query": Way("<script>location.href = '{ours}?view-source:http://x/'</script>"),
    "frame": Way('<iframe src="{ours}"></iframe>'),
    "frame in a frame of another site": Way('<iframe src="http://other.test:{web}/frame"></iframe>'),
    "new window": Way("<button id=b onclick=\"window.open('{ours}')\">x</button>", made="#b"),
    "form": Way("<form id=f method=post action='{ours}'></form><script>f.submit()</script>"),
    "fetch": Way("<script>fetch('{ours}', {{mode: 'no-cors'}})</script>"),
    "image": Way("<img src='{ours}'>"),
    "events": Way("<script>new EventSource('{ours}')</script>"),
    "worker": Way("<script>new Worker('/worker.js')</script>", worker="fetch('{ours}', {{mode: 'no-cors'}})"),
    "service worker": Way(
        "<script>navigator.serviceWorker.register('/worker.js')</script>",
        worker="self.oninstall = e => e.waitUntil(fetch('{ours}', {{mode: 'no-cors'}}))",
    ),
}


def lead(around: Around, way: Way, ours: Site) -> str:
    """Have the web show a page that leads to one of sayso's own; return its address."""
    told = {"ours": ours.url("/reached"), "web": str(around.web.port)}
    frame = WAYS["frame"].body.format(**told)
    around.web.pages["/frame"] = frame
    around.web.pages["/worker.js"] = way.worker.format(**told)
    body = way.body.format(**told).encode()
    around.web.pages["/way"] = (
        way.status,
        {"location": told["ours"], "content-type": "text/html"},
        body,
    )
    around.web.pages["/still"] = "still here"
    return around.web.url("/way")


async def go(trial: Trial, around: Around, way: Way, url: str) -> None:
    """Take the way, as far as the browser lets anybody."""
    around.chromium.call("Storage.clearDataForOrigin", origin=around.web.url("")[:-1], storageTypes="all")
    with suppress(SaysoError):
        await trial.do(await trial.plan("url.open", url=url))
        if way.made:
            await trial.do(await trial.plan("page.click", selector=way.made))
        # What the page began has been let through or stopped once another page could be fetched after it.
        await trial.do(await trial.plan("page.run_js", code="fetch('/still').then(r => r.text())"))


@pytest.fixture
def trial(around: Around, making: Making, announced_pages: None) -> Iterator[Trial]:
    around.chromium.arrange([around.web.url("/begin")])
    yield Trial(BROWSER, making())
    # What is held back still is gone with its page before nobody holds it any more.
    around.chromium.arrange([around.web.url("/end")])


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
@pytest.mark.parametrize("host", HOSTS)
async def test_no_spelling_of_the_address_is_opened(trial: Trial, around: Around, host: str):
    for ours in (around.kept_away, around.held):
        with pytest.raises(Refused, match="sayso's own page"):
            await trial.plan("url.open", url=ours.url("/reached", host))

    assert around.kept_away.asked + around.held.asked == []


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
@pytest.mark.parametrize("host", HOSTS)
async def test_no_spelling_leads_there_within_the_browser(trial: Trial, around: Around, host: str):
    for ours in (around.kept_away, around.held):
        around.web.pages["/go"] = (302, {"location": ours.url("/reached", host)}, b"")
        with pytest.raises(SaysoError):
            await trial.do(await trial.plan("url.open", url=around.web.url("/go")))
    around.web.pages["/go"] = (302, {"location": around.free.url("/reached", host)}, b"")
    await trial.do(await trial.plan("url.open", url=around.web.url("/go")))

    assert around.kept_away.asked + around.held.asked == []
    assert "/reached" in around.free.asked


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
@pytest.mark.parametrize("name", WAYS)
async def test_no_way_leads_there(trial: Trial, around: Around, name: str):
    for ours in (around.kept_away, around.held):
        await go(trial, around, WAYS[name], lead(around, WAYS[name], ours))
    asked = around.kept_away.asked + around.held.asked
    await go(trial, around, WAYS[name], lead(around, WAYS[name], around.free))

    assert asked == []
    # Whatever stands in the query.
    wait_for(lambda: "/reached" in "".join(around.free.asked), "the control, which nothing guards")
    assert around.kept_away.asked + around.held.asked == []


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
async def test_a_browser_that_was_started_so_keeps_away_without_anybody_watching(around: Around, trial: Trial):
    sockets = "<script>for (const port of [{}, {}]) new WebSocket(`ws://127.0.0.1:${{port}}/reached`)</script>"
    around.web.pages["/sockets"] = sockets.format(around.kept_away.port, around.free.port)

    around.chromium.call("Target.createTarget", url=around.kept_away.url("/reached", "name.test"))
    around.chromium.call("Target.createTarget", url=around.web.url("/sockets"))

    wait_for(lambda: "/reached" in around.free.asked, "the control, which nothing guards")
    assert around.kept_away.asked == []


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01", "SE-02")
async def test_a_page_of_sayso_that_the_person_has_open_is_neither_told_nor_touched(trial: Trial, around: Around):
    ours, other = around.held.url("/mine#secret"), around.web.url("/other")
    around.chromium.arrange([ours, other])
    reads = ("tab.url", "tab.title", "page.text", "page.links", "page.screenshot")

    wait_for(lambda: around.chromium.evaluate("document.title", other), "the other page")
    told = await trial.answer("tab.list")
    for operation in reads:
        with pytest.raises(Refused, match="sayso's own page"):
            await trial.answer(operation)
    for operation, rest in (("page.click", {"selector": "h1"}), ("page.run_js", {"code": "1"})):
        with pytest.raises(Refused, match="sayso's own page"):
            await trial.plan(operation, **rest)
    await trial.do(await trial.plan("tab.close", indices=[1]))

    assert told.text == f"1. “/other” {other}"
    assert around.chromium.shown() == [ours]


def test_the_option_names_each_port():
    assert flag([9, 8]) == "--host-resolver-rules=MAP *:8 ~NOTFOUND, MAP *:9 ~NOTFOUND"
