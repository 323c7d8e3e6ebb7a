"""A browser is driven: its tabs, the front, what opens, closes and comes back, and what is read and done in a page."""

import socket
from pathlib import Path
from typing import Any

import pytest

from sayso.core.errors import ProviderError, Refused, SetupError
from sayso.core.plan import Fact
from sayso.core.ports import Backend, BackendContext
from sayso.providers.browser import BROWSER
from sayso.providers.browser.address import announce_page
from sayso.providers.browser.bidi import driver as bidi
from sayso.providers.browser.cdp import driver as cdp
from sayso.providers.browser.model import ReopenTabs, Returned
from sayso.providers.browser.remote.driver import ActionBounds, BrowserDriver, RunningBrowser, read_page_functions
from sayso.providers.browser.remote.settings import WantedBrowser
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.browser import BrowserSuite
from sayso.testing.harness import Trial
from tests.desktop_env.browser import Around, serving
from tests.desktop_env.session import wait_for
from tests.providers.browser.conftest import Driving, Making, Showing

FREE = ActionBounds(frozenset())


def unused_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def a_driver(driver: type[cdp.Chromium | bidi.Firefox], home: Path, url: str = "", port: int = 0) -> BrowserDriver:
    """Return the driver of the browser at an address, or of sayso's own, which once told this port."""
    context = BackendContext({}, str(home), str(home / "own"), (), SystemClock(), RandomIds())
    if port:
        profile = driver.kind.profile(context.own)
        profile.mkdir(parents=True)
        (profile / "sayso-port").write_text(str(port))
    return driver(context, WantedBrowser(url))


each_driver = pytest.mark.parametrize("driver", [cdp.Chromium, bidi.Firefox], ids=["chromium", "firefox"])


@pytest.mark.req("X-05")
@each_driver
def test_where_nobody_is_it_is_said_what_to_do(driver: type[cdp.Chromium | bidi.Firefox], tmp_path: Path):
    start = driver.kind.start
    (none,) = a_driver(driver, tmp_path).capabilities(frozenset())
    named = a_driver(driver, tmp_path, f"ws://127.0.0.1:{unused_port()}")
    own = a_driver(driver, tmp_path, port=unused_port())

    for browser, wanted in ((named, "no browser answers: nothing answers at"), (own, f"start one with “{start}”")):
        with pytest.raises(ProviderError, match=wanted), browser.connected():
            pass
    assert own.running(frozenset()) is None
    assert (none.served, none.fix, none.why) == ("", start, "no browser is running for sayso")


@each_driver
@pytest.mark.parametrize("answer", ["<html>", "{}", '{"webSocketDebuggerUrl": ""}'])
def test_somebody_else_there_is_no_browser(driver: type[cdp.Chromium | bidi.Firefox], answer: str, tmp_path: Path):
    with serving() as site:
        site.pages["/json/version"] = answer

        with (
            pytest.raises(ProviderError, match="not the DevTools of a browser"),
            a_driver(driver, tmp_path, site.url()).connected(),
        ):
            pass


@pytest.mark.req("BR-09")
def test_a_browser_that_is_not_meant_is_left_alone(around: Around, driving: Driving, tmp_path: Path):
    driver: Any = type(driving())
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config" / "chromium").symlink_to(around.chromium.profile)
    (tmp_path / ".mozilla").mkdir()
    (tmp_path / ".mozilla" / "firefox").symlink_to(around.chromium.profile.parent)

    another = a_driver(driver, tmp_path, port=around.chromium.port)
    lived_in = a_driver(driver, tmp_path, around.chromium.url)

    with pytest.raises(ProviderError, match="no browser is running for sayso"), another.connected():
        pass
    with pytest.raises(SetupError, match="your everyday profile"), lived_in.connected():
        pass
    assert around.chromium.shown()


def test_one_that_was_not_told_is_named_with_what_it_lacks(around: Around, driving: Driving):
    browser, told = driving(), frozenset({around.kept_away.port, 8737})
    named = browser.kind.named

    serves, keeps = browser.capabilities(told)
    _, exposed = browser.capabilities(told | {9})
    runs, lacks = browser.running(told), browser.running(frozenset({9}))

    assert (serves.name, keeps.name) == ("tabs and pages", "own pages")
    assert (serves.served, keeps.served) == (f"{named} at 127.0.0.1:{around.chromium.port}", f"{named} itself")
    assert serves.why == "the settings name it; other users of this machine can control it too"
    assert runs == RunningBrowser(around.chromium.port)
    assert lacks in {
        RunningBrowser(around.chromium.port, "--host-resolver-rules=MAP *:9 ~NOTFOUND"),
        RunningBrowser(around.chromium.port, 'user_pref("network.security.ports.banned", "9");'),
    }
    banned = ",".join(str(each) for each in sorted(told | {9}))
    assert "--host-resolver-rules=MAP *:9 ~NOTFOUND" in exposed.why or f'"{banned}"' in exposed.why


