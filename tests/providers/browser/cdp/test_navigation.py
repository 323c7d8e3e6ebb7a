"""A Chromium opens addresses."""

import threading
from pathlib import Path

import msgspec
import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.providers.browser import BROWSER
from sayso.providers.browser.cdp import protocol
from sayso.providers.browser.cdp.navigation import Opens, again, close_tabs
from sayso.providers.browser.cdp.session import Chromium, open_tabs
from sayso.providers.browser.model import ReopenTabs
from sayso.providers.browser.remote.settings import Endpoint
from sayso.runtime.system import SystemClock
from sayso.testing.harness import Trial
from tests.desktop_env.browser import Answer, Around
from tests.desktop_env.session import wait_for
from tests.patience import patience
from tests.providers.browser.conftest import HANGS, Hang, Making, Showing, a_file


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


WRONG = [
    ("http://nobody.invalid/", "nobody knows a site of this name"),
    ("http://127.0.0.1:1/", "UNSAFE_PORT"),
]


@pytest.mark.needs("chromium")
@pytest.mark.req("T-23")
@pytest.mark.parametrize(("url", "said"), WRONG)
async def test_what_cannot_be_had_leaves_the_page_that_was_there(page: Showing, around: Around, url: str, said: str):
    trial = page("<input id=q>")
    before = around.chromium.shown()

    with pytest.raises(ProviderError, match=said):
        await trial.do(await trial.plan("url.open", url=url, new_tab=False))

    assert around.chromium.shown() == before


@pytest.mark.needs("chromium")
@pytest.mark.req("T-23")
@pytest.mark.parametrize(("url", "said"), WRONG)
async def test_what_cannot_be_had_leaves_the_page_that_was_still_coming(
    making: Making, around: Around, url: str, said: str
):
    first_is_over = threading.Event()
    around.web.asked.clear()

    def late() -> Answer:
        if around.web.asked.count("/late") == 1:
            first_is_over.wait(patience())
        return 200, {"content-type": "text/html"}, b"<title>late</title>"

    around.web.pages["/late"] = late
    coming = around.web.url("/late")
    around.chromium.arrange([coming])
    trial = Trial(BROWSER, making())

    try:
        with pytest.raises(ProviderError, match=said):
            await trial.do(await trial.plan("url.open", url=url, new_tab=False))
    finally:
        first_is_over.set()

    assert around.chromium.shown() == [coming]
    wait_for(lambda: around.chromium.evaluate("document.title") == "late", "the page that was coming")


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-07")
@pytest.mark.parametrize("within", [True, False])
async def test_a_file_that_comes_after_the_click_was_done_lies_within_the_roots_or_nowhere(
    page: Showing, around: Around, scratch_home: Path, within: bool
):
    downloads = scratch_home / "Downloads"
    downloads.mkdir()
    done = threading.Event()
    around.web.pages["/file"] = a_file
    around.web.pages["/done"] = lambda: (200, {}, b"%d" % done.wait(patience()))
    around.web.asked.clear()
    late = "<a id=d href=/file></a><button id=b onclick='fetch(`/done`).then(() => d.click())'>x</button>"
    trial = page(late, roots=(str(downloads),) if within else ())

    await trial.do(await trial.plan("page.click", selector="#b"))
    before = list(around.web.asked)
    done.set()
    wait_for(lambda: "/file" in around.web.asked, "the file that comes late")
    wait_for(lambda: not within or list(downloads.glob("*.sh")), "the file")

    found = [path for home in (scratch_home, around.chromium.session.home) for path in home.rglob("*.sh*")]
    assert "/file" not in before
    assert {path.parent for path in found} == ({downloads} if within else set())


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-08", "SE-03")
async def test_the_tools_of_the_browser_itself_are_no_page(page: Showing, around: Around):
    trial = page("")
    before = around.chromium.shown()

    for new_tab in (True, False):
        with pytest.raises(Refused, match="the browser's own DevTools"):
            await trial.do(await trial.plan("url.open", url=f"{around.chromium.url}/json/version", new_tab=new_tab))

    assert around.chromium.shown() == before


def test_a_frame_tells_its_whole_address():
    told = b'{"frameTree": {"frame": {"id": "1", "loaderId": "2", "url": "http://x/", "urlFragment": "#a", "new": {}}}}'

    assert msgspec.json.decode(told, type=protocol.Tree).frame_tree.frame.whole == "http://x/#a"


def test_names_are_those_of_the_browser():
    assert (
        msgspec.json.decode(b'{"webSocketDebuggerUrl": "ws://x"}', type=protocol.Version).websocket_debugger_url
        == "ws://x"
    )
    target = msgspec.json.decode(
        b'{"targetId": "t", "type": "tab", "embedderData": {"tabActive": true, "tabStripIndex": 3}}',
        type=protocol.Target,
    )

    assert target.embedder_data == protocol.Placed(tab_active=True, tab_strip_index=3)
