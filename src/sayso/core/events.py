"""What a dialect's reader tells while a text streams in."""

from sayso.core.proposal import Proposal
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Text that a person may be shown; it is only ever added to."""

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
