"""A backend on the real browser, with the tabs that a test wants."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from sayso.core.ports import BackendContext, KillPoint, no_kill_point
from sayso.providers.browser import BROWSER
from sayso.providers.browser.address import announce_page
from sayso.providers.browser.bidi import driver as bidi
from sayso.providers.browser.cdp import driver as cdp
from sayso.providers.browser.remote import connection
from sayso.providers.browser.remote.backend import RemoteBackend
from sayso.providers.browser.remote.connection import Transport
from sayso.providers.browser.remote.driver import BrowserDriver
from sayso.providers.browser.remote.settings import WantedBrowser
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.harness import Trial
from tests.desktop_env.browser import Answer, Around, Chromium, Site
from tests.desktop_env.firefox import Firefox
from tests.desktop_env.session import wait_for
from tests.patience import patience

KINDS = {Chromium: ("cdp_url", cdp.build, cdp.Chromium), Firefox: ("bidi_url", bidi.build, bidi.Firefox)}
Making = Callable[..., RemoteBackend]
Showing = Callable[..., Trial]
Driving = Callable[..., BrowserDriver]


@pytest.fixture
def making(around: Around, scratch_home: Path) -> Iterator[Making]:
    """Return how to make a backend on the browser of this process; each is let go of in the end."""
    made: list[RemoteBackend] = []

    def make(
        *,
        confirm: tuple[str, ...] = (),
        roots: tuple[str, ...] = (),
        url: str | None = None,
        kill: KillPoint = no_kill_point,
        **settings: Any,
    ) -> RemoteBackend:
        key, build, _ = KINDS[type(around.chromium)]
        told = {key: around.chromium.url if url is None else url, **settings}
        own = str(scratch_home.parent / "sayso")
        options = {"confirm_sites": list(confirm)}
        made.append(
            build(BackendContext(told, str(scratch_home), own, roots, SystemClock(), RandomIds(), kill, options))
        )
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def driving(around: Around, scratch_home: Path) -> Iterator[Driving]:
    """Return how another sayso drives the browser of this process, or one that listens elsewhere; all share a home."""
    made: list[BrowserDriver] = []

    def drive(url: str | None = None) -> BrowserDriver:
        *_, driver = KINDS[type(around.chromium)]
        own = str(scratch_home.parent / "sayso")
        context = BackendContext({}, str(scratch_home), own, (), SystemClock(), RandomIds())
        made.append(driver(context, WantedBrowser(around.chromium.url if url is None else url)))
        return made[-1]

    yield drive
    for each in made:
        each.close()


@pytest.fixture
def announced_pages(around: Around, scratch_home: Path) -> Iterator[tuple[Site, ...]]:
    """Have the servers that stand for sayso's own pages announced, and nothing asked of them yet.

    In a Firefox that was not told of one nothing is done at all, so that there it is only the one that it was told of.
    """
    own = str(scratch_home.parent / "sayso")
    sites = (around.kept_away,) if isinstance(around.chromium, Firefox) else (around.kept_away, around.held)
    for site in (around.kept_away, around.held, around.free):
        site.asked.clear()
    with ExitStack() as stack:
        for site in sites:
            stack.enter_context(announce_page(own, site.port))
        yield sites


@pytest.fixture
def page(around: Around, making: Making) -> Showing:
    """Return how to have one page in front, whose body is given, and something to try it with."""

    def show(body: str, **settings: Any) -> Trial:
        path = f"/page/{len(around.web.pages)}"
        around.web.pages[path] = f"<!doctype html><title>Page</title>{body}"
        around.chromium.arrange([around.web.url(path)])
        wait_for(lambda: around.chromium.evaluate("document.readyState + document.title") == "completePage", "the page")
        wait_for(lambda: "Page" in around.chromium.titles().values(), "its title")
        return Trial(BROWSER, making(**settings))

    return show


@pytest.fixture
def mark() -> str:
    """Return what tells the visits of one test from those of a page that an earlier one left."""
    return f"/reached-{RandomIds().token()}"


@pytest.fixture
def file(around: Around) -> str:
    """Have `/file` give out a file whose name leads elsewhere; return that name, which no other test has."""
    name = f"{RandomIds().token()}.sh"
    sent = {"content-type": "application/x-thing", "content-disposition": f"attachment; filename=../../{name}"}
    around.web.pages["/file"] = (200, sent, b"hi")
    return name


def kept(around: Around, home: Path, file: str) -> set[Path]:
    """Return the folders of either home in which a file lies, or a part of it."""
    return {path.parent for folder in (home, around.chromium.session.home) for path in folder.rglob(f"*{file}*")}


HANGS = "{ const asks = new XMLHttpRequest(); asks.open('GET', '/hangs', false); asks.send() }"
"""What a page runs to hang, from the moment that it asks for this until the test is over."""


class Hang:
    """Whether a page hangs, and how to have it go on."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.over = threading.Event()

    def answer(self) -> Answer:
        """Hold the page up."""
        self.began.set()
        self.over.wait(patience())
        return 200, {}, b""


class Impatient:
    """A connection whose time is over, once, when only the page that hangs has still to answer."""

    IN_PAGES = frozenset(
        {"Input.dispatchMouseEvent", "Target.setAutoAttach", "input.performActions", "script.evaluate"}
    )

    def __init__(self, wire: Transport, began: threading.Event) -> None:
        self._wire = wire
        self._began: list[threading.Event] = [began]
        self._asked: dict[int, str] = {}
        self.close = wire.close

    def send(self, *texts: bytes) -> None:
        """Send texts."""
        self._asked |= {call["id"]: call["method"] for call in map(json.loads, texts)}
        self._wire.send(*texts)

    def receive(self, seconds: float) -> list[bytes]:
        """Return what has come."""
        for _ in range(max(round(seconds / 0.05), 1)):
            if self._began and self._began[0].is_set() and self._only_a_page():
                self._began.clear()
                break
            with suppress(TimeoutError):
                texts = self._wire.receive(0.05)
                for text in texts:
                    self._asked.pop(json.loads(text).get("id"), None)
                return texts
        raise TimeoutError

    def _only_a_page(self) -> bool:
        return len(self._asked) == 1 and self.IN_PAGES.issuperset(self._asked.values())


@pytest.fixture
def hang(around: Around) -> Iterator[Hang]:
    """Have a page that runs `HANGS` hang until the test is over."""
    hang = Hang()
    around.web.pages["/hangs"] = hang.answer
    yield hang
    hang.over.set()


@pytest.fixture
def impatient(hang: Hang, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have sayso take a page that hangs for what it is at once, and wait for all others as long as ever."""
    opened = connection.open_transport

    def impatient(host: str, port: int, path: str) -> Impatient:
        return Impatient(opened(host, port, path), hang.began)

    monkeypatch.setattr(connection, "open_transport", impatient)
