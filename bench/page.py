"""Measure the page: a message to many open windows beside a bare server's, first paint, its weight, and its memory."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, cast

import anyio
import httpx2
from msgspec.structs import replace
from playwright.async_api import async_playwright
from websockets.asyncio.client import ClientConnection, connect

from bench.line import Gap, Line
from bench.million import RARE, RARE_WORD, made
from bench.paired import ROOT, Side, ratio
from bench.size import Size
from sayso.core.ports import InsertRecord
from sayso.core.record import Record, State
from sayso.journal.sqlite import SqliteJournal
from sayso.runtime.system import SystemClock
from sayso.testing.journal import a_record
from tests.desktop_env.browser import Chromium
from tests.desktop_env.session import Session
from tests.web_env.windows import site_of

CLIENTS = 500
PACE = 0.005
"""Seconds between two new clients, so that the server does not take them for a flood."""
_MEGABYTE = 1 << 20
_PAGE = 50
_WHOLE, _TRIES = 10, 50
"""How many whole answers are measured, and how often at most is asked for them."""
_WORDS = (
    "letter",
    RARE_WORD,
    "nonesuch",
    "lett",
    "1",
    "letter documents moved",
    "folder note",
    "over week folder",
    ".txt",
    "ette",
    "uetza",
    "onesuc",
    "ocuments/1",
    "ument olde",
)
"""Common, rare and absent words, parts of words, and common words that no action has together."""
_FILTERS = (
    "state=done",
    "state=failed",
    "state=unknown",
    "operation=file.move",
    "operation=task.*",
    f"operation={RARE}",
)
_BESIDE = ("entry=mcp", "by=client", "by=grant", "until=2020-01-01T00:00:00Z")
_WANTED = (
    "",
    *_FILTERS,
    *(f"words={words}" for words in _WORDS),
    *_BESIDE,
    *(f"words={words}&{other}" for words in _WORDS for other in (*_FILTERS, *_BESIDE)),
)
PAINT, WEIGHT = "first paint of the page", "what the page weighs on the wire"
AGREED = "until two windows show the same text, one of them on a slow line"
SLOW = 0.05
"""Seconds that each piece of the slow line waits."""
_SHOWS = "text => document.querySelector('main').innerText === text"
_PAINTED = """
new Promise(done => {
  const look = () => {
    const paint = performance.getEntriesByName('first-contentful-paint')[0]
    const counted = document.querySelector('#link.live')
    if (!paint || !counted) return setTimeout(look, 20)
    const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    const files = all.filter(one => one.name === location.href || one.name.includes('/static/'))
    done([paint.startTime, files.reduce((sum, one) => sum + one.transferSize, 0)])
  }
  look()
})
"""


def measured(size: Size) -> list[Line | Gap]:
    """Measure messages and memory with many clients, then what a browser sees, then a large history."""
    clients = CLIENTS if size.rounds > 1 else 20
    return [
        *anyio.run(partial(_told, size, clients)),
        *anyio.run(partial(_served, size, clients)),
        *anyio.run(partial(_large, size, made(size.work.parent / "bench-history", size.rows))),
        *anyio.run(partial(_followed, size)),
        *anyio.run(partial(_agreed, size), backend="asyncio"),
    ]


async def entered(url: str, token: str) -> str:
    """Let a client in, and return its cookie."""
    async with httpx2.AsyncClient() as client:
        answer = await client.post(f"{url}api/session", json={"token": token})
        return answer.headers["set-cookie"].partition(";")[0]


@asynccontextmanager
async def clients_of(url: str, cookie: str, count: int) -> AsyncGenerator[list[ClientConnection]]:
    """Have many clients of a server while the block runs."""
    headers = {"Cookie": cookie} if cookie else {}
    at = f"ws{url.removeprefix('http')}ws"
    async with AsyncExitStack() as stack:
        made_: list[ClientConnection] = []
        for _ in range(count):
            opened = connect(at, additional_headers=headers, origin=cast("Any", url.rstrip("/")), compression=None)
            made_.append(await stack.enter_async_context(opened))
            await anyio.sleep(PACE)
        yield made_


async def _told(size: Size, count: int) -> list[Line | Gap]:
    """Measure how long after a change the last client knows it, the two servers in turns."""
    took: dict[str, list[float]] = {"bare": [], "ours": []}
    async with AsyncExitStack() as stack:
        heard: dict[str, Heard] = {}
        for name in took:
            side = stack.enter_context(Side("bench.sides.page", name, size.folder("page")))
            url, token = side.found
            cookie = await entered(url, token) if token else ""
            clients = await stack.enter_async_context(clients_of(url, cookie, count))
            heard[name] = await stack.enter_async_context(hearing(side, clients))
        for number in range(size.rounds):
            for name in sorted(took, reverse=number % 2 == 0):
                took[name].append(await heard[name].next_change())
    beside = f"{1000 * median(took['ours']):.1f} ms to the last, a bare uvicorn {1000 * median(took['bare']):.1f} ms"
    what = f"a proposal to {count} windows, beside a bare broadcast of the same bytes"
    return [Line(what, ratio(took["ours"], took["bare"]), 3, beside=beside)]


class Heard:
    """What the clients of one server have heard."""

    def __init__(self, side: Side, clients: int) -> None:
        self._side = side
        self._clients = clients
        self._number = 0
        self._last = 0.0
        self._all = anyio.Event()

    def hear(self) -> None:
        """Count a message."""
        self._number += 1
        self._last = time.monotonic()
        if self._number == self._clients:
            self._all.set()

    async def next_change(self) -> float:
        """Have one change made, and return the seconds from then until the last client knew of it."""
        self._number, self._all = 0, anyio.Event()
        (begun,) = (await anyio.to_thread.run_sync(self._side.do, 1)).found
        with anyio.fail_after(60):
            await self._all.wait()
        return self._last - begun


@asynccontextmanager
async def hearing(side: Side, clients: list[ClientConnection]) -> AsyncGenerator[Heard]:
    """Count what these clients of a server hear while the block runs."""
    heard = Heard(side, len(clients))

    async def listen(client: ClientConnection) -> None:
        async for message in client:
            if '"changed"' in str(message):
                heard.hear()

    async with anyio.create_task_group() as together:
        for client in clients:
            together.start_soon(listen, client)
        yield heard
        together.cancel_scope.cancel()


@contextmanager
def _serving(own: str, home: str) -> Generator[tuple[subprocess.Popen[str], str, str]]:
    """Run `sayso serve` as a person does, and give its process, its address and its token."""
    environ = {**os.environ, "HOME": home, "SAYSO_HOME": own, "PYTHONPATH": str(ROOT / "src")}
    environ.pop("DBUS_SESSION_BUS_ADDRESS", None)
    program = subprocess.Popen(
        [sys.executable, "-m", "sayso", "serve", "--json"], env=environ, stdout=subprocess.PIPE, text=True
    )
    try:
        said = json.loads(cast("Any", program.stdout).readline())
        yield program, said["url"], said["token"]
    finally:
        program.terminate()
        with suppress(subprocess.TimeoutExpired):
            program.wait(20)


def _resident(process: subprocess.Popen[str]) -> float:
    pages = int(Path(f"/proc/{process.pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / _MEGABYTE


async def _served(size: Size, count: int) -> list[Line | Gap]:
    home = size.folder("page")
    with _serving(f"{home}/own", home) as (process, url, token):
        cookie = await entered(url, token)
        async with httpx2.AsyncClient(headers={"Cookie": cookie}) as client:
            for path in ("", "api/state", "api/waiting", "api/rows"):
                await client.get(url + path)
        rests = _resident(process)
        async with clients_of(url, cookie, count):
            await anyio.sleep(1)
            with_clients = _resident(process)
        lines: list[Line | Gap] = [
            Line("memory of the page's server at rest", rests, 90, "MB"),
            Line(f"memory of the page's server with {count} windows", with_clients, 160, "MB"),
        ]
        return lines + await anyio.to_thread.run_sync(_painted, url, cookie, max(3, size.rounds // 3))


def _painted(url: str, cookie: str, rounds: int) -> list[Line | Gap]:
    if shutil.which("chromium") is None:
        return [Gap(what, "there is no chromium; tools/system-packages installs it") for what in (PAINT, WEIGHT)]
    session = Session()
    found: list[tuple[float, float]] = []
    try:
        browser = Chromium(session)
        name, _, value = cookie.partition("=")
        browser.call("Storage.setCookies", cookies=[{"name": name, "value": value, "url": url}])
        for _ in range(rounds):
            browser.arrange([url])
            found.append(tuple(browser.evaluate(_PAINTED, url)))
    finally:
        session.close()
    return [
        Line(PAINT, median(paint for paint, _ in found), 200, "ms"),
        Line(WEIGHT, max(weight for _, weight in found) / 1000, 100, "kB"),
    ]


async def _agreed(size: Size) -> list[Line | Gap]:
    """Measure how long after something begins to wait two windows show the same text, one of them on a slow line."""
    if shutil.which("chromium") is None:
        return [Gap(AGREED, "there is no chromium; tools/system-packages installs it")]
    session = Session()
    took: list[float] = []
    try:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.connect_over_cdp(Chromium(session).url)
            async with (
                site_of(Path(size.folder("agreed")), browser) as site,
                site.window() as near,
                site.far_window() as far,
            ):
                cast("Any", far.line).delay = SLOW
                for number in range(max(3, size.rounds // 3)):
                    begun = time.perf_counter()
                    await site.waits(name := f"agreed-{number}.txt")
                    await near.has(name)
                    await far.has(name)
                    await far.page.wait_for_function(_SHOWS, arg=await near.text())
                    took.append(1000 * (time.perf_counter() - begun))
            await browser.close()
    finally:
        session.close()
    return [Line(AGREED, max(took), 1000, "ms", beside=f"each piece of 4 kB comes {1000 * SLOW:.0f} ms later there")]


async def _large(size: Size, own: Path) -> list[Line | Gap]:
    """Measure the first page of a large history, its filters and its words, as the server answers them.

    Each answer is about all rows. One that says that there is more to look through, since its moment was over, is asked
    for again, and is an error where none is whole.
    """
    slowest, which = 0.0, ""
    with _serving(str(own), str(own.parent)) as (_, url, token):
        cookie = await entered(url, token)
        async with httpx2.AsyncClient(headers={"Cookie": cookie}, timeout=60) as client:
            begun = time.monotonic()
            for _ in range(10_000):
                if (await client.get(f"{url}api/rows?words=nonesuch&limit=1")).json()["words_ready"]:
                    break
                await anyio.sleep(0.2)
            reading = time.monotonic() - begun
            for query in _WANTED:
                took: list[float] = []
                for _ in range(_TRIES):
                    begun = time.perf_counter()
                    answer = (await client.get(f"{url}api/rows?{query}")).raise_for_status().json()
                    if answer["before"] is None or len(answer["rows"]) == _PAGE:
                        took.append(1000 * (time.perf_counter() - begun))
                    if len(took) == _WHOLE:
                        break
                if not took:
                    raise RuntimeError(f"{query} was answered in part, {_TRIES} times")
                if min(took) > slowest:
                    slowest, which = min(took), query or "the first page"
    index, journal = ((own / name).stat().st_size for name in ("words.db", "sayso.db"))
    beside = f"{which}; of {len(_WANTED)} kinds; the index of words was made in {reading:.0f} s"
    return [
        Line(f"slowest answer about {size.rows:,} rows of the history", slowest, 50, "ms", beside=beside),
        Line("index of words, of the size of the journal", index / journal, 0.15, beside=f"{index / _MEGABYTE:.0f} MB"),
    ]


async def _followed(size: Size) -> list[Line | Gap]:
    """Measure what the index of words costs for each row that is written, beside what the row itself costs."""
    there, more = (12_000, 3_000) if size.rounds > 1 else (200, 100)
    journal = SqliteJournal(str(size.work / "followed" / "sayso.db"), clock=SystemClock())
    Path(journal.path).parent.mkdir(parents=True, exist_ok=True)
    await journal.open()
    try:
        await journal.commit(*(InsertRecord(_letter(key)) for key in range(1, there)), event="done")
        while await journal.read_words():
            pass
        begun = time.perf_counter()
        for key in range(there, there + more):
            await journal.commit(InsertRecord(_letter(key)), event="done")
        written = time.perf_counter()
        while await journal.read_words():
            pass
        ended = time.perf_counter()
    finally:
        await journal.close()
    beside = f"{1000 * (written - begun) / more:.2f} ms for the row itself, which does not wait for it"
    return [Line("index of words, for each row written", 1000 * (ended - written) / more, 1, "ms", beside=beside)]


def _letter(key: int) -> Record:
    """Return an action with words of its own."""
    return replace(a_record(key, state=State.DONE), said=f"answer letter{key} of {key % 997}", plan=None)
