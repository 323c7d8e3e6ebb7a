"""No spelling, redirect, frame or worker leads a browser to sayso's own page; without the guard each of them does."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from sayso.core.errors import ProviderError, Refused, SaysoError
from sayso.providers.browser import BROWSER
from sayso.providers.browser.cdp.guard import (
    guard_ports,
    keep_away_option,
    prefetch_shield_script,
    proxy_exceptions,
    worker_shield_script,
)
from sayso.providers.browser.model import Returned
from sayso.providers.browser.remote.connection import ProtocolClient
from sayso.runtime.system import SystemClock
from sayso.testing.harness import Trial
from tests.desktop_env.browser import Answer, Around, Site
from tests.desktop_env.session import wait_for
from tests.providers.browser.conftest import Making


def test_a_worker_is_told_its_ports_in_order():
    script = worker_shield_script({8737, 80})

    assert script.startswith("(// Makes requests of a worker to these ports fail.")
    assert script.endswith("})(...[80, 8737])")


def test_a_page_is_watched_for_its_rules():
    assert "speculationrules" in prefetch_shield_script()


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
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    code: str = "fetch('/still').then(r => r.text())"
    """What runs then; it ends once what the page began was let through or stopped."""


MADE = "<script>const w = new Worker('{script}'); window.ended = new Promise(r => w.onmessage = w.onerror = r)</script>"
AS_IT_ENDS = "await window.ended.then(e => e.type)"
"""What waits for a worker's own word of its end; one that was asked for before it has begun by then, or never will."""
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
    "worker": Way(
        MADE.format(script="/worker.js"),
        worker="fetch('{ours}', {{mode: 'no-cors'}}).catch(() => 0).then(() => postMessage('ended'))",
        code=AS_IT_ENDS,
    ),
    "service worker": Way(
        # Under the name of one that is on its way out, a browser would begin no other.
        "<script>navigator.serviceWorker.register(`/worker.js?${{Math.random()}}.js`)</script>",
        worker="self.oninstall = e => e.waitUntil(fetch('{ours}', {{mode: 'no-cors'}}))",
    ),
}
FETCHED = '{{"prefetch": [{{"source": "list", "urls": ["{ours}"], "eagerness": "immediate"}}]}}'
ADDED = (
    "const s = document.createElement('script'); s.type = 'speculationrules'; "
    "s.textContent = atob('{rules}'); document.head.append(s)"
)
SOCKET = "<script>new WebSocket('{socket}')</script>"
REGISTERED = "await navigator.serviceWorker.register(`/worker.js?${Math.random()}.js`)"
"""It is one that never ran before."""
NO_REQUESTS = {
    "socket": Way(SOCKET),
    "socket in a frame of another site": Way('<iframe src="http://other.test:{web}/socket"></iframe>'),
    "socket in a worker": Way(
        MADE.format(script="/worker.js"),
        worker="new WebSocket('{socket}').onerror = () => postMessage('ended')",
        code=AS_IT_ENDS,
    ),
    "socket in a shared worker": Way(
        # It begins in the action that waits for it: a page may begin a worker after the action that opened it ended.
        "x",
        # It answers once its whole script has run, or would have.
        worker="onconnect = e => e.ports[0].postMessage('ended'); new WebSocket('{socket}')",
        code="const w = new SharedWorker(`/worker.js?${Math.random()}.js`); "
        "await new Promise(r => w.port.onmessage = w.onerror = r); 1",
    ),
    "socket in a service worker": Way(
        "x", worker="new WebSocket('{socket}')", code=f"{REGISTERED}; await navigator.serviceWorker.ready; 1"
    ),
    "rules": Way(f"<script type=speculationrules>{FETCHED}</script>"),
    "rules that a script adds": Way(f"<script>{ADDED}</script>"),
    "rules that come late": Way(f"<body><script>setTimeout(() => {{{{ {ADDED} }}}}, 50)</script>"),
    "rules of a header": Way("x", headers={"speculation-rules": '"/rules.json"'}),
}
"""What does not wait to be let through or stopped, as a request does."""

LIKE_OTHERS = {
    "socket",
    "socket in a worker",
    "socket in a shared worker",
    "rules that a script adds",
    "rules that come late",
}
"""What is stopped by the same means as another of these."""


def _thorough(name: str) -> Any:
    return pytest.param(name, marks=pytest.mark.thorough)


def visits(mark: str, *sites: Site) -> list[str]:
    """Return what was asked of sites with a test's own mark, whatever stands in the query."""
    return [path for site in sites for path in site.asked if path.startswith(mark)]


