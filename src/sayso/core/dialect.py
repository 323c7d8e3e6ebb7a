"""The interface of a dialect, which describes operations to a model and reads and writes proposals as text."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol, runtime_checkable

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.operation import Operation
from sayso.core.proposal import Proposal


class TextEvent(Struct, frozen=True, gc=False):
    """Text that may be shown to a person; text that was already shown never changes, later events only add to it.

    A stream makes one event for each piece of text, and creating a struct takes a fifth of the time of a dataclass.
    """

    text: str


class ProposalEvent(Struct, frozen=True):
    """A proposal that has been read to its end; it carries a problem when it is not valid."""

    proposal: Proposal


class WarningEvent(Struct, frozen=True):
    """Something in the text is malformed, but no proposal is affected by it."""

    sentence: str


class Clarification(Struct, frozen=True):
    """The model asks back instead of acting; no proposal in its text is done (S4-11).

    `reason` is why it asks, if it said so.
    """

    reason: str | None = None


Event = TextEvent | ProposalEvent | WarningEvent | Clarification


class Reader(Protocol):
    """Reads a text of one dialect piece by piece; it looks at that text and at nothing else."""

    def feed(self, chunk: str) -> list[Event]:
        """Take the next piece of text and return the events that no later text can change."""
        ...

    def close(self) -> list[Event]:
        """End the text and return the remaining events."""
        ...


class Dialect(Protocol):
    """One way of writing proposals."""

    name: str
    all_or_nothing: ClassVar[bool] = False
    """Whether one invalid proposal stops every other proposal in the text (T-103)."""
    exact_names: ClassVar[bool] = False
    """Whether names must match letter for letter (T-98)."""
    in_chat: ClassVar[bool] = False
    """Whether its blocks may appear in a chat reply together with blocks of other dialects."""

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader for a text of this dialect."""
        ...

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the prompt section that teaches a model these operations in this dialect."""
        ...

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Return text that `reader` reads as this proposal; raises `ProposalError` if the dialect cannot express it."""
        ...

    def remark(self, text: str) -> str:
        """Return text for a person that the reader skips; empty when the dialect has no place for such text."""
        ...

    def together(self, parts: Sequence[str]) -> str:
        """Return one text that the reader reads as all of these parts, in order.

        A part is a result of `write`, or a result of `remark` that is not empty.
        """
        ...


@runtime_checkable
class WritesInstances(Protocol):
    """A dialect that can propose the person's own actions, each by the id of its template."""

    def write_instance(self, template_id: str, params: Mapping[str, Json]) -> str:
        """Return text that the reader reads as a proposal of this action."""
        ...


@runtime_checkable
class EndsTexts(Protocol):
    """A dialect in which a text may stand on lines of its own, up to a line that holds only its end word."""

    def ending(self, word: str) -> Dialect:
        """Return this dialect with `word` as the only one that ends a text.

        An ask makes a new word each time, so that nothing that the model copies can hold it and end its own text.
        """
        ...


@runtime_checkable
class CanAskBack(Protocol):
    """A dialect in which a model can ask a question instead of acting; in other dialects, questions are plain text."""

    def clarify(self, reason: str, about: Sequence[Operation] = ()) -> str:
        """Return a complete reply that only asks the person; `about` lists the operations it asks about (S4-48)."""
        ...
