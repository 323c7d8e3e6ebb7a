"""A session with Firefox: it keeps away from sayso's own pages, and shows every tab, also one that does not answer."""

from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from sayso.core.errors import ProviderError, Refused, SaysoError, SetupError
from sayso.providers.browser import BROWSER
from sayso.providers.browser.address import announce_page
from sayso.providers.browser.bidi import protocol
from sayso.providers.browser.bidi.session import ban_preference, how_to_restart, must_keep_away
from sayso.providers.browser.remote.settings import Endpoint
from sayso.testing.harness import Trial
from tests.desktop_env import firefox as desktop
from tests.desktop_env.browser import Around
from tests.desktop_env.session import Session, wait_for
from tests.providers.browser.cdp.test_guard import HOSTS, WAYS, Way, lead, visits
from tests.providers.browser.conftest import HANGS, Driving, Hang, Making

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
@pytest.mark.thorough
@pytest.mark.req("BR-01")
async def test_no_spelling_of_the_address_is_opened(trial: Trial, around: Around, scratch_home: Path):
    with announce_page(str(scratch_home.parent / "sayso"), around.kept_away.port):
        for host in HOSTS:
            with pytest.raises(Refused, match="sayso's own page"):
                await trial.plan("url.open", url=around.kept_away.url("/reached", host))


@pytest.mark.thorough
@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
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


@pytest.mark.thorough
@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-01")
@pytest.mark.parametrize("name", WAYS)
async def test_no_way_leads_there(trial: Trial, around: Around, name: str, mark: str):
    await go(trial, around, WAYS[name], lead(around, WAYS[name], around.kept_away, mark))
    await go(trial, around, WAYS[name], lead(around, WAYS[name], around.free, mark))

    wait_for(lambda: visits(mark, around.free), "the control, which nothing guards")
    assert visits(mark, around.kept_away) == []


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-01")
async def test_it_keeps_away_without_anybody_watching(trial: Trial, around: Around, mark: str):
    sockets = "<script>for (const port of [{}, {}]) new WebSocket(`ws://127.0.0.1:${{port}}{}`)</script>"
    around.web.pages["/sockets"] = sockets.format(around.kept_away.port, around.free.port, mark)

    around.chromium.open_tab(around.kept_away.url(mark, "name.test"))
    around.chromium.open_tab(around.web.url("/sockets"))

    wait_for(lambda: visits(mark, around.free), "the control, which nothing guards")
    assert visits(mark, around.kept_away) == []


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-01", "SE-02")
async def test_a_page_of_sayso_that_the_person_has_open_is_neither_told_nor_touched(
    trial: Trial, around: Around, scratch_home: Path
):
    ours, other = around.free.url("/mine#secret"), around.web.url("/other")
    around.chromium.arrange([ours, other])

    with announce_page(str(scratch_home.parent / "sayso"), around.free.port):
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
    must_keep_away(NAMED, frozenset({1, 2}), frozenset({1, 2, 3}))

    for at in (NAMED, OWN):
        with pytest.raises(SetupError, match="nothing is done in its pages") as no:
            must_keep_away(at, frozenset({1, 2}), frozenset({2, 3}))
        assert str(no.value).endswith(how_to_restart(at, frozenset({1, 2, 3})))


def test_it_is_said_how_it_is_told():
    again = how_to_restart(OWN, frozenset({1}))

    assert ban_preference([9, 8]) == 'user_pref("network.security.ports.banned", "8,9");'
    assert again.endswith("sayso browser --firefox --stop, then sayso browser --firefox")
    assert '"1,3"' in how_to_restart(NAMED, frozenset({1, 3}))


@pytest.mark.needs("firefox-esr")
def test_a_tab_that_another_opened_names_it(around: Around, driving: Driving):
    around.web.pages["/opens"] = "<title>x</title><script>function go() { window.open('/opened') }</script>"
    around.chromium.arrange([around.web.url("/opens")])
    with around.chromium.speaking() as person:
        (tab,) = person.tabs()
        person.call(
            "script.evaluate",
            expression="go()",
            target={"context": tab["context"]},
            awaitPromise=False,
            userActivation=True,
        )

    with driving().connected() as session:
        first, second = session.tabs()

    assert (first.opener, second.opener) == ("", first.id)


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.usefixtures("impatient")
def test_a_page_that_hangs_is_listed_all_the_same(around: Around, driving: Driving, hang: Hang):
    urls = [around.web.url("/1"), around.web.url("/2", "localhost")]
    around.chromium.arrange(urls)
    # While it asks for something, Firefox lets a page answer; after that it does not.
    busy = f"{HANGS}; for (const end = Date.now() + 5000; Date.now() < end;);"
    hang.over.set()
    around.chromium.evaluate(f"void setTimeout(() => {{ {busy} }})", urls[0])
    wait_for(hang.began.is_set, "a page that hangs")

    with driving().connected() as session:
        found = session.tabs()

    assert [tab.url for tab in found] == urls
    assert found[1].title == "/2"


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("S4-29")
@pytest.mark.parametrize("screen", [False, True])
def test_in_front_is_the_tab_that_was_brought_there_also_on_a_screen(
    around: Around, x_session: Session, driving: Driving, monkeypatch: pytest.MonkeyPatch, *, screen: bool
):
    made = around.chromium
    if screen:
        monkeypatch.setattr(desktop, "FLAGS", tuple(flag for flag in desktop.FLAGS if flag != "--headless"))
        made = desktop.Firefox(x_session)
    urls = [around.web.url(f"/{number}") for number in range(4)]
    made.arrange(urls[:2], urls[2:])
    order, told = [urls[2], urls[0], urls[3], urls[1], urls[3]], list[tuple[str, str]]()
    browser = driving(made.url)

    for url in order:
        with browser.connected() as session:
            session.bring_to_front(next(tab.id for tab in session.tabs() if tab.url == url))
        with browser.connected() as session:
            tabs = session.tabs()
            there = next(tab.url for tab in tabs if tab.id == session.front(tabs))
        told.append((there, url if screen else made.shown()[0]))

    assert told == [(url, url) for url in order]
    if screen:
        x_session.end(made.process)


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
async def test_in_a_firefox_that_was_not_told_nothing_is_opened(around: Around, making: Making, scratch_home: Path):
    around.chromium.arrange([around.web.url("/1")])
    trial = Trial(BROWSER, making())

    with (
        announce_page(str(scratch_home.parent / "sayso"), around.held.port),
        pytest.raises(ProviderError, match=r"nothing is done in its pages; add this line to the file user\.js"),
    ):
        await trial.do(await trial.plan("url.open", url=around.web.url("/2")))

    assert around.chromium.shown() == [around.web.url("/1")]


def test_a_session_tells_process_and_profile_and_a_tab_may_have_no_opener():
    session = b'{"sessionId": "a", "capabilities": {"moz:processID": 7, "moz:profile": "/p", "browserVersion": "1"}}'
    tree = b'{"contexts": [{"context": "a", "url": "u", "clientWindow": "w", "originalOpener": null, "children": []}]}'

    found = msgspec.json.decode(session, type=protocol.NewSession)
    assert found == protocol.NewSession("a", protocol.Capabilities(7, "/p", "1"))
    assert msgspec.json.decode(tree, type=protocol.ContextTree).contexts == (protocol.BrowsingContext("a", "u", "w"),)
