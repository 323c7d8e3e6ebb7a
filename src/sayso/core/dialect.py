"""What a dialect is: it describes operations to a model, reads proposals from a reply, and writes them."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol, runtime_checkable

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.operation import Operation
from sayso.core.proposal import Proposal


class TextEvent(Struct, frozen=True, gc=False):
    """Text that a person may be shown; it is only ever added to.

    There is one for each piece of a stream, and a struct is made in a fifth of the time.
    """

    text: str


class ProposalEvent(Struct, frozen=True):
    """A proposal whose block has closed; it may carry a problem."""

    proposal: Proposal


class WarningEvent(Struct, frozen=True):
    """Something in the text was not as it should be, but no proposal is concerned."""

    sentence: str


class Clarification(Struct, frozen=True):
    """The model asks back instead of acting, with its reason if it gave one; nothing of its text is done (S4-11)."""

    reason: str | None = None


Event = TextEvent | ProposalEvent | WarningEvent | Clarification


class Reader(Protocol):
    """A dialect's incremental reader; it touches nothing but the text it is fed."""

    def feed(self, chunk: str) -> list[Event]:
        """Take the next piece of text and return what is certain by now."""
        ...

    def close(self) -> list[Event]:
        """Say that the text has ended and return what is left."""
        ...


class Dialect(Protocol):
    """One way of writing proposals."""

    name: str
    batch: ClassVar[bool] = False
    """Its text is one batch; in others each proposal stands for itself."""
    all_or_nothing: ClassVar[bool] = False
    """Nothing of a text runs when one proposal is invalid (T-103)."""
    exact_names: ClassVar[bool] = False
    """A name is taken letter for letter (T-98)."""
    in_chat: ClassVar[bool] = False
    """Its blocks may stand in a chat reply beside those of other dialects."""

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader for a text of this dialect."""
        ...

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the prompt section that teaches a model these operations in this dialect."""
        ...

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Return the text that reads back as this; raises `ProposalError` for what the dialect cannot say."""
        ...

    def remark(self, text: str) -> str:
        """Return words to a person as a part that the reader passes over; empty where the dialect has no place."""
        ...

    def together(self, parts: Sequence[str]) -> str:
        """Return one text that reads back as all that `write` wrote in these parts, in their order.

        Among them may be what `remark` returned, unless that is empty.
        """
        ...


@runtime_checkable
class WritesInstances(Protocol):
    """A dialect that names the person's own actions, each by its template."""

    def write_instance(self, template_id: str, params: Mapping[str, Json]) -> str:
        """Return the text that reads back as a wish for this action."""
        ...


@runtime_checkable
class CanAskBack(Protocol):
    """A dialect with a way of asking back instead of acting; in the others a question is words alone."""

    def clarify(self, reason: str, about: Sequence[Operation] = ()) -> str:
        """Return a whole reply that does nothing and asks the person; `about` are the operations in doubt (S4-48)."""
        ...
