"""Who asks a model and what they get: the asker, the view on which a reply appears, and the answer.

A home names these types; apart from the conversation, so that a command without a model imports none of it.
"""

from typing import Protocol

from anyio import sleep_forever
from msgspec import Struct, field

from sayso.assistant.trace import Trace
from sayso.core.ports import Approver
from sayso.runtime.questions import Nobody as NobodyAnswers
from sayso.runtime.results import Report

CORRECTIONS = 2
"""How often, in one ask, a model may write again what could not be carried out as it was written."""


class ReplyView(Protocol):
    """Where a person sees a reply while it comes in, and from where they can stop it."""

    def show_text(self, text: str) -> None:
        """Show more of the text for the person; it only ever grows."""
        ...

    def show_progress(self, line: str) -> None:
        """Show one line about a call that is being carried out (S1-59), or about another model that answers instead."""
        ...

    def end_reply(self) -> None:
        """Let what is shown next, such as a question to the person, begin a line of its own."""
        ...

    async def wait_for_stop(self) -> None:
        """Return when the person wants no more of the reply; otherwise never."""
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
    """Who asks: in which session, who decides what policy asks about, and who is shown what goes on."""

    session: str = ""
    """A new one where none is named."""
    approver: Approver = field(default_factory=NobodyAnswers)
    dry_run: bool = False
    view: ReplyView = field(default_factory=NoView)
    corrections: int = CORRECTIONS
    wrote: str = ""
    """What the person wrote with their own hands, among it the addresses that they need not be asked about."""
    because: str = ""
    """What started it, where no person did: what its trigger says (S0-67)."""
    happened: tuple[str, ...] = ()
    """What happened then, in strangers' words, such as the names of files."""


class AskResult(Struct, frozen=True):
    """What came of an ask."""

    session: str
    entry: str
    text: str
    """The words for the person, as they were shown."""
    report: Report
    """What came of all that was proposed; where a model put something right, of that alone."""
    trace: Trace
    model: str = ""
    """Who answered."""
    runs: tuple[str, ...] = ()