class TestDriver(BrowserSuite):
    """The suite on a real browser."""

    @pytest.fixture(autouse=True)
    def _two_windows(self, around: Around, making: Making) -> None:
        urls = [around.web.url(f"/{number}") for number in range(1, 6)]
        around.chromium.arrange(urls[:2], urls[2:])
        with (backend := making()).driver.connected() as session:
            titles = {f"/{number}" for number in range(1, 6)}
            wait_for(lambda: {tab.title for tab in session.tabs()} >= titles, "their titles")
        backend.close()
        self.making = making
        self.elsewhere = around.web.url("/elsewhere")

    def make(self) -> Backend:
        return self.making()


@pytest.mark.req("T-41", "S4-28", "S4-41")
def test_tabs_come_in_the_order_of_windows_and_then_of_tabs(around: Around, driving: Driving):
    urls = [around.web.url(f"/{number}") for number in range(5)]
    around.chromium.arrange(urls[:2], urls[2:])

    with driving().connected() as session:
        tabs = session.tabs()
        wait_for(lambda: [tab.title for tab in session.tabs()] == [f"/{number}" for number in range(5)], "the titles")
        front = session.front(tabs)
        knows = [session.knows(tabs[0].id), session.knows("another1.X")]

    assert [tab.url for tab in tabs] == urls
    assert [len({tab.window for tab in part}) for part in (tabs[:2], tabs[2:], tabs)] == [1, 1, 2]
    assert [sum(tab.active for tab in part) for part in (tabs[:2], tabs[2:])] == [1, 1]
    assert (front, knows) == (tabs[0].id, [True, False])


@pytest.mark.req("S4-40", "BR-01", "SE-02")
async def test_pages_of_sayso_itself_are_not_among_its_own_words_or_what_a_model_sees(
    around: Around, making: Making, scratch_home: Path
):
    urls = [around.web.url("/1"), around.free.url("/approve")]
    around.chromium.arrange(urls)
    trial = Trial(BROWSER, backend := making())

    with backend.driver.connected() as session:
        whole, raw = session.raw(frozenset()), session.raw(frozenset({around.free.port}))
        closed_off = session.closed_off(ActionBounds(frozenset({1})))
    with announce_page(str(scratch_home.parent / "sayso"), around.free.port):
        listed = await trial.answer("tab.list")
        seen = await trial.seen.raw(10_000)

    assert all(url in whole for url in urls)
    assert (urls[0] in raw, "/approve" in raw) == (True, False)
    assert closed_off == {1, around.chromium.port}
    assert "/approve" not in listed.text + seen
    assert urls[0] in seen


@pytest.mark.req("S4-46")
def test_tabs_open_again_where_they_stood(around: Around, driving: Driving):
    urls = [around.web.url(f"/{number}") for number in range(3)]
    new = tuple(around.web.url(f"/new/{number}") for number in range(5))
    around.chromium.arrange(urls)

    with driving().connected() as session:
        there = session.tabs()
        window = there[0].window
        step = ReopenTabs("default", new, (window, window, window, "gone", "gone"), (2, 3, 5, 1, 2))
        with session.reopen_tabs(step, FREE) as made:
            found = [(tab.id, tab.window) for tab in session.tabs()]

    one, two, three = (tab.id for tab in there)
    assert [tab for tab, _ in found] == [one, made[0], made[1], two, made[2], three, made[3], made[4]]
    assert [len({window for _, window in part}) for part in (found[:6], found[6:], found)] == [1, 1, 2]
    wait_for(lambda: {*urls, *new} == set(around.chromium.shown()), "their pages")


def test_a_tab_that_is_gone_is_told(around: Around, driving: Driving):
    around.chromium.arrange([around.web.url("/1"), around.web.url("/2")])

    with driving().connected() as session:
        for tab in (f"{session.key}.GONE", "another1.GONE"):
            with pytest.raises(ProviderError, match="no longer open; nothing was changed"):
                session.bring_to_front(tab)
            with pytest.raises(ProviderError, match="no longer open"), session.page(tab):
                pass


WRONG = [
    ("http://nobody.invalid/", "there is no site of this name"),
    ("http://127.0.0.1:1/", "UNSAFE_PORT|Firefox does not go to that port"),
]


@pytest.mark.req("T-23")
@pytest.mark.parametrize(("url", "said"), WRONG)
async def test_what_cannot_be_had_leaves_the_page_that_was_there(page: Showing, around: Around, url: str, said: str):
    trial = page("<input id=q>")
    before = around.chromium.shown()

    with pytest.raises(ProviderError, match=said):
        await trial.do(await trial.plan("url.open", url=url, new_tab=False))

    assert around.chromium.shown() == before


