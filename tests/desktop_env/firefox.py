"""A real Firefox for tests, one in each test process, asked and told by means that are not sayso's."""

import json
import shutil
import socket
import sys
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.desktop_env.browser import Around, serving
from tests.desktop_env.session import PATIENCE, Session, wait_for

PREFERENCES: dict[str, Any] = {
    "remote.prefs.recommended": False,
    "marionette.port": 0,
    "network.security.ports.banned": "8737",
    "browser.shell.checkDefaultBrowser": False,
    "browser.aboutwelcome.enabled": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.page": 0,
    "browser.sessionstore.resume_from_crash": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "termsofuse.bypassNotification": True,
    "app.normandy.enabled": False,
    "app.update.auto": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "extensions.getAddons.cache.enabled": False,
    "extensions.update.enabled": False,
    "services.settings.server": "data:,",
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "dom.ipc.processPrelaunch.enabled": False,
}
FLAGS = ("--headless", "--no-remote", "--width", "1000", "--height", "800")
COME = "document.readyState === 'complete' && location.href !== 'about:blank'"


class Firefox:
    """A browser. It speaks with one at a time, so each question is a session of its own."""

    def __init__(self, session: Session, **preferences: Any) -> None:
        self.session = session
        self.profile = session.home / "profile"
        self.profile.mkdir()
        told = {**PREFERENCES, **preferences}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in told.items()]
        (self.profile / "user.js").write_text("\n".join(lines))
        self._start()

    def _start(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        binary = shutil.which("firefox-esr") or shutil.which("firefox") or "firefox-esr"
        argv = (binary, *FLAGS, f"--remote-debugging-port={self.port}", "--marionette", "--profile", self.profile)
        self.process = self.session.start(*argv, "about:blank")
        wait_for(self._answers, "a Firefox")
        wait_for(self._has_a_tab, "its first tab")

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def _has_a_tab(self) -> bool:
        try:
            return self.shown() == ["about:blank"]
        except (RuntimeError, ConnectionClosed):
            return False  # it is still on its way

    @property
    def url(self) -> str:
        """Return where it listens, as the settings write it."""
        return f"ws://127.0.0.1:{self.port}"

    @contextmanager
    def speaking(self) -> Generator["Speaking"]:
        """Yield a session."""
        with connect(f"{self.url}/session", max_size=None, ping_interval=None, close_timeout=1) as wire:
            spoken = Speaking(wire)
            spoken.call("session.new", capabilities={"alwaysMatch": {"unhandledPromptBehavior": {"default": "ignore"}}})
            try:
                yield spoken
            finally:
                spoken.call("session.end")

    def shown(self) -> list[str]:
        """Return the addresses of all tabs, the one in front first."""
        with self.speaking() as spoken:
            tabs = spoken.tabs()
            front = spoken.front()
        return [tab["url"] for tab in sorted(tabs, key=lambda tab: tab["context"] != front)]

    def titles(self) -> dict[str, str]:
        """Return the titles of all tabs by their addresses."""
        with self.speaking() as spoken:
            return {tab["url"]: spoken.aside(tab["context"], "document.title") for tab in spoken.tabs()}

    def evaluate(self, expression: str, url: str | None = None) -> Any:
        """Return what an expression is in the page of this address, or of the tab in front."""
        with self.speaking() as spoken:
            front = spoken.front()
            found = [
                tab["context"]
                for tab in spoken.tabs()
                if url == tab["url"] or (url is None and tab["context"] == front)
            ]
            return spoken.evaluate(found[0], expression)

    def go(self, url: str) -> None:
        """Show another address in the only tab there is."""
        with self.speaking() as spoken:
            (tab,) = spoken.tabs()
            spoken.call("browsingContext.navigate", context=tab["context"], url=url, wait="complete")

    def close_tab(self, url: str) -> None:
        """Close the tab that shows an address, as the person would."""
        with self.speaking() as spoken:
            (gone,) = [tab["context"] for tab in spoken.tabs() if tab["url"] == url]
            spoken.call("browsingContext.close", context=gone)

    def open_tab(self, url: str) -> None:
        """Open a tab, as the person would."""
        with self.speaking() as spoken:
            made = spoken.call("browsingContext.create", type="tab")["context"]
            with suppress(RuntimeError):  # it may keep away from there
                spoken.call("browsingContext.navigate", context=made, url=url, wait="none")

    def arrange(self, *windows: list[str]) -> None:
        """Have these windows with these addresses in their tabs and nothing else; the very first tab is in front."""
        if self.process.poll() is not None:
            # Whoever ended it has failed already; the tests after it are not to fail for that.
            sys.stderr.write(f"the browser of the tests had ended with {self.process.returncode}\n")
            self._start()
        with self.speaking() as spoken:
            contexts = spoken.as_it_is(windows) or spoken.anew(windows)
            wanted = [url for tabs in windows for url in tabs]
            loads = [each for each, url in zip(contexts, wanted, strict=True) if url != "about:blank"]
            wait_for(lambda: all(spoken.aside(each, COME) for each in loads), "the pages")
            spoken.call("browsingContext.activate", context=contexts[0])
            wait_for(lambda: spoken.front() == contexts[0], "the first tab in front")


class Speaking:
    """A session with it."""

    def __init__(self, wire: ClientConnection) -> None:
        self._wire = wire
        self._asked = 0

    def call(self, method: str, *, seconds: float = PATIENCE, **params: Any) -> Any:
        """Call one method."""
        self._asked += 1
        self._wire.send(json.dumps({"id": self._asked, "method": method, "params": params}))
        answer: Any = {}
        while answer.get("id") != self._asked:
            answer = json.loads(self._wire.recv(seconds))
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['error']}: {answer['message']}")
        return answer["result"]

    def tabs(self) -> list[Any]:
        """Return the tabs."""
        return self.call("browsingContext.getTree", maxDepth=0)["contexts"]

    def front(self) -> str:
        """Return the tab that is seen in the window that has the attention."""
        windows = self.call("browser.getClientWindows")["clientWindows"]
        active = next((window["clientWindow"] for window in windows if window["active"]), "")
        within = [tab["context"] for tab in self.tabs() if tab["clientWindow"] == active]
        return next((tab for tab in within if self.aside(tab, "document.visibilityState") == "visible"), "")

    def as_it_is(self, windows: Sequence[Sequence[str]]) -> list[str]:
        """Show addresses in the windows that there are, where those are enough and their pages let themselves be left.

        Returns the tabs, none where that does not come about. A new window takes much longer.
        """
        tabs = self.tabs()
        there = [[tab["context"] for tab in group] for _, group in groupby(tabs, key=lambda tab: tab["clientWindow"])]
        if len(there) < len(windows) or any(tab["originalOpener"] for tab in tabs):
            return []
        kept: list[str] = []
        for window, urls in zip(there, windows, strict=False):
            del window[len(urls) :]
            while len(window) < len(urls):
                created = self.call("browsingContext.create", type="tab", referenceContext=window[-1])
                window.append(created["context"])
            if not all(map(self.shows, window, urls)):
                return []
            kept += window
        self.close({tab["context"] for tab in tabs} - {*kept})
        return kept

    def anew(self, windows: Sequence[Sequence[str]]) -> list[str]:
        """Show addresses in new windows, and close all that there was; return the tabs."""
        old = [tab["context"] for tab in self.tabs()]
        made: list[str] = []
        for tabs in windows:
            for place, url in enumerate(tabs):
                beside: dict[str, Any] = {"referenceContext": made[-1]} if place else {}
                what = "tab" if place else "window"
                made.append(self.call("browsingContext.create", type=what, **beside)["context"])
                self.call("browsingContext.navigate", context=made[-1], url=url, wait="complete")
        self.close(old)
        return made

    def close(self, contexts: Collection[str]) -> None:
        """Close tabs."""
        for context in contexts:
            self.call("browsingContext.close", context=context)
        wait_for(lambda: not {tab["context"] for tab in self.tabs()}.intersection(contexts), "the end of tabs")

    def shows(self, context: str, url: str) -> bool:
        """Show an address in a tab; say whether that came about."""
        try:
            for each in ("about:blank", url):
                # A page that hangs or asks to stay is soon given up.
                self.call("browsingContext.navigate", context=context, url=each, wait="complete", seconds=5)
        except (TimeoutError, RuntimeError):
            return False
        return True

    def aside(self, context: str, expression: str) -> Any:
        """Return what an expression is in a world that the page does not reach."""
        target = {"context": context, "sandbox": "tests"}
        return self.call("script.evaluate", expression=expression, target=target, awaitPromise=False)["result"]["value"]

    def evaluate(self, context: str, expression: str) -> Any:
        """Return what an expression is in a page."""
        code = f"Promise.resolve(eval({json.dumps(expression)})).then((value) => JSON.stringify(value))"
        ran = self.call("script.evaluate", expression=code, target={"context": context}, awaitPromise=True)
        if ran["type"] != "success":
            raise RuntimeError(ran["exceptionDetails"]["text"])
        return json.loads(ran["result"]["value"]) if ran["result"]["type"] == "string" else None


@pytest.fixture(scope="session")
def firefox_around() -> Iterator[Around]:
    """Return a Firefox for this test process, with what is around it; it keeps away from one port."""
    if shutil.which("firefox-esr") is None:
        pytest.skip("needs firefox-esr; tools/system-packages installs it")
    session = Session()
    with serving() as web, serving() as kept_away, serving() as held, serving() as free:
        banned = {
            "network.security.ports.banned": f"8737,{kept_away.port}",
            "network.dns.localDomains": "name.test,other.test",
        }
        try:
            yield Around(Firefox(session, **banned), web, kept_away, held, free)
        finally:
            session.close()
