"""The types of an ask: the asker, the view that shows the reply, and the result.

They are apart from the conversation so that a command that asks no model does not import it.
"""

from typing import Protocol

from anyio import sleep_forever
from msgspec import Struct, field

from sayso.assistant.trace import Trace
from sayso.core.ports import Approver
from sayso.runtime.questions import Nobody as NobodyAnswers
from sayso.runtime.results import Report

CORRECTIONS = 2
"""How often a model may correct its reply in one ask."""


class ReplyView(Protocol):
    """Shows a reply while it comes in, and lets the person stop it."""

    def show_text(self, text: str) -> None:
        """Show more of the text for the person; it only ever grows."""
        ...

    def show_progress(self, line: str) -> None:
        """Show one line about a call that is being carried out (S1-59), or about another model that answers instead."""
        ...

    def end_reply(self) -> None:
        """End the line, so that what is shown next begins a new one."""
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
    """Who asks: the session, who approves what policy asks about, and the view that shows progress."""

    session: str = ""
    """A new one where none is named."""
    approver: Approver = field(default_factory=NobodyAnswers)
    dry_run: bool = False
    view: ReplyView = field(default_factory=NoView)
    corrections: int = CORRECTIONS
    wrote: str = ""
    """The person's own words; web addresses in them need no further approval."""
    because: str = ""
    """The description of the trigger, if no person asked (S0-67)."""
    happened: tuple[str, ...] = ()
    """What the trigger noticed, in strangers' words, such as names of files."""


class AskResult(Struct, frozen=True):
    """The result of an ask."""

    session: str
    entry: str
    text: str
    """The words for the person, as they were shown."""
    report: Report
    """The outcomes of all proposals; corrected proposals replace the wrong ones."""
    trace: Trace
    model: str = ""
    """Who answered."""
    runs: tuple[str, ...] = ()