def lead(around: Around, way: Way, ours: Site, mark: str) -> str:
    """Have the web show a page that leads to one of sayso's own; return its address."""
    reached = ours.url(mark)
    told = {"ours": reached, "socket": reached.replace("http", "ws"), "web": str(around.web.port)}
    rules = FETCHED.format(**told).encode()
    told["rules"] = b64encode(rules).decode()
    around.web.pages["/frame"] = WAYS["frame"].body.format(**told)
    around.web.pages["/socket"] = SOCKET.format(**told)
    around.web.pages["/rules.json"] = (200, {"content-type": "application/speculationrules+json"}, rules)
    around.web.pages["/worker.js"] = way.worker.format(**told)
    headers = {name: value.format(**told) for name, value in way.headers.items()}
    body = way.body.format(**told).encode()
    around.web.pages["/way"] = (way.status, {"location": reached, "content-type": "text/html", **headers}, body)
    around.web.pages["/still"] = "still here"
    return around.web.url("/way")


async def go(trial: Trial, around: Around, way: Way, url: str) -> None:
    """Take the way, as far as the browser lets anybody."""
    forget(around)
    with suppress(SaysoError):
        await trial.do(await trial.plan("url.open", url=url))
        if way.made:
            await trial.do(await trial.plan("page.click", selector=way.made))
        await trial.do(await trial.plan("page.run_js", code=way.code))


@pytest.fixture
def trial(around: Around, making: Making, announced_pages: None) -> Iterator[Trial]:
    around.chromium.arrange([around.web.url("/begin")])
    yield Trial(BROWSER, making())
    # What is held back still is gone with its page before nobody holds it any more, and no worker outlives its test.
    forget(around)
    around.chromium.arrange([around.web.url("/end")])


def forget(around: Around) -> None:
    """Have the browser forget what the web left in it, service workers included."""
    around.chromium.call("Storage.clearDataForOrigin", origin=around.web.url("")[:-1], storageTypes="all")


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
async def test_no_spelling_of_the_address_is_opened(trial: Trial, around: Around, mark: str):
    for host in HOSTS:
        for ours in (around.kept_away, around.held):
            with pytest.raises(Refused, match="sayso's own page"):
                await trial.plan("url.open", url=ours.url(mark, host))

    assert visits(mark, around.kept_away, around.held) == []


def frames(around: Around, ours: Site, mark: str) -> str:
    """Have the web show a page with a frame for each spelling, which is sent on there; return its address."""
    for number, host in enumerate(HOSTS):
        around.web.pages[f"/go/{number}"] = (302, {"location": ours.url(f"{mark}/{number}", host)}, b"")
    around.web.pages["/frames"] = "".join(f"<iframe src=/go/{number}></iframe>" for number in range(len(HOSTS)))
    return around.web.url("/frames")


@pytest.mark.thorough
@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
async def test_no_spelling_leads_a_frame_there(trial: Trial, around: Around, mark: str):
    for ours in (around.kept_away, around.held):
        await trial.do(await trial.plan("url.open", url=frames(around, ours, mark)))
    asked = visits(mark, around.kept_away, around.held)
    await trial.do(await trial.plan("url.open", url=frames(around, around.free, mark)))

    assert asked == []
    wait_for(lambda: len({*visits(mark, around.free)}) == len(HOSTS), "the control, which nothing guards")
    assert visits(mark, around.kept_away, around.held) == []


@pytest.mark.thorough
@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
@pytest.mark.parametrize("host", HOSTS)
async def test_no_spelling_leads_there_within_the_browser(trial: Trial, around: Around, host: str, mark: str):
    for ours in (around.kept_away, around.held):
        around.web.pages["/go"] = (302, {"location": ours.url(mark, host)}, b"")
        with pytest.raises(SaysoError):
            await trial.do(await trial.plan("url.open", url=around.web.url("/go")))
    around.web.pages["/go"] = (302, {"location": around.free.url(mark, host)}, b"")
    await trial.do(await trial.plan("url.open", url=around.web.url("/go")))

    assert visits(mark, around.kept_away, around.held) == []
    assert visits(mark, around.free)


ALONE = {"redirect", "new window", "worker", "service worker"}
"""Which ways each have a page of their own in the first ring; the others lead there from frames of one page."""


async def control(trial: Trial, around: Around, way: Way, mark: str) -> None:
    """Take a way while nothing guards it, to see that it leads anywhere."""
    url = lead(around, way, around.free, mark)
    if way.made:
        await go(trial, around, way, url)
    else:
        forget(around)
        around.chromium.arrange([around.web.url("/between")])
        around.chromium.lead(url)
    wait_for(lambda: visits(mark, around.free), "the control, which nothing guards")


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
@pytest.mark.parametrize("ours", [pytest.param("kept_away", marks=pytest.mark.thorough), "held"])
@pytest.mark.parametrize("name", [name if name in ALONE else _thorough(name) for name in WAYS])
async def test_no_way_leads_there(trial: Trial, around: Around, name: str, ours: str, mark: str):
    site = getattr(around, ours)
    await go(trial, around, WAYS[name], lead(around, WAYS[name], site, mark))
    asked = visits(mark, site)

    await control(trial, around, WAYS[name], mark)
    assert asked == visits(mark, site) == []


