"""What a page goes to is waited for, and what it asks is kept."""

from typing import Any

import msgspec
import pytest

from sayso.providers.browser.bidi.waiting import LOADING, Waiting
from sayso.providers.browser.live.calling import Devtools
from sayso.providers.browser.live.dialogs import Dialog
from sayso.runtime.clock import SystemClock


class Wire:
    """Brings what it was given, one text at a time."""

    def __init__(self, *events: tuple[str, dict[str, Any]]) -> None:
        self.sent: list[dict[str, Any]] = []
        self._events = [{"type": "event", "method": f"browsingContext.{name}", "params": told} for name, told in events]

    def send(self, *texts: bytes) -> None:
        self.sent += [msgspec.json.decode(text) for text in texts]

    def receive(self, seconds: float) -> list[bytes]:
        if not self._events:
            raise TimeoutError
        return [msgspec.json.encode(self._events.pop(0))]

    def close(self) -> None:
        """Nothing to close."""


def waited(*events: tuple[str, dict[str, Any]]) -> tuple[Waiting, Wire]:
    wire = Wire(*events)
    calls = Devtools(wire, SystemClock())
    waiting = Waiting(calls, "tab")
    calls.wait(lambda: False, 0.01)
    return waiting, wire


HERE = {"context": "tab", "url": "y"}
STARTED = ("navigationStarted", {"context": "tab", "url": "x"})


@pytest.mark.parametrize("end", ["load", "navigationFailed", "fragmentNavigated"])
def test_each_end_is_one(end: str):
    waiting, _ = waited(STARTED, (end, {"context": "tab", "url": "y"}))

    waiting.until_there()

    assert waiting.downloads == []


def test_the_words_of_the_browser_itself_are_an_end():
    waiting, _ = waited(STARTED, ("navigationCommitted", {"context": "tab", "url": "about:neterror?e=dnsNotFound"}))
    begin = SystemClock().monotonic()

    waiting.until_there()

    assert SystemClock().monotonic() - begin < LOADING / 2


def test_a_file_is_there_once_it_has_come():
    waiting, _ = waited(STARTED, ("downloadWillBegin", HERE), ("downloadEnd", {**HERE, "status": "complete"}))

    waiting.until_there()

    assert waiting.downloads == ["y"]


def test_what_other_tabs_do_does_not_matter():
    waiting, wire = waited(("userPromptOpened", {"context": "other", "type": "confirm"}))

    waiting.until_there()

    assert wire.sent == []


@pytest.mark.parametrize("kind", ["alert", "confirm", "prompt", "beforeunload"])
def test_only_an_alert_gets_a_yes(kind: str):
    waiting, wire = waited(("userPromptOpened", {"context": "tab", "type": kind, "message": "Sure?"}))

    waiting.until_there()

    assert waiting.dialogs == [Dialog(kind, "Sure?")]
    assert [one["params"] for one in wire.sent] == [{"context": "tab", "accept": kind == "alert"}]
