"""A session with a Chromium: what a page loads and asks, the tab in front, and what goes on after an action."""

import json
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sayso.core.errors import ProviderError
from sayso.providers.browser import BROWSER
from sayso.providers.browser.cdp import protocol
from sayso.providers.browser.cdp.page import ChromiumLoadWatch
from sayso.providers.browser.model import ReopenTabs
from sayso.providers.browser.remote.connection import ProtocolClient
from sayso.providers.browser.remote.driver import ActionBounds, BrowserDriver
from sayso.providers.browser.remote.navigation import PageDialog
from sayso.testing.fakes import FakeClock
from sayso.testing.harness import Trial
from tests.desktop_env import browser
from tests.desktop_env.browser import Answer, Around
from tests.desktop_env.session import Session, wait_for
from tests.patience import patience
from tests.providers.browser.conftest import HANGS, Driving, Hang, Making, Showing, kept

Told = tuple[str, dict[str, Any]]


class Wire:
    """Answers every call, and brings what it was given, one text at a time."""

    def __init__(self, *events: Told, session: str) -> None:
        self.sent: list[dict[str, Any]] = []
        self._coming: list[dict[str, Any]] = []
        self._events = [
            {"method": name, "params": told}
            if "." in name
            else {"method": f"Page.{name}", "params": told, "sessionId": session}
            for name, told in events
        ]
        self.waited = 0
        """How often something was waited for that did not come."""

    def send(self, *texts: bytes) -> None:
        self.sent += [msgspec.json.decode(text) for text in texts]
        self._coming += [{"id": call["id"], "result": {}} for call in self.sent[-len(texts) :]]

    def receive(self, seconds: float) -> list[bytes]:
        if not self._coming + self._events:
            self.waited += 1
            raise TimeoutError
        return [msgspec.json.encode((self._coming or self._events).pop(0))]

    def close(self) -> None:
        """Nothing to close."""


def watch(*events: Told, session: str = "s") -> tuple[ChromiumLoadWatch, Wire]:
    """Return a watch on a page that has heard these events."""
    wire = Wire(*events, session=session)
    client = ProtocolClient(wire, FakeClock())
    watch = ChromiumLoadWatch(client, "s", "main")
    client.pause(1)  # until all has been heard
    return watch, wire


def answers(wire: Wire) -> list[bool]:
    return [call["params"]["accept"] for call in wire.sent if call["method"] == "Page.handleJavaScriptDialog"]


BEGINS = ("Browser.downloadWillBegin", {"guid": "g", "frameId": "main", "url": "http://x/file"})
ELSEWHERE = ("Browser.downloadWillBegin", {"guid": "e", "frameId": "other", "url": "http://x/other"})
GOES_ON = ("Browser.downloadProgress", {"guid": "g", "state": "inProgress"})
IS_REFUSED = ("Browser.downloadProgress", {"guid": "g", "state": "canceled"})
STARTED, STOPPED = ("frameStartedLoading", {"frameId": "main"}), ("frameStoppedLoading", {"frameId": "main"})


@pytest.mark.parametrize(
    ("events", "waits"),
    [
        ((STARTED, STOPPED), 0),
        ((("frameStartedLoading", {"frameId": "other"}),), 0),
        ((STARTED, STOPPED, STOPPED), 0),
        ((), 0),
        ((STARTED,), 1),
        ((BEGINS, GOES_ON), 1),
        ((BEGINS, GOES_ON, IS_REFUSED, ELSEWHERE), 0),
    ],
)
def test_only_what_is_still_coming_is_waited_for(events: tuple[Told, ...], waits: int):
    watching, wire = watch(*events)
    before = wire.waited

    watching.wait()

    assert wire.waited - before == waits


@pytest.mark.parametrize("kind", ["alert", "confirm", "prompt", "beforeunload"])
def test_only_an_alert_gets_a_yes(kind: str):
    watching, wire = watch(("javascriptDialogOpening", {"type": kind, "message": "Sure?"}))

    assert watching.dialogs == [PageDialog(kind, "Sure?")]
    assert answers(wire) == [kind == "alert"]


def test_a_file_that_is_asked_for_is_a_question_and_other_pages_do_not_matter():
    asking, wire = watch(("fileChooserOpened", {}))
    other, silent = watch(("javascriptDialogOpening", {"type": "confirm"}), session="another")

    assert (asking.dialogs, other.dialogs) == ([PageDialog("file")], [])
    assert answers(wire) + answers(silent) == []


def fronted(driver: BrowserDriver, *urls: str) -> list[str]:
    """Bring these to the front, one after the other; return what is said to be there each time."""
    found: list[str] = []
    with driver.connected() as session:
        for url in urls:
            session.bring_to_front(next(tab.id for tab in session.tabs() if tab.url == url))
            tabs = session.tabs()
            found.append(next(tab.url for tab in tabs if tab.id == session.front(tabs)))
    return found


