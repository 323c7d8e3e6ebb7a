"""A real browser for tests, one in each test process, with the tabs a test wants, and pages served on this machine."""

import json
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol

import pytest
from websockets.sync.client import ClientConnection, connect

from sayso.providers.browser.address import USUAL
from tests.desktop_env.session import PATIENCE, Session, wait_for

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--no-default-browser-check", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--password-store=basic", "--remote-debugging-port=0", "--window-size=1000,800",
    # What pops up below the address bar is pages too; nobody sees them here, and they work as much as all others.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,AiModeOmniboxEntryPoint",
)  # fmt: skip
Answer = tuple[int, Mapping[str, str], bytes]


@dataclass
class Site:
    """A server on every address of this machine; `pages` are what it shows, `asked` the paths that were asked for."""

    port: int
    pages: dict[str, str | Answer | Callable[[], Answer]] = field(default_factory=dict[str, Any])
    asked: list[str] = field(default_factory=list[str])

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        """Return the address of a page."""
        return f"http://{host}:{self.port}{path}"

    def answer(self, path: str) -> Answer:
        """Return what a page is; one that is not known has its path for a title."""
        page = self.pages.get(path.partition("?")[0], f"<title>{path}</title><h1>{path}</h1>")
        found = page() if callable(page) else page
        kind = "text/javascript" if path.endswith(".js") else "text/html; charset=utf-8"
        return (200, {"content-type": kind}, found.encode()) if isinstance(found, str) else found


class _Both(ThreadingHTTPServer):
    """Listens on IPv4 and IPv6."""

    address_family = socket.AF_INET6
    daemon_threads = True
    request_queue_size = 128

    def server_bind(self) -> None:
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