def framed(around: Around, ours: Site, mark: str) -> str:
    """Have the web show a page with a frame for each way that needs no page of its own; return its address."""
    names = sorted(WAYS.keys() - ALONE, key=lambda name: name.startswith("frame in"))
    for number, name in enumerate(names):
        lead(around, WAYS[name], ours, f"{mark}/{number}/")
        around.web.pages[f"/way/{number}"] = around.web.pages["/way"]
    around.web.pages["/ways"] = "".join(f"<iframe src=/way/{number}></iframe>" for number in range(len(names)))
    return around.web.url("/ways")


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
async def test_no_way_leads_there_from_a_frame(trial: Trial, around: Around, mark: str):
    for ours in (around.kept_away, around.held):
        await go(trial, around, Way(""), framed(around, ours, mark))
    asked = visits(mark, around.kept_away, around.held)
    around.chromium.arrange([framed(around, around.free, mark)])

    wait_for(
        lambda: all(visits(f"{mark}/{number}/", around.free) for number in range(len(WAYS.keys() - ALONE))),
        "the control of each way, which nothing guards",
    )
    assert asked == visits(mark, around.kept_away, around.held) == []


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
@pytest.mark.parametrize("name", [_thorough(name) if name in LIKE_OTHERS else name for name in NO_REQUESTS])
async def test_what_is_no_request_does_not_lead_there_either(trial: Trial, around: Around, name: str, mark: str):
    way = NO_REQUESTS[name]
    url = lead(around, way, around.held, mark)
    await go(trial, around, way, url)
    asked = visits(mark, around.held)
    around.chromium.arrange([around.web.url("/between")])
    forget(around)
    around.chromium.go(url)
    around.chromium.evaluate(f"(async () => {{ {way.code} }})()", url)

    wait_for(lambda: visits(mark, around.held), "the control, while nothing is done and nobody guards")
    assert asked == []


NEW_VERSIONS = {
    "socket": "new WebSocket('{socket}')",
    "fetch": "fetch('{ours}', {{mode: 'no-cors'}})",
    "fetch as it is installed": "self.oninstall = e => e.waitUntil(fetch('{ours}', {{mode: 'no-cors'}}))",
    "script": "importScripts('{ours}')",
}


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
@pytest.mark.parametrize("name", [_thorough(name) if name == "fetch" else name for name in NEW_VERSIONS])
async def test_a_new_version_of_a_service_worker_does_not_lead_there(
    trial: Trial, around: Around, name: str, mark: str
):
    way = Way("<script>navigator.serviceWorker.register('/worker.js')</script>", worker=NEW_VERSIONS[name])
    # The web has no new version before it is asked for one: browsers look for them on their own too, and take a look
    # that already goes on for the one that they are asked for.
    update = (
        "await fetch('/new').then(r => r.text()); const old = await navigator.serviceWorker.ready; let met = false; "
        "old.onupdatefound = () => met = true; while (!met) await old.update().catch(() => met = true); "
        "while (old.installing) await new Promise(r => setTimeout(r, 20)); 'updated'"
    )

    def first(ours: Site) -> str:
        lead(around, way, ours, mark)
        # A name of its own, where no worker was before; what ends in `.localhost` may have them.
        url = around.web.url("/way", f"{ours.port}-{mark[1:]}.localhost")
        new, around.web.pages["/worker.js"] = around.web.pages["/worker.js"], f"// {mark} {ours.port}"

        def changed() -> Answer:
            around.web.pages["/worker.js"] = new
            return 200, {}, b"changed"

        around.web.pages["/new"] = changed
        around.chromium.arrange([url])
        around.chromium.evaluate("navigator.serviceWorker.ready.then(() => 1)", url)
        return url

    first(around.held)
    (left,) = await trial.do(await trial.plan("page.run_js", code=update))
    asked = visits(mark, around.held)
    url = first(around.free)
    around.chromium.evaluate(f"(async () => {{ {update} }})().catch(() => 0)", url)

    (fact,) = left.facts
    assert isinstance(fact, Returned)
    assert (fact.text, asked) == ("updated", [])
    wait_for(lambda: visits(mark, around.free), "the control, which nothing guards")


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
async def test_a_browser_that_was_started_so_keeps_away_without_anybody_watching(
    around: Around, trial: Trial, mark: str
):
    sockets = "<script>for (const port of [{}, {}]) new WebSocket(`ws://127.0.0.1:${{port}}{}`)</script>"
    around.web.pages["/sockets"] = sockets.format(around.kept_away.port, around.free.port, mark)

    around.chromium.call("Target.createTarget", url=around.kept_away.url(mark, "name.test"))
    around.chromium.call("Target.createTarget", url=around.web.url("/sockets"))

    wait_for(lambda: visits(mark, around.free), "the control, which nothing guards")
    assert visits(mark, around.kept_away) == []


