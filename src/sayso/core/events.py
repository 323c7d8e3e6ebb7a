"""What a dialect's reader tells while a text streams in."""

from msgspec import Struct

from sayso.core.proposal import Proposal
from sayso.core.values import dataclass


class Text(Struct, frozen=True, gc=False):
    """Text that a person may be shown; it is only ever added to.

    There is one for each piece of a stream, and a struct is made in a fifth of the time.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal whose block has closed; it may carry a problem."""

    proposal: Proposal


@dataclass(frozen=True, slots=True)
class Warned:
    """Something in the text was not as it should be, but no proposal is concerned."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Clarification:
    """The model asks back instead of acting, with its reason if it gave one; nothing of its text is done (S4-11)."""

    reason: str | None = None


Event = Text | Proposed | Warned | Clarification
