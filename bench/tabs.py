"""Measure tabs of a real browser beside the calls that they come down to, in turns on one browser."""

import json
import shutil
import time
from collections.abc import Awaitable, Callable
from statistics import median
from typing import Any

import anyio
from websockets.sync.client import ClientConnection, connect

from bench.line import Gap, Line
from bench.paired import Side
from bench.size import Size
from sayso.core.ports import BackendContext
from sayso.providers.browser import BROWSER
from sayso.providers.browser.cdp.driver import build
from sayso.providers.browser.remote.backend import RemoteBackend
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.harness import Trial
from tests.desktop_env.browser import Chromium, serving
from tests.desktop_env.session import Session, wait_for

LISTING = "listing tabs with all keys, beside getTargets and the ids of their windows"
CLOSING = "closing half of the tabs in one step, beside the calls for it at once"
REOPENING = "opening them again where they were, beside the calls that open as many anywhere"
PLAYWRIGHT = "listing tabs, faster than Playwright's loop over its pages"
MANY = 7
"""Tabs for each of the size's `n`: 210 of them over three windows."""


def measured(size: Size) -> list[Line | Gap]:
    """List all tabs, also beside Playwright, then close half of them."""
    if shutil.which("chromium") is None:
        no = "there is no chromium; tools/system-packages installs it"
        return [Gap(what, no) for what in (LISTING, PLAYWRIGHT, CLOSING, REOPENING)]
    session = Session()
    try:
        with serving() as site:
            browser = Chromium(session)
            urls = [site.url(f"/{number}") for number in range(size.n * MANY)]
            fill(browser, urls)
            return anyio.run(_both, browser, urls, size)
    finally:
        session.close()


def fill(browser: Chromium, urls: list[str]) -> None:
    """Open these addresses, over three windows."""
    third = max(len(urls) // 3, 1)
    calls = [
        ("Target.createTarget", {"url": url, "newWindow": number % third == 0, "background": number % third > 0})
        for number, url in enumerate(urls)
    ]
    browser.calls(*calls)
    wait_for(lambda: set(browser.shown()) >= set(urls), f"{len(urls)} tabs", 120)


async def _both(browser: Chromium, urls: list[str], size: Size) -> list[Line | Gap]:
    ground = BackendContext({"cdp_url": browser.url}, "/nowhere", str(size.work), (), SystemClock(), RandomIds())
    backend: RemoteBackend = build(ground)
    trial = Trial(BROWSER, backend)
    try:
        with connect(f"ws://127.0.0.1:{browser.port}{browser.path}", max_size=None, ping_interval=None) as wire:
            listing = await _listing(trial, wire, size)
            beside = await _beside_playwright(trial, browser, size)
            closing, reopening = await _closing(trial, wire, browser, urls)
    finally:
        backend.close()
    return [listing, beside, closing, reopening]


async def _listing(trial: Trial, wire: ClientConnection, size: Size) -> Line:
    count = len((await trial.answer("tab.list")).text.splitlines())
    ratios: list[float] = []
    ours: list[float] = []
    for _ in range(size.rounds):
        theirs = _took(lambda: raw_list(wire))
        ours.append(await _took_async(lambda: trial.answer("tab.list")))
        ratios.append(ours[-1] / theirs)
    beside = f"{count} tabs in {median(ours) * 1000:.1f} ms"
    return Line(LISTING, median(ratios), 1.5, floor="titles, numbers and the tab in front", beside=beside)


async def _beside_playwright(trial: Trial, browser: Chromium, size: Size) -> Line | Gap:
    if not size.peers:
        return Gap(PLAYWRIGHT, "the peers were left out")
    times: list[float] = []
    ours: list[float] = []
    with Side("bench.sides.playwright", browser.url, python=size.peers) as playwright:
        count = playwright.do(1).found
        for _ in range(size.rounds):
            theirs = playwright.do(1).wall
            ours.append(await _took_async(lambda: trial.answer("tab.list")))
            times.append(theirs / ours[-1])
    beside = f"{median(ours) * 1000:.1f} ms here with all keys, for {count} pages there with address and title"
    floor = "a browser that waits for nobody answers both as fast as it can"
    return Line(PLAYWRIGHT, median(times), 10, at_least=True, floor=floor, beside=beside)


async def _closing(trial: Trial, wire: ClientConnection, browser: Chromium, urls: list[str]) -> tuple[Line, Line]:
    half = len(urls) // 2
    plan = await trial.plan("tab.close", indices=list(range(2, 2 * half + 1, 2)))
    began = time.perf_counter()
    lefts = await trial.do(plan)
    ours = time.perf_counter() - began
    again = await _took_async(lambda: trial.take_back(plan, lefts))
    left = [each["id"] for each in browser.get("/json/list") if each["url"] in urls]
    theirs = _took(lambda: raw_close(wire, left[:half])) * half / max(len(left[:half]), 1)
    opening = _took(lambda: fill(browser, [f"{url}?again" for url in urls[:half]]))
    beside = f"{half} tabs in {ours * 1000:.0f} ms, until they are gone"
    back = f"{half} tabs in {again * 1000:.0f} ms, every other one, until they show their pages"
    return (
        Line(CLOSING, ours / theirs, 2.0, floor="every tab is looked at once more before", beside=beside),
        Line(REOPENING, again / opening, 4.0, floor="each place is brought to the front before", beside=back),
    )


def raw_list(wire: ClientConnection) -> None:
    """Ask for all tabs, then for all their windows at once."""
    told = _answers(wire, [("Target.getTargets", {"filter": [{"type": "tab"}]})])
    targets: list[dict[str, Any]] = told[0]["targetInfos"]
    _answers(wire, [("Browser.getWindowForTarget", {"targetId": each["targetId"]}) for each in targets])


def raw_close(wire: ClientConnection, targets: list[str]) -> None:
    """Close these, all asked for at once, and wait until they are gone."""
    _answers(wire, [("Target.setDiscoverTargets", {"discover": True})])
    gone = set[str]()
    _answers(wire, [("Target.closeTarget", {"targetId": each}) for each in targets], gone)
    while not gone.issuperset(targets):
        _note(json.loads(wire.recv(60)), gone)


def _answers(
    wire: ClientConnection, calls: list[tuple[str, dict[str, Any]]], gone: set[str] | None = None
) -> list[Any]:
    answers: dict[int, Any] = {}
    for number, (method, params) in enumerate(calls):
        wire.send(json.dumps({"id": number, "method": method, "params": params}))
    while len(answers) < len(calls):
        told = json.loads(wire.recv(60))
        if "id" in told:
            answers[told["id"]] = told.get("result")
        elif gone is not None:
            _note(told, gone)
    return [answers[number] for number in range(len(calls))]


def _note(told: dict[str, Any], gone: set[str]) -> None:
    if told.get("method") == "Target.targetDestroyed":
        gone.add(told["params"]["targetId"])


def _took(do: Callable[[], object]) -> float:
    start = time.perf_counter()
    do()
    return time.perf_counter() - start


async def _took_async(do: Callable[[], Awaitable[object]]) -> float:
    start = time.perf_counter()
    await do()
    return time.perf_counter() - start
