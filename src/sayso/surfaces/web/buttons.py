"""The person's yes or no to actions of a conversation by their buttons, one or several at once (S2-28 to S2-51)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from sayso.assembly import Home
from sayso.core.decision import Decision, Question
from sayso.core.errors import ProposalError, Stale
from sayso.core.record import Record, State
from sayso.runtime.results import Outcome, Report, ResultDocument, report_document
from sayso.surfaces.web.decisions import BY, NotDecided, changed, not_sure
from sayso.surfaces.web.sessions import shown_as
from sayso.surfaces.web.visitors import Nonces

MOST = 500


class Taken(Struct, frozen=True, forbid_unknown_fields=True):
    """One action that the person answered, as its button showed it."""

    id: str
    digest: str
    nonce: str


class Take(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends: a yes or a no to actions of a conversation, in the order in which they are shown."""

    take: Annotated[Sequence[Taken], Meta(min_length=1, max_length=MOST)]
    answer: Literal["yes", "no"]
    reason: str = ""
    sure: bool = False
    """Whether the person confirmed once more that something is taken away (S2-49)."""


class Buttons:
    """Does what the person answers by buttons; an answer counts for what the button showed, and once."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.nonces = Nonces(home.ids)

    async def take(self, session: str, visitor: str, asked: Take) -> Sequence[ResultDocument]:
        """Return the results in the order asked. Raises `NotDecided` if the answer did not count; nothing is done then.

        Of several runs, each is asked about and carried out by itself, the first first.
        """
        records = [await self._shown(session, one) for one in asked.take]
        if asked.answer == "yes":
            self._home.settings.policy.must_go_on()
        known = zip(records, asked.take, strict=True)
        if not all(self.nonces.take(shown_as(visitor, record), one.nonce) for record, one in known):
            raise NotDecided("this answer was used before, or is not from where it was shown", "page.nonce")
        ids = list(dict.fromkeys(record.id for record in records))
        approver = ShownApprover({one.id: one.digest for one in asked.take}, sure=asked.sure)
        try:
            if asked.answer == "no":
                reports = [await self._home.decline(id_, BY, asked.reason) for id_ in ids]
            else:
                reports = await self._approve(ids, approver)
        except (ProposalError, Stale) as gone:
            if gone.code in {"action.not_waiting", "action.unknown", "journal.stale"}:
                raise NotDecided("this was answered already, or its time is over", "page.answered") from gone
            raise
        if approver.not_said is not None:
            raise approver.not_said
        return in_order(ids, reports)

    async def _approve(self, ids: Sequence[str], approver: "ShownApprover") -> list[Report]:
        if not approver.sure:
            await self._must_be_sure(ids)
        return await self._home.approve_all(ids, approver)

    async def _must_be_sure(self, ids: Sequence[str]) -> None:
        """Raise `NotDecided` if the settings want a second yes to one of these actions, before any is done."""
        policy = self._home.settings.policy
        if not policy.confirm_destructive_clicks:
            return
        for id_ in ids:
            (record,) = await self._home.log_of(id_)
            operation = self._home.operations.get(record.operation or "")
            if operation is not None and operation.kind == "destructive":
                raise not_sure()

    async def _shown(self, session: str, one: Taken) -> Record:
        """Return the action that a button was for, if it still waits as it was shown. Raises `NotDecided`."""
        found = await self._home.log_of(one.id) if one.id.startswith("do_") else []
        if len(found) != 1 or found[0].session != session:
            raise NotDecided("nothing like this waits in this conversation", "page.answered")
        if found[0].state is not State.WAITING:
            by = found[0].marks.approved_by
            raise NotDecided(f"this was answered already{f' ({by})' if by else ''}", "page.answered")
        if found[0].digest != one.digest:
            raise changed()
        return found[0]


class ShownApprover:
    """An approver that says yes to actions whose digests the page showed, and to nothing else."""

    def __init__(self, shown: Mapping[str, str], *, sure: bool) -> None:
        self._shown = shown
        self.sure = sure
        self.not_said: NotDecided | None = None

    async def ask(self, question: Question) -> Decision | None:
        """Return the yes; None, so that all of it still waits, if something in the question was not shown so."""
        if any(self._shown.get(card.id) != card.digest for card in question.cards):
            self.not_said = changed()
            return None
        if question.twice and not self.sure:
            self.not_said = not_sure()
            return None
        return question.yes(BY, [card.id for card in question.cards])


def in_order(ids: Sequence[str], reports: Sequence[Report]) -> Sequence[ResultDocument]:
    """Return the results of these actions in this order."""
    outcomes: dict[str, Outcome] = {one.record.id: one for report in reports for one in report.outcomes}
    whole = Report("", "", tuple(outcomes[id_] for id_ in ids if id_ in outcomes))
    return report_document(whole).results
