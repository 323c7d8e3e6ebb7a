"""What waits for the person as cards of the page, and the yes or no that the person gives there."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sayso.assembly import Home
from sayso.core.decision import Card as ActionCard
from sayso.core.decision import Decision, Question
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, SaysoError, Stale
from sayso.core.grant import GrantOffer
from sayso.core.proposal import Proposal
from sayso.core.record import Record, State
from sayso.runtime.results import ReportDocument, report_document
from sayso.surfaces.web.card_answers import Card
from sayso.surfaces.web.cards import card, digest_of
from sayso.surfaces.web.visitors import Nonces, Shown

BY = "click"


class Answer(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends: a yes or a no to exactly what it showed."""

    run: str
    digest: str
    nonce: str
    answer: str
    leave_out: tuple[str, ...] = ()
    reason: str = ""
    sure: bool = False
    """Whether the person confirmed once more that something is taken away (S2-49)."""
    permits: tuple[str, ...] = ()
    """With a yes, the digests of the standing permissions that the person was shown and gives."""


class Edit(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends to replace arguments of what it showed; it approves nothing."""

    run: str
    digest: str
    nonce: str
    edits: dict[str, dict[str, Json]]
    """The new arguments of actions, by the ids of these."""
    leave_out: tuple[str, ...] = ()


class NotDecided(SaysoError):
    """The answer did not count, and nothing was done."""


def runs_of(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Return the waiting actions by run, in order; the run that was asked about last comes first."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record.run, []).append(record)
    return {run: sorted(of, key=lambda record: record.index) for run, of in found.items()}


class OneAnswer:
    """An approver that gives the person's answer if the question is exactly what the page showed."""

    def __init__(self, answer: Answer, ids: Sequence[str], permits: Sequence[GrantOffer] = ()) -> None:
        self._answer = answer
        self._ids = list(ids)
        self._permits = tuple(permits)
        self.not_said: NotDecided | None = None

    async def ask(self, question: Question) -> Decision | None:
        """Return the yes; None, so that all of it still waits, if it would not count or be sure enough."""
        if question.digest != self._answer.digest or [one.id for one in question.cards] != self._ids:
            self.not_said = changed()
            return None
        going = [id_ for id_ in self._ids if id_ not in self._answer.leave_out]
        if not self._answer.sure and question.twice.intersection(going):
            self.not_said = not_sure()
            return None
        return replace(question.yes(BY, going), permits=self._permits)


class OneEdit:
    """An approver that replaces what the page showed by the person's edit of it, once, and answers nothing else."""

    def __init__(self, edit: Edit) -> None:
        self._edit: Edit | None = edit
        self.done = False

    async def ask(self, question: Question) -> Decision | None:
        """Return the edit if the question is exactly what the page showed; None for what came of the edit."""
        edit, self._edit = self._edit, None
        if edit is None or question.digest != edit.digest:
            return None
        self.done = True
        kept = [card for card in question.cards if card.id not in edit.leave_out]
        return question.edit(BY, [_edited(card, edit, index) for index, card in enumerate(kept)])


def _edited(card: ActionCard, edit: Edit, index: int) -> Proposal:
    arguments = edit.edits.get(card.id, card.arguments)
    if card.template_id is not None:
        return Proposal(index, "", arguments=arguments, template_id=card.template_id)
    return Proposal(index, "", card.operation, arguments, label=card.label)


def changed() -> NotDecided:
    """Return what is said when something else waits than what was shown."""
    return NotDecided("what waits is no longer what was shown; look at it as it is now", "page.changed")


def not_sure() -> NotDecided:
    """Return what is said when a second yes is missing."""
    return NotDecided("this takes something away; confirm it once more", "page.twice")


class Decider:
    """Shows what waits to visitors, and does what they answer."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._nonces = Nonces(home.ids)

    async def waiting(self, visitor: str) -> list[Card]:
        """Return the cards of all that waits, with the words by which this visitor can answer them."""
        runs = runs_of(await self._home.pending())
        return [
            await card(self._home, of, self._nonces.give(Shown(visitor, run, digest_of(of))))
            for run, of in runs.items()
        ]

    async def decide(self, visitor: str, answer: Answer) -> ReportDocument:
        """Do what the person answered, and return the results. Raises `NotDecided` if the answer did not count."""
        waiting = runs_of(await self._home.pending()).get(answer.run, [])
        ids = [record.id for record in waiting]
        if not waiting:
            raise await self._answered(answer.run)
        if digest_of(waiting) != answer.digest:
            raise changed()
        if answer.answer not in {"yes", "no"} or not set(answer.leave_out) < set(ids):
            raise NotDecided("the answer is yes or no, and leaves out some of what waits, not all", "page.request")
        if answer.answer == "yes":
            self._home.settings.policy.must_go_on()
        if not self._nonces.take(Shown(visitor, answer.run, answer.digest), answer.nonce):
            raise NotDecided("this answer was used before, or is not from where it was shown", "page.nonce")
        permits = await self._permits(answer, [id_ for id_ in ids if id_ not in answer.leave_out])
        approver = OneAnswer(answer, ids, permits)
        try:
            if answer.answer == "no":
                report = await self._home.decline(answer.run, BY, answer.reason)
            else:
                report = await self._home.approve(answer.run, approver)
        except (ProposalError, Stale) as gone:
            raise await self._answered(answer.run) from gone
        if approver.not_said is not None:
            raise approver.not_said
        if report.outcomes and all(outcome.elsewhere for outcome in report.outcomes):
            raise await self._answered(answer.run)
        return report_document(report)

    async def edit(self, visitor: str, edit: Edit) -> ReportDocument:
        """Replace what waits by the person's edit of it, about which they are asked anew; return the new run.

        Raises `NotDecided` if something else waits by now, and `ProposalError` if an argument is not valid.
        """
        waiting = runs_of(await self._home.pending()).get(edit.run, [])
        if not waiting:
            raise await self._answered(edit.run)
        ids = {record.id for record in waiting}
        if digest_of(waiting) != edit.digest or not {*edit.edits} <= ids:
            raise changed()
        if not {*edit.leave_out} < ids:
            raise NotDecided("an edit leaves out some of what waits, not all", "page.request")
        for record in waiting:
            if record.id in edit.edits:
                self._check(record, edit.edits[record.id])
        self._home.settings.policy.must_go_on()
        if not self._nonces.take(Shown(visitor, edit.run, edit.digest), edit.nonce):
            raise NotDecided("this edit was sent before, or is not from where it was shown", "page.nonce")
        approver = OneEdit(edit)
        try:
            report = await self._home.approve(edit.run, approver)
        except (ProposalError, Stale) as gone:
            raise await self._answered(edit.run) from gone
        if not approver.done:
            raise changed()
        return report_document(report)

    def _check(self, record: Record, arguments: Mapping[str, Json]) -> None:
        operation = self._home.operations.get(record.operation or "")
        problems = operation.check(arguments)[1] if operation and record.template_id is None else []
        if problems:
            raise ProposalError("; ".join(problem.sentence for problem in problems), "page.arguments")

    async def _permits(self, answer: Answer, going: Sequence[str]) -> list[GrantOffer]:
        """Return the permissions that the person gives. Raises `NotDecided` if they would be other ones by now."""
        if not answer.permits or answer.answer != "yes":
            return []
        offers = {offer.digest: offer for offer in await self._home.grants.foresee(going)}
        if not {*answer.permits} <= {*offers}:
            raise changed()
        return [offers[digest] for digest in answer.permits]

    async def _answered(self, run: str) -> NotDecided:
        """Return what a loser of a race is told: how it ended, and by what it was decided."""
        records = await self._home.log_of(run) if run.startswith("run_") else []
        if not records:
            return NotDecided("nothing like this waits here", "page.answered")
        ways = sorted({record.marks.approved_by for record in records if record.marks.approved_by})
        expired = any(record.state is State.EXPIRED for record in records)
        how = "it expired before it was answered" if expired else "this was answered already"
        return NotDecided(f"{how} ({', '.join(ways)})" if ways else how, "page.answered")