@pytest.mark.req("BR-08", "SE-03")
async def test_where_the_browser_is_driven_from_is_no_page(page: Showing, around: Around):
    trial = page("")
    before = around.chromium.shown()
    url = f"http://127.0.0.1:{around.chromium.port}/json/version"

    for new_tab in (True, False):
        with pytest.raises(Refused, match="the browser's own DevTools"):
            await trial.do(await trial.plan("url.open", url=url, new_tab=new_tab))

    assert around.chromium.shown() == before


def test_the_functions_within_a_page_are_one_object():
    code = read_page_functions().strip()

    assert code.startswith("//")
    assert code.endswith("})")
    assert "\n({\n" in code


@pytest.mark.req("X-13")
def test_a_page_cannot_lie_and_data_is_never_taken_for_code(around: Around, driving: Driving):
    around.web.pages["/lies"] = (
        "<title>x</title><script>Object.defineProperty(HTMLElement.prototype, 'innerText', {get: () => 'lie'});"
        "Array.from = () => []; JSON.stringify = () => '[]'; window.told = 1</script><p>the truth</p>"
    )
    around.chromium.arrange([around.web.url("/lies#part")])

    with driving().connected() as session, session.page(session.tabs()[0].id) as page:
        page.wait_until_loaded()
        text = page.call_function(dict[str, object], "readText", 100)
        found = page.call_function(dict[str, str], "findElement", "'); window.told = 2; ('")
        with pytest.raises(ProviderError, match="cannot be looked into"):
            page.call_function(object, "no such function")
        whole = (page.url, page.fact.url)

    assert text == {"text": "the truth", "total": 9}
    assert found == {"problem": "selector"}
    assert whole == (around.web.url("/lies#part"),) * 2
    with driving().connected() as session, session.page(session.tabs()[0].id) as page:
        assert page.evaluate("typeof selectAll + told", 10).text == "undefined1"


@pytest.mark.req("BR-04")
def test_a_load_is_told_from_the_next_of_the_same_page(around: Around, driving: Driving):
    url = around.web.url("/1")
    around.chromium.arrange([url])

    with driving().connected() as session, session.page(session.tabs()[0].id) as page:
        page.wait_until_loaded()
        before = page.fact
        page.refresh()
        same = page.fact
    around.chromium.go(around.web.url("/between"))
    around.chromium.go(url)
    with driving().connected() as session, session.page(session.tabs()[0].id) as page:
        later = page.fact

    assert (same, later.url) == (before, before.url)
    assert later != before


VALUES = [
    ("document.title", "Page"),
    ("1 + 1", "2"),
    ("const a = 3; a * 2", "6"),
    ("[1, 'ü', null]", '[1, "ü", null]'),
    ("({a: {b: true}})", '{"a": {"b": true}}'),
    ("undefined", ""),
    ("null", "null"),
    ("NaN", "NaN"),
    ("10n", "10n"),
    ("await Promise.resolve('later')", "later"),
    ("Promise.resolve('later')", "later"),
    ("window.told", "by the page"),
    ("'\\u0000\\n'", "\0\n"),
    ("`half \\ud83d`", "half \N{REPLACEMENT CHARACTER}"),
]


@pytest.mark.req("S1-44", "C-09", "T-55")
async def test_a_value_is_told_as_text_and_a_long_one_is_cut(page: Showing):
    trial = page("<script>window.told = 'by the page'</script>")
    told: list[Fact] = []

    for code in (*(code for code, _ in VALUES), "'🙂'.repeat(25000)"):
        (left,) = await trial.do(await trial.plan("page.run_js", code=code))
        told += left.facts

    found = [(each.text, each.total_chars, each.truncated) for each in told if isinstance(each, Returned)]
    assert found == [*((text, len(text), False) for _, text in VALUES), ("🙂" * 10_000, 25_000, True)]


async def test_a_script_that_goes_elsewhere_is_waited_for(page: Showing, around: Around):
    trial = page("")

    await trial.do(await trial.plan("page.run_js", code=f"location.href = {around.web.url('/gone')!r}"))

    assert around.chromium.shown() == [around.web.url("/gone")]


@pytest.mark.req("BR-04")
async def test_a_script_runs_in_the_page_that_was_approved_or_nowhere(page: Showing, around: Around):
    trial = page("")
    plan = await trial.plan("page.run_js", code="document.title = 'ran'")
    around.chromium.go(around.web.url("/bank"))

    with pytest.raises(ProviderError, match="was left or loaded again since"):
        await trial.do(plan)

    assert around.chromium.evaluate("document.title") == "/bank"
