"""Read a whole text with a dialect's reader and keep what it said."""

from collections.abc import Iterator, Mapping
from typing import Protocol, runtime_checkable

from sayso.core.dialect import Dialect, Reader
from sayso.core.events import Clarification, Event, Proposed, Text, Warned
from sayso.core.operation import Operation
from sayso.core.proposal import Proposal
from sayso.core.values import dataclass


@dataclass(frozen=True)
class Reading:
    """What a text says: what a person is shown, the proposals in order, and warnings."""

    dialect: str
    text: str
    proposals: tuple[Proposal, ...]
    warnings: tuple[str, ...] = ()
    needs_clarification: bool = False
    clarification_reason: str | None = None


@runtime_checkable
class Chooses(Protocol):
    """A reader that finds out by reading which dialect a text is written in."""

    chosen: str
    """Its name, certain when the text has ended."""


def pieces(text: str, size: int | None) -> Iterator[str]:
    """Cut a text into pieces of `size` characters; None leaves it whole."""
    if size is None or not text:
        yield text
        return
    for start in range(0, len(text), size):
        yield text[start : start + size]


def events(reader: Reader, text: str, size: int | None) -> Iterator[list[Event]]:
    """Feed a text piece by piece and give what each piece made certain; the last list is the end's."""
    for piece in pieces(text, size):
        yield reader.feed(piece)
    yield reader.close()


def read(dialect: Dialect, operations: Mapping[str, Operation], text: str, size: int | None = None) -> Reading:
    """Read a whole text; how it is cut makes no difference."""
    shown: list[str] = []
    proposals: list[Proposal] = []
    warnings: list[str] = []
    asked: list[Clarification] = []
    reader = dialect.reader(operations)
    for batch in events(reader, text, size):
        for event in batch:
            match event:
                case Text(text=more):
                    shown.append(more)
                case Proposed(proposal=proposal):
                    proposals.append(proposal)
                case Warned(sentence=sentence):
                    warnings.append(sentence)
                case Clarification():
                    asked.append(event)
    reason = asked[0].reason if asked else None
    name = reader.chosen if isinstance(reader, Chooses) else dialect.name
    return Reading(name, "".join(shown), tuple(proposals), tuple(warnings), bool(asked), reason)
