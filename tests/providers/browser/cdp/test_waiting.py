"""What a page goes to is waited for, and what it asks is kept and gets no for an answer."""

from typing import Any

import msgspec
import pytest

from sayso.providers.browser.cdp.waiting import LOADING, Waiting
from sayso.providers.browser.live.calling import Devtools
from sayso.providers.browser.live.dialogs import Dialog
from sayso.runtime.clock import SystemClock

Told = tuple[str, dict[str, Any]]


class Wire:
    """Answers every call, and brings what it was given, one text at a time."""

    def __init__(self, *events: Told, session: str) -> None:
        self.sent: list[dict[str, Any]] = []
        self._coming: list[dict[str, Any]] = []
        self._events = [{"method": f"Page.{name}", "params": told, "sessionId": session} for name, told in events]

    def send(self, *texts: bytes) -> None:
        self.sent += [msgspec.json.decode(text) for text in texts]
        self._coming += [{"id": call["id"], "result": {}} for call in self.sent[-len(texts) :]]

    def receive(self, seconds: float) -> list[bytes]:
        if not self._coming + self._events:
            raise TimeoutError
        return [msgspec.json.encode((self._coming or self._events).pop(0))]

    def close(self) -> None:
        """Nothing to close."""


def waited(*events: Told, session: str = "s") -> tuple[Waiting, Wire]:
    wire = Wire(*events, session=session)
    devtools = Devtools(wire, SystemClock())
    waiting = Waiting(devtools, "s", "main")
    devtools.wait(lambda: False, 0.01)
    return waiting, wire


def answers(wire: Wire) -> list[bool]:
    return [call["params"]["accept"] for call in wire.sent if call["method"] == "Page.handleJavaScriptDialog"]


STARTED, STOPPED = ("frameStartedLoading", {"frameId": "main"}), ("frameStoppedLoading", {"frameId": "main"})


@pytest.mark.parametrize(
    "events", [(STARTED, STOPPED), (("frameStartedLoading", {"frameId": "other"}),), (STARTED, STOPPED, STOPPED), ()]
)
def test_what_has_come_or_is_not_waited_for_takes_no_time(events: tuple[Told, ...]):
    waiting, _ = waited(*events)
    begin = SystemClock().monotonic()

    waiting.until_there()

    assert SystemClock().monotonic() - begin < LOADING / 2


@pytest.mark.parametrize("kind", ["alert", "confirm", "prompt", "beforeunload"])
def test_only_an_alert_gets_a_yes(kind: str):
    waiting, wire = waited(("javascriptDialogOpening", {"type": kind, "message": "Sure?"}))

    assert waiting.dialogs == [Dialog(kind, "Sure?")]
    assert answers(wire) == [kind == "alert"]


def test_a_file_that_is_asked_for_is_a_question_too():
    waiting, wire = waited(("fileChooserOpened", {}))

    assert waiting.dialogs == [Dialog("file")]
    assert answers(wire) == []


def test_what_other_pages_do_does_not_matter():
    waiting, wire = waited(("javascriptDialogOpening", {"type": "confirm"}), session="another")

    assert waiting.dialogs == []
    assert answers(wire) == []