@contextmanager
def serving() -> Generator[Site]:
    """Yield a server on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            status, headers, body = site.answer(self.path)
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Say nothing."""

    server = _Both(("::", 0), Handler)
    site = Site(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Browser(Protocol):
    """A browser, asked and told by means that are not sayso's."""

    session: Session
    profile: Path
    port: int
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        """Return where it listens, as the settings write it."""
        ...

    def shown(self) -> list[str]:
        """Return the addresses of all tabs, the one last in front first."""
        ...

    def titles(self) -> dict[str, str]:
        """Return the titles of all tabs by their addresses, as the browser itself knows them at this moment."""
        ...

    def evaluate(self, expression: str, url: str | None = None) -> Any:
        """Return what an expression is in the page of this address, or of the tab in front."""
        ...

    def go(self, url: str) -> None:
        """Show another address in the only tab there is."""
        ...

    def close_tab(self, url: str) -> None:
        """Close the tab that shows an address, as the person would."""
        ...

    def open_tab(self, url: str) -> None:
        """Open a tab, as the person would."""
        ...

    def arrange(self, *windows: list[str]) -> None:
        """Have these windows with these addresses in their tabs and nothing else; the very first tab is in front."""
        ...


class Chromium:
    """A browser, asked and told by means that are not sayso's."""

    def __init__(self, session: Session, *flags: str) -> None:
        self.session = session
        self.profile = session.home / "profile"
        self._flags = flags
        self._wire: ClientConnection | None = None
        self._asked = 0
        self._start()

    def _start(self) -> None:
        self._wire = None
        (self.profile / "DevToolsActivePort").unlink(missing_ok=True)
        binary = shutil.which("chromium") or "chromium"
        argv = (binary, *FLAGS, *self._flags, f"--user-data-dir={self.profile}", "about:blank")
        self.process = self.session.start(*argv)
        told = wait_for(self._told, "a browser")
        self.port, self.path = int(told[0]), told[1]

    def _told(self) -> list[str]:
        file = self.profile / "DevToolsActivePort"
        lines = file.read_text().split("\n") if file.exists() else []
        return lines if len(lines) > 1 else []

    @property
    def url(self) -> str:
        """Return where it listens, as the settings write it."""
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str) -> Any:
        """Return what the browser's own list says."""
        asked = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            asked.request("GET", path)
            return json.loads(asked.getresponse().read())
        finally:
            asked.close()

    def call(self, method: str, **params: Any) -> Any:
        """Call one method of the browser."""
        return self.calls((method, params))[0]

    def calls(self, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
        """Call methods of the browser, one after the other, over a connection that stays."""
        if self._wire is None:
            self._wire = ExitStack().enter_context(self._connect(self.path))
        return self._ask(self._wire, calls, PATIENCE)

    def over(self, path: str, *calls: tuple[str, dict[str, Any]], patience: float = PATIENCE) -> list[Any]:
        """Call methods of whatever listens at a path, over a connection that does not stay."""
        with self._connect(path) as wire:
            return self._ask(wire, calls, patience)

    def _connect(self, path: str) -> AbstractContextManager[ClientConnection]:
        return connect(f"ws://127.0.0.1:{self.port}{path}", max_size=None, ping_interval=None)

    def _ask(self, wire: ClientConnection, calls: Sequence[tuple[str, dict[str, Any]]], patience: float) -> list[Any]:
        results: list[Any] = []
        for method, params in calls:
            self._asked += 1
            wire.send(json.dumps({"id": self._asked, "method": method, "params": params}))
            answer: Any = {}
            while answer.get("id") != self._asked:
                answer = json.loads(wire.recv(patience))
            results.append(answer.get("result", answer.get("error")))
        return results

    def shown(self) -> list[str]:
        """Return the addresses of all tabs, the one last in front first."""
        return list(self._pages().values())

    def titles(self) -> dict[str, str]:
        """Return the titles of all tabs by their addresses.

        The browser learns a title some time after the page has it, and until then names the address instead.
        """
        found = self.call("Target.getTargets", filter=[{"type": "tab"}])["targetInfos"]
        return {each["url"]: each["title"] for each in found}

    def _pages(self) -> dict[str, str]:
        """Return the addresses of all tabs by their ids, the one last in front first."""
        return {each["id"]: each["url"] for each in self.get("/json/list") if each["type"] == "page"}

    def _close(self, tabs: Iterable[str]) -> None:
        self.calls(*(("Target.closeTarget", {"targetId": each}) for each in tabs))

    def evaluate(self, expression: str, url: str | None = None) -> Any:
        """Return what an expression is in the page of this address, or of the tab in front."""
        pages = [each for each in self.get("/json/list") if each["type"] == "page" and url in {None, each["url"]}]
        # A tab tells its address before its page is there, and what runs in the empty page until then is lost.
        blank = "about:blank"
        wait_for(lambda: pages[0]["url"] == blank or self._run(pages[0], "location.href") != blank, "the page of a tab")
        return self._run(pages[0], expression)

    def _run(self, page: dict[str, Any], expression: str) -> Any:
        asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        (ran,) = self.over(f"/devtools/page/{page['id']}", ("Runtime.evaluate", asked))
        return ran["result"].get("value")

    def lead(self, url: str) -> None:
        """Have the only tab there is go to an address. Raises `RuntimeError` for one that cannot be had."""
        (page,) = [each for each in self.get("/json/list") if each["type"] == "page"]
        (went,) = self.over(f"/devtools/page/{page['id']}", ("Page.navigate", {"url": url}))
        if "errorText" in went:
            raise RuntimeError(f"{url} cannot be had: {went}")

    def go(self, url: str) -> None:
        """Show another address in the only tab there is."""
        self.lead(url)
        wait_for(lambda: self.shown() == [url], url)

    def close_tab(self, url: str) -> None:
        """Close the tab that shows an address, as the person would."""
        gone = next(each["id"] for each in self.get("/json/list") if each["url"] == url)
        self.call("Target.closeTarget", targetId=gone)
        wait_for(lambda: url not in self.shown(), "the end of a tab")

    def open_tab(self, url: str) -> None:
        """Open a tab, as the person would."""
        self.call("Target.createTarget", url=url)

    def arrange(self, *windows: list[str]) -> None:
        """Have these windows with these addresses in their tabs and nothing else; the very first tab is in front."""
        if self.process.poll() is not None:
            # Whoever ended it has failed already; the tests after it are not to fail for that.
            sys.stderr.write(f"the browser of the tests had ended with {self.process.returncode}\n")
            self._start()
        # One window alone may be one that is there already: a new one takes much longer.
        several = len(windows) > 1
        opening = [
            {"url": url, "newWindow": several and place == 0} for tabs in windows for place, url in enumerate(tabs)
        ]
        old = self._pages()
        made = [one["targetId"] for one in self.calls(*(("Target.createTarget", each) for each in opening))]
        wanted = dict(zip(made, (opened["url"] for opened in opening), strict=True))
        self._close(old)

        def arranged() -> bool:
            pages = self._pages()
            if pages != wanted:
                # A page that was just going elsewhere may not hear that it is to close.
                self._close(pages.keys() - wanted.keys())
                return False
            front = next(iter(pages))
            if front != made[0]:
                self.call("Target.activateTarget", targetId=made[0])
            return front == made[0]

        wait_for(arranged, "the tabs, the first of them in front")


@dataclass(frozen=True)
class Around:
    """A browser, the web around it, and pages that stand for sayso's own.

    `kept_away` is a port the browser was started to keep away from, `held` one that only an action keeps it away
    from, and `free` one that nothing does: the control. Of the usual port of sayso's own page the browser was told too,
    as every browser is that sayso starts.
    """

    chromium: Any
    web: Site
    kept_away: Site
    held: Site
    free: Site


@pytest.fixture(scope="session")
def around(chromium_around: Around) -> Around:
    """Return the browser that tests mean who do not say which."""
    return chromium_around


@pytest.fixture(scope="session")
def chromium_around() -> Iterator[Around]:
    """Return a browser for this test process; names that end in `.test` lead to this machine."""
    if shutil.which("chromium") is None:
        pytest.skip("needs chromium; tools/system-packages installs it")
    session = Session()
    with serving() as web, serving() as kept_away, serving() as held, serving() as free:
        ports = ", ".join(f"MAP *:{port} ~NOTFOUND" for port in (USUAL, kept_away.port))
        rules = f"--host-resolver-rules={ports}, MAP *.test 127.0.0.1"
        try:
            yield Around(Chromium(session, rules), web, kept_away, held, free)
        finally:
            session.close()
