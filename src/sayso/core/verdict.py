"""What policy says about a plan, and what a person says to a question."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sayso.core.canonical import Json
from sayso.core.plan import Plan

Ruling = Literal["allow", "ask", "deny"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A ruling with the rule's name and a reason in one sentence.

    `level` says what a question must be answered by: a `mode` question also by `--yes` or a grant, a
    `floor` or `click` question only by the person.
    """

    ruling: Ruling
    because: str
    rule: str
    level: Literal["none", "mode", "floor", "click"] = "none"
    code: str = ""
    approved_by: str | None = None
    """`grant:ID` when a standing permission turned a question into a yes."""


@dataclass(frozen=True, slots=True)
class Card:
    """What a person is shown of one action: all of it comes from the plan, only `label` from the model."""

    id: str
    index: int
    operation: str
    arguments: Mapping[str, Json]
    plan: Plan
    verdict: Verdict
    digest: str
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One question about everything of a run that would be done; a yes is for this digest, once."""

    run: str
    cards: tuple[Card, ...]
    digest: str

    @property
    def asking(self) -> tuple[Card, ...]:
        """Return the cards because of which the question is put."""
        return tuple(card for card in self.cards if card.verdict.ruling == "ask")

    @property
    def level(self) -> str:
        """Return `mode` when a mode answer suffices for all, else `floor`."""
        return "mode" if all(card.verdict.level == "mode" for card in self.asking) else "floor"


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's yes or no to exactly what was shown, bound to its digest.

    `by` is `flag`, `terminal`, `command`, `click`, `notification` or `client`.
    """

    yes: bool
    by: str
    digest: str