def asks(around: Around, ours: Site, page: str) -> None:
    """Have an open page ask for another one by a request and by a WebSocket."""
    socket = ours.url("/socket").replace("http", "ws")
    code = f"fetch('{ours.url('/fetched')}', {{mode: 'no-cors'}}).catch(() => 0), new WebSocket('{socket}'), 1"
    around.chromium.evaluate(code, page)


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
async def test_nothing_is_held_between_two_actions_of_one_process(trial: Trial, around: Around):
    page = around.web.url("/page")
    await trial.do(await trial.plan("url.open", url=page))

    asks(around, around.held, page)
    wait_for(lambda: {"/fetched", "/socket"} <= set(around.held.asked), "what nobody holds")
    around.chromium.open_tab(around.held.url("/opened"))
    wait_for(lambda: around.chromium.evaluate("document.title", around.held.url("/opened")) == "/opened", "the page")

    # And with the next action it is again.
    around.held.asked.clear()
    code = f"await fetch('{around.held.url('/again')}', {{mode: 'no-cors'}}).catch(() => 'stopped')"
    around.chromium.close_tab(around.held.url("/opened"))
    (left,) = await trial.do(await trial.plan("page.run_js", code=code))
    (fact,) = left.facts
    assert isinstance(fact, Returned)
    assert (fact.text, "/again" in around.held.asked) == ("stopped", False)


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
async def test_a_page_of_sayso_that_the_person_has_open_goes_on_while_something_is_done_elsewhere(
    trial: Trial, around: Around
):
    mine, slow = around.held.url("/mine"), around.web.url("/slow")
    polls = "<title>mine</title><script>setInterval(() => fetch('/poll').then(() => window.polled = 1), 20)</script>"
    around.held.pages["/mine"] = polls
    around.chromium.arrange([around.web.url("/front"), mine])
    wait_for(lambda: "/poll" in around.held.asked, "the page of sayso")

    def meanwhile() -> Answer:
        around.held.asked.clear()
        wait_for(lambda: around.held.asked.count("/poll") > 2, "the page of sayso, while another opens")
        return 200, {"content-type": "text/html"}, b"<title>slow</title>"

    around.web.pages["/slow"] = meanwhile
    await trial.do(await trial.plan("url.open", url=slow))

    assert around.chromium.evaluate("document.title", slow) == "slow"
    around.held.pages.clear()


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


class Old:
    """A browser that knows nothing of how to stop what is no request."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self._coming: list[dict[str, Any]] = []

    def send(self, *texts: bytes) -> None:
        for text in texts:
            call = msgspec.json.decode(text)
            self.sent.append(call)
            known = "ByRule" not in call["method"]
            answer: dict[str, Any] = {"result": {}} if known else {"error": {"message": "wasn't found"}}
            if call["method"] == "Target.setAutoAttach" and call["params"]["autoAttach"] and "sessionId" not in call:
                page = {"targetId": "t", "type": "page", "url": "about:blank"}
                self._coming.append(
                    {"method": "Target.attachedToTarget", "params": {"sessionId": "s", "targetInfo": page}}
                )
            self._coming.append({"id": call["id"], **answer})

    def receive(self, seconds: float) -> list[bytes]:
        if not self._coming:
            raise TimeoutError
        return [msgspec.json.encode(self._coming.pop(0))]

    def close(self) -> None:
        """Nothing to close."""


@pytest.mark.req("BR-01")
def test_nothing_is_done_in_a_browser_that_cannot_be_held():
    wire = Old()

    with (
        pytest.raises(ProviderError, match=r"cannot be kept away .*; start it with '--host-res.*'"),
        guard_ports(ProtocolClient(wire, SystemClock()), frozenset({9})),
    ):
        wire.sent.append({"method": "done"})

    assert "done" not in [call["method"] for call in wire.sent]
    assert wire.sent[-1]["params"]["autoAttach"] is False


def test_the_option_names_each_port():
    assert keep_away_option([9, 8]) == "--host-resolver-rules=MAP *:8 ~NOTFOUND, MAP *:9 ~NOTFOUND"


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({}, "*:9,*:8737"),
        ({"no_proxy": "x.test,.y.test"}, "x.test,.y.test,*:9,*:8737"),
        ({"NO_PROXY": "x.test"}, "x.test,*:9,*:8737"),
        ({"no_proxy": "*"}, "*"),
    ],
)
def test_no_proxy_is_asked_for_what_is_kept_away_from(environ: dict[str, str], told: str):
    assert proxy_exceptions(environ, {8737, 9}) == {"no_proxy": told}
