"""What policy says about a plan, and what a person says to a question."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json, digest
from sayso.core.plan import Plan
from sayso.core.proposal import Proposal

Ruling = Literal["allow", "ask", "deny"]


class Verdict(Struct, frozen=True):
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


class Card(Struct, frozen=True):
    """What a person is shown of one action: all of it comes from the plan, only `label` from the model."""

    id: str
    index: int
    operation: str
    arguments: Mapping[str, Json]
    plan: Plan
    verdict: Verdict
    digest: str
    label: str | None = None
    """What the model calls it; None where it wrote nothing."""
    needs: tuple[int, ...] = ()
    """Which earlier cards of the question, by index, must happen so that this can."""
    template_id: str | None = None
    """Which of the person's own actions it is, where the proposal named one."""


class Question(Struct, frozen=True):
    """One question about everything of a run that would be done; a yes is for this digest, once."""

    run: str
    cards: tuple[Card, ...]
    digest: str
    dialect: str = ""
    """How the run was written, for whoever lets a person edit it."""
    edited: bool = False
    """Whether the person wrote this by editing an earlier question; nothing of it is approved by that."""
    stops: bool = False
    """Whether the rest is skipped when one of these fails (`stop_on_error`); else it goes on."""
    twice: frozenset[str] = frozenset()
    """The ids of what is destructive, where the person wants to be asked a second time after a yes (S2-49)."""

    @property
    def asking(self) -> tuple[Card, ...]:
        """Return the cards because of which the question is put."""
        return tuple(card for card in self.cards if card.verdict.ruling == "ask")

    @property
    def level(self) -> str:
        """Return `mode` when a mode answer suffices for all, else `floor`."""
        return "mode" if all(card.verdict.level == "mode" for card in self.asking) else "floor"

    def only(self, ids: Collection[str]) -> "Question":
        """Return the question about these cards alone, with the digest that a yes to them is bound to."""
        cards = tuple(card for card in self.cards if card.id in ids)
        return replace(self, cards=cards, digest=run_digest(card.digest for card in cards))

    def lacking(self, left_out: Collection[int]) -> dict[int, int]:
        """Return which of the other cards cannot happen without those left out, each with what it lacks first.

        Both are indices. What stands on such a card cannot happen either.
        """
        lacking: dict[int, int] = {}
        for card in self.cards:
            missing = [index for index in card.needs if index in left_out or index in lacking]
            if missing and card.index not in left_out:
                lacking[card.index] = min(missing)
        return lacking

    def yes(self, by: str, ids: Collection[str] | None = None) -> "Decision":
        """Return a yes to all of it or, with `ids`, to these actions alone."""
        if ids is None:
            return Decision(yes=True, by=by, digest=self.digest)
        asked = self.only(ids)
        return Decision(yes=True, by=by, digest=asked.digest, ticked=tuple(card.id for card in asked.cards))

    def no(self, by: str) -> "Decision":
        """Return a no to all of it."""
        return Decision(yes=False, by=by, digest=self.digest)

    def edit(self, by: str, proposals: Sequence[Proposal]) -> "Decision":
        """Return the wish that these proposals take the place of all of it; nothing is approved by that."""
        return Decision(yes=False, by=by, digest=self.digest, edit=tuple(proposals))


def run_digest(digests: Iterable[str]) -> str:
    """Return the digest of a whole run: over its actions' digests, in order."""
    return digest(list(digests))


class Decision(Struct, frozen=True):
    """A person's yes or no to exactly what was shown, bound to its digest.

    `by` is `flag`, `terminal`, `command`, `click`, `notification` or `client`. With `ticked` a yes is for
    these actions alone, and the digest is theirs (`Question.only`). With `edit` it is no yes, whatever `yes`
    says: these proposals are taken down the whole path in place of what was shown, and asked about as new.
    """

    yes: bool
    by: str
    digest: str
    ticked: tuple[str, ...] | None = None
    edit: tuple[Proposal, ...] | None = None
