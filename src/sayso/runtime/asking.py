"""Put one question about what would be done, and hold the answer to what was shown."""

from collections.abc import Sequence
from datetime import timedelta
from enum import Enum, auto

from sayso.core.plan import Plan
from sayso.core.ports import Approver
from sayso.core.proposal import Proposal
from sayso.core.record import Record
from sayso.core.values import dataclass
from sayso.core.verdict import Card, Decision, Question, Verdict, run_digest
from sayso.runtime.leaving_out import needs_of
from sayso.runtime.prepared import Prepared
from sayso.runtime.tools import Tools, digest_of, moment

CLOCK_SLACK = timedelta(minutes=5)
"""How far back the clock may have been set before what waits counts as expired (CR-05)."""


class Asked(Enum):
    """How a question ended."""

    YES = auto()
    NO = auto()
    EDITED = auto()
    LATE = auto()
    NOBODY = auto()


@dataclass(frozen=True)
class Reply:
    """The answer, who gave it, and what is told about it when it is not a yes."""

    kind: Asked
    by: str | None = None
    sentence: str = ""
    code: str | None = None
    ticked: tuple[str, ...] = ()
    """The actions that a yes is for."""
    edit: tuple[Proposal, ...] = ()
    """What is to be taken down the path instead."""


async def ask(approver: Approver, question: Question, records: Sequence[Record], tools: Tools) -> Reply:
    """Ask about these actions as one; a yes counts only for the digest that was shown, and in time."""
    if any(is_over(record, tools) for record in records):
        return _late()
    decision = await approver.ask(question)
    if decision is None:
        return Reply(Asked.NOBODY)
    if any(is_over(record, tools) for record in records):
        return _late()
    return _reply(question, decision)


def _reply(question: Question, decision: Decision) -> Reply:
    if not decision.yes and decision.edit is None:
        return Reply(Asked.NO, decision.by, "you said no", "declined")
    answered = _answered(question, decision)
    if decision.digest != answered.digest:
        what = "yes" if decision.edit is None else "edit"
        return Reply(Asked.NO, decision.by, f"the {what} was for something else than what waits here", "digest.changed")
    if decision.edit is not None:
        # An edit is never a yes too, whatever came with it (AV-10); one that leaves nothing is a no.
        return Reply(Asked.EDITED, decision.by, edit=decision.edit) if decision.edit else _nothing(decision.by)
    return Reply(Asked.YES, decision.by, ticked=tuple(card.id for card in answered.cards))


def _answered(question: Question, decision: Decision) -> Question:
    if decision.edit is not None or decision.ticked is None:
        return question
    return question.only(decision.ticked)


def _nothing(by: str) -> Reply:
    return Reply(Asked.NO, by, "you took everything out", "declined")


def question_about(items: Sequence[Prepared], tools: Tools) -> Question:
    """Return the one question about actions that wait."""
    needs = needs_of(items)
    cards = tuple(card(item.record, tools, _seen(item), needs[item.record.index]) for item in items)
    first, policy = items[0].record, tools.policy()
    destructive = (item.record.id for item in items if item.operation and item.operation.kind == "destructive")
    return Question(
        first.run,
        cards,
        run_digest(card.digest for card in cards),
        first.dialect,
        edited=first.edit_of is not None,
        stops=policy.stop_on_error or first.code_hash is not None,
        twice=frozenset(destructive if policy.confirm_destructive_clicks else ()),
    )


def is_over(record: Record, tools: Tools) -> bool:
    """Say whether a waiting action's time is over; a clock set back does not make it wait for ever."""
    now = tools.clock.now()
    expires = record.expires
    return (expires is not None and now >= moment(expires)) or now < moment(record.time) - CLOCK_SLACK


def _seen(item: Prepared) -> Plan | None:
    """Return the plan that the record's document was written from just now; None when it was read back."""
    basis = item.basis
    return basis.plan if basis is not None and item.record.plan is basis.document else None


def card(record: Record, tools: Tools, plan: Plan | None = None, needs: tuple[int, ...] = ()) -> Card:
    """Return what a person is shown of a waiting action, from its plan alone; `plan` is what its document says."""
    operation = tools.catalogue.get(record.operation or "")
    if plan is None:
        summary = operation.summary if operation else str(record.operation)
        plan = tools.codec.plan(record.plan) if record.plan else Plan(summary)
    verdict = record.verdict or Verdict("ask", "nothing is known about why it waits", "unknown", "floor")
    return Card(
        record.id,
        record.index,
        record.operation or "",
        record.arguments,
        plan,
        verdict,
        record.digest or digest_of(record, tools.catalogue),
        None if record.label_by_us else record.label,
        needs,
        record.template_id,
    )


def _late() -> Reply:
    return Reply(Asked.LATE, None, "nobody answered in time; propose it again", "expired")