@pytest.mark.needs("chromium")
@pytest.mark.req("S4-29")
@pytest.mark.parametrize("screen", [False, True])
def test_in_front_is_the_tab_that_was_brought_there_also_on_a_screen(
    around: Around, driving: Driving, x_session: Session, monkeypatch: pytest.MonkeyPatch, *, screen: bool
):
    made = around.chromium
    if screen:
        shown = tuple(flag for flag in browser.FLAGS if not flag.startswith("--headless"))
        monkeypatch.setattr(browser, "FLAGS", shown)
        made = browser.Chromium(x_session)
    urls = [around.web.url(f"/{number}") for number in range(4)]
    made.arrange(urls[:2], urls[2:])
    order = [urls[2], urls[0], urls[3], urls[1], urls[3]]

    assert fronted(driving(made.url), *order) == order
    if screen:
        x_session.end(made.process)


@pytest.mark.needs("chromium")
@pytest.mark.usefixtures("impatient")
def test_a_page_that_hangs_keeps_no_tab_from_opening_again(around: Around, driving: Driving, hang: Hang):
    around.chromium.arrange([around.web.url("/1")])
    new = (around.web.url("/2"), around.web.url("/3"))

    with driving().connected() as session:
        (hangs,) = session.tabs()
        around.chromium.evaluate(f"void setTimeout(() => {HANGS})")
        wait_for(hang.began.is_set, "a page that hangs")
        step = ReopenTabs("default", new, (hangs.window,) * 2, (2, 3))
        with session.reopen_tabs(step, ActionBounds(frozenset())) as made:
            found = [tab.id for tab in session.tabs()]

    assert found == [hangs.id, *made]


@pytest.mark.needs("chromium")
@pytest.mark.req("T-23")
@pytest.mark.parametrize(
    ("url", "said"),
    [("http://nobody.invalid/", "there is no site of this name"), ("http://127.0.0.1:1/", "UNSAFE_PORT")],
)
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
    page: Showing, around: Around, scratch_home: Path, file: str, within: bool
):
    downloads = scratch_home / "Downloads"
    downloads.mkdir()
    done = threading.Event()
    around.web.pages["/done"] = lambda: (200, {}, b"%d" % done.wait(patience()))
    around.web.asked.clear()
    late = "<a id=d href=/file></a><button id=b onclick='fetch(`/done`).then(() => d.click())'>x</button>"
    trial = page(late, roots=(str(downloads),) if within else ())

    await trial.do(await trial.plan("page.click", selector="#b"))
    before = list(around.web.asked)
    done.set()
    wait_for(lambda: "/file" in around.web.asked, "the file that comes late")
    wait_for(lambda: not within or list(downloads.glob(f"*{file}")), "the file")

    assert "/file" not in before
    assert kept(around, scratch_home, file) == ({downloads} if within else set())


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-02", "SE-01")
async def test_pages_of_the_browser_itself_are_left_alone(around: Around, making: Making):
    around.chromium.arrange(["chrome://version/"])

    with pytest.raises(ProviderError, match="is not a web page, and is left alone"):
        await Trial(BROWSER, making()).answer("page.text")
    around.chromium.arrange([around.web.url("/next")])


@pytest.mark.needs("chromium")
@pytest.mark.req("S4-40", "T-109")
async def test_the_browsers_own_words_name_every_tab_and_are_cut(around: Around, making: Making):
    urls = [around.web.url(f"/{number}") for number in (1, 2)]
    around.chromium.arrange(urls)
    wait_for(lambda: {"/1", "/2"} <= {each["title"] for each in around.chromium.get("/json/list")}, "the titles")
    reads = making().reads

    raw = await reads.raw(10_000)

    assert {(tab["url"], tab["title"], tab["type"]) for tab in json.loads(raw)} == {
        (urls[0], "/1", "tab"),
        (urls[1], "/2", "tab"),
    }
    assert await reads.raw(7) == raw[:7]


def test_a_frame_tells_its_whole_address_and_a_target_its_place():
    frame = (
        b'{"frameTree": {"frame": {"id": "1", "loaderId": "2", "url": "http://x/", "urlFragment": "#a", "new": {}}}}'
    )
    target = b'{"targetId": "t", "type": "tab", "embedderData": {"tabActive": true, "tabStripIndex": 3}}'

    place = msgspec.json.decode(target, type=protocol.Target).embedder_data

    assert msgspec.json.decode(frame, type=protocol.PageTree).frame_tree.frame.whole == "http://x/#a"
    assert place == protocol.Placed(tab_active=True, tab_strip_index=3)
