"""Read a whole text with a dialect's reader and keep what it said."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sayso.core.events import Clarification, Event, Proposed, Text, Warned
from sayso.core.operation import Operation
from sayso.core.ports import Dialect
from sayso.core.proposal import Proposal


@dataclass(frozen=True)
class Reading:
    """What a text says: what a person is shown, the proposals in order, and warnings."""

    dialect: str
    text: str
    proposals: tuple[Proposal, ...]
    warnings: tuple[str, ...] = ()
    needs_clarification: bool = False
    clarification_reason: str | None = None


def pieces(text: str, size: int | None) -> Iterator[str]:
    """Cut a text into pieces of `size` characters; None leaves it whole."""
    if size is None or size >= len(text):
        yield text
        return
    for start in range(0, len(text), size):
        yield text[start : start + size]


def events(dialect: Dialect, operations: Mapping[str, Operation], text: str, size: int | None) -> Iterator[list[Event]]:
    """Feed a text piece by piece and give what each piece made certain; the last list is the end's."""
    reader = dialect.reader(operations)
    for piece in pieces(text, size):
        yield reader.feed(piece)
    yield reader.close()


def read(dialect: Dialect, operations: Mapping[str, Operation], text: str, size: int | None = None) -> Reading:
    """Read a whole text; how it is cut makes no difference."""
    shown: list[str] = []
    proposals: list[Proposal] = []
    warnings: list[str] = []
    asked: list[Clarification] = []
    for batch in events(dialect, operations, text, size):
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
    return Reading(dialect.name, "".join(shown), tuple(proposals), tuple(warnings), bool(asked), reason)
