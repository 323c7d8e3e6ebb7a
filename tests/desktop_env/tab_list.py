"""An extension in the browser of a test: what the browser's own interface for tabs says and can do."""

import json
from contextlib import ExitStack, suppress
from typing import Any

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.desktop_env.browser import Chromium
from tests.desktop_env.session import Session, wait_for

MANIFEST = {
    "manifest_version": 3,
    "name": "tabs",
    "version": "1",
    "permissions": ["tabs"],
    "background": {"service_worker": "worker.js"},
}
WORKER = "globalThis.gone = []; chrome.tabs.onRemoved.addListener(id => gone.push(id))"
ALL = "(await chrome.tabs.query({})).sort((a, b) => a.windowId - b.windowId || a.index - b.index)"
FLAGS = ("--disable-features=DisableLoadExtensionCommandLineSwitch", "--renderer-process-limit=3")


def extended(session: Session) -> Chromium:
    """Start a browser with the extension."""
    folder = session.home / "extension"
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps(MANIFEST))
    (folder / "worker.js").write_text(WORKER)
    return Chromium(session, f"--load-extension={folder}", *FLAGS)


class TabList:
    """The tabs as an extension sees them, in the order of windows and tabs."""

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium
        self._worker = wait_for(self._answering, "the extension")
        # A worker that nobody is attached to is stopped when it is idle, and forgets what was closed.
        self._stays = ExitStack().enter_context(
            connect(f"ws://127.0.0.1:{chromium.port}/devtools/page/{self._worker}", ping_interval=None)
        )

    def _answering(self) -> str:
        """Return the worker; one that is just beginning may never answer who came too early, and is asked anew."""
        targets = self._chromium.call("Target.getTargets")["targetInfos"]
        found = next((each["targetId"] for each in targets if each["url"].endswith("/worker.js")), "")
        if found:
            with suppress(TimeoutError, InvalidStatus):
                self._chromium.over(f"/devtools/page/{found}", ("Runtime.evaluate", {"expression": "1"}), patience=2)
                return found
        return ""

    def ask(self, script: str) -> Any:
        """Return what a script of the extension returns."""
        asked = {"expression": f"(async () => {{ {script} }})()", "awaitPromise": True, "returnByValue": True}
        (ran,) = self._chromium.over(f"/devtools/page/{self._worker}", ("Runtime.evaluate", asked))
        return ran["result"].get("value", ran)

    def all(self) -> list[dict[str, Any]]:
        """Return every tab: `id`, `windowId`, `index`, `url`, `active`, `discarded`."""
        return self.ask(f"return {ALL}")

    def addresses(self) -> list[list[str]]:
        """Return the addresses, window by window."""
        tabs = self.all()
        windows = dict.fromkeys(tab["windowId"] for tab in tabs)
        return [[tab["url"] for tab in tabs if tab["windowId"] == window] for window in windows]

    def discard(self, urls: set[str]) -> None:
        """Have the browser let go of the pages of these tabs, as it does when memory is short; not of one in front."""
        script = (
            f"const urls = new Set({json.dumps(sorted(urls))});"
            f"for (const tab of {ALL}) if (urls.has(tab.url) && !tab.active && !tab.discarded)"
            " await chrome.tabs.discard(tab.id)"
        )

        def done() -> bool:
            # A tab that is busy is not let go of; it is asked for again.
            self.ask(script)
            return {tab["url"] for tab in self.all() if tab["discarded"] or tab["active"]} >= urls

        wait_for(done, "discarding", 60)

    def gone(self) -> list[int]:
        """Return the ids of the tabs that were closed, in the order of their closing, and forget them."""
        return self.ask("const told = gone; globalThis.gone = []; return told")
