"""The types of an ask: the asker, the view that shows the reply, and the result.

A separate module, so that a command that asks no model does not import the conversation.
"""

from typing import Protocol

from anyio import sleep_forever
from msgspec import Struct, field

from sayso.assistant.trace import Trace
from sayso.core.ports import Approver
from sayso.runtime.questions import Nobody as NobodyAnswers
from sayso.runtime.results import Report

CORRECTIONS = 2
"""Maximum number of corrections by the model in one ask."""


class ReplyView(Protocol):
    """Shows a reply as it arrives, and lets the person stop it."""

    def show_text(self, text: str) -> None:
        """Show the next piece of text; text that was shown is never removed."""
        ...

    def show_progress(self, line: str) -> None:
        """Show a line about a tool call that runs (S1-59), or about another model that answers instead."""
        ...

    def end_reply(self) -> None:
        """End the current line, so that later output begins a new one."""
        ...

    async def wait_for_stop(self) -> None:
        """Return when the person stops the reply; otherwise never."""
        ...


class NoView:
    """Shows nothing and never stops a reply."""

    def show_text(self, text: str) -> None:
        """Drop the text."""

    def show_progress(self, line: str) -> None:
        """Drop the line."""

    def end_reply(self) -> None:
        """Do nothing."""

    async def wait_for_stop(self) -> None:
        """Wait for ever."""
        await sleep_forever()


class Asker(Struct, frozen=True):
    """The asking side: the session, the approver of policy's questions, and the view that shows progress."""

    session: str = ""
    """The id of the session; empty for a new one."""
    approver: Approver = field(default_factory=NobodyAnswers)
    dry_run: bool = False
    view: ReplyView = field(default_factory=NoView)
    corrections: int = CORRECTIONS
    wrote: str = ""
    """The person's own words; web addresses in them need no further approval."""
    because: str = ""
    """The description of the trigger, if no person asked (S0-67)."""
    happened: tuple[str, ...] = ()
    """Events that started the trigger, in strangers' words, such as names of files."""


class AskResult(Struct, frozen=True):
    """The result of an ask."""

    session: str
    entry: str
    text: str
    """The text for the person, as it was shown."""
    report: Report
    """The outcomes of all proposals; corrected proposals replace the wrong ones."""
    trace: Trace
    model: str = ""
    """The name of the model that answered."""
    runs: tuple[str, ...] = ()
