"""The verdict of policy about a plan, and a person's decision about a question."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json, digest
from sayso.core.grant import GrantOffer
from sayso.core.plan import Plan
from sayso.core.proposal import Proposal

Ruling = Literal["allow", "ask", "deny"]


class Verdict(Struct, frozen=True):
    """A ruling with the name of its rule and the reason in one sentence.

    `level` says who may answer a question: at `mode` the person, `--yes` or a grant; at `floor` and `click` only the
    person.
    """

    ruling: Ruling
    because: str
    rule: str
    level: Literal["none", "mode", "floor", "click"] = "none"
    code: str = ""
    approved_by: str | None = None
    """`grant:ID` if a standing permission approved the action."""


class Card(Struct, frozen=True):
    """What a person is shown about one action; all of it comes from the plan, except `label`, which the model wrote."""

    id: str
    index: int
    operation: str
    arguments: Mapping[str, Json]
    plan: Plan
    verdict: Verdict
    digest: str
    label: str | None = None
    """The model's own name for the action; None if it wrote none."""
    needs: tuple[int, ...] = ()
    """The indices of earlier cards of the question that must be done before this one."""
    template_id: str | None = None
    """The id of the person's own action that the proposal named, if any."""
    said: Mapping[str, Json] | None = None
    """The arguments as sentences write them, with `~` for the person's home; None if they are written as they are."""


class Question(Struct, frozen=True):
    """One question about all actions of a run that are to be done; a yes is valid once, and only for this digest."""

    run: str
    cards: tuple[Card, ...]
    digest: str
    dialect: str = ""
    """The dialect of the run, for programs in which the person can edit the actions as text."""
    edited: bool = False
    """Whether the person wrote these actions by editing an earlier question; editing approves nothing."""
    stops: bool = False
    """Whether a failed action stops the rest (`stop_on_error`); otherwise the others are still done."""
    twice: frozenset[str] = frozenset()
    """The ids of destructive actions that need a second confirmation after the yes (S2-49)."""

    @property
    def asking(self) -> tuple[Card, ...]:
        """Return the cards that need an answer."""
        return tuple(card for card in self.cards if card.verdict.ruling == "ask")

    @property
    def level(self) -> str:
        """Return `mode` if an answer at that level is enough for all cards, otherwise `floor`."""
        return "mode" if all(card.verdict.level == "mode" for card in self.asking) else "floor"

    def only(self, ids: Collection[str]) -> "Question":
        """Return the question about only these cards, with the digest that a yes to them is bound to."""
        cards = tuple(card for card in self.cards if card.id in ids)
        return replace(self, cards=cards, digest=run_digest(card.digest for card in cards))

    def lacking(self, left_out: Collection[int]) -> dict[int, int]:
        """Return the other cards that cannot be done without those in `left_out`, each with the first card it lacks.

        Keys and values are indices of cards. Cards that need a card in the result are in the result too.
        """
        lacking: dict[int, int] = {}
        for card in self.cards:
            missing = [index for index in card.needs if index in left_out or index in lacking]
            if missing and card.index not in left_out:
                lacking[card.index] = min(missing)
        return lacking

    def yes(self, by: str, ids: Collection[str] | None = None) -> "Decision":
        """Return a yes to all actions or, with `ids`, to only these."""
        if ids is None:
            return Decision(yes=True, by=by, digest=self.digest)
        asked = self.only(ids)
        return Decision(yes=True, by=by, digest=asked.digest, ticked=tuple(card.id for card in asked.cards))

    def no(self, by: str, because: str = "") -> "Decision":
        """Return a no to all actions, with the person's reason, which the journal keeps and the model is told."""
        return Decision(yes=False, by=by, digest=self.digest, because=because)

    def edit(self, by: str, proposals: Sequence[Proposal]) -> "Decision":
        """Return the decision to replace all actions by these proposals; it approves nothing."""
        return Decision(yes=False, by=by, digest=self.digest, edit=tuple(proposals))


def run_digest(digests: Iterable[str]) -> str:
    """Return the digest of a run, made from the digests of its actions in order."""
    return digest(list(digests))


class Decision(Struct, frozen=True):
    """A person's yes or no to exactly what was shown, bound to its digest.

    `by` is `flag`, `terminal`, `command`, `click`, `notification`, `form`, `editor` or `client`. With `ticked`, a yes
    is only for these actions, and the digest is that of `Question.only`. With `edit`, the decision is never a yes,
    whatever `yes` says: the proposals replace what was shown, and the person is asked about them as a new run.
    """

    yes: bool
    by: str
    digest: str
    ticked: tuple[str, ...] | None = None
    edit: tuple[Proposal, ...] | None = None
    because: str = ""
    """With a no, the person's reason in their own words."""
    permits: tuple[GrantOffer, ...] = ()
    """With a yes, the standing permissions that the person was shown and gave, for once these actions are done."""
