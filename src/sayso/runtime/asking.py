"""Put one question about what would be done, and hold the answer to what was shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum

from sayso.core.plan import Plan
from sayso.core.ports import Approver
from sayso.core.record import Record
from sayso.core.verdict import Card, Question, Verdict
from sayso.runtime.tools import Tools, digest_of, moment, run_digest

CLOCK_SLACK = timedelta(minutes=5)
"""How far back the clock may have been set before what waits counts as expired (CR-05)."""


class Asked(Enum):
    """How a question ended."""

    YES = "yes"
    NO = "no"
    LATE = "late"
    NOBODY = "nobody"


@dataclass(frozen=True)
class Reply:
    """The answer, who gave it, and what is told about it when it is not a yes."""

    kind: Asked
    by: str | None = None
    sentence: str = ""
    code: str | None = None


async def ask(approver: Approver, run: str, records: Sequence[Record], tools: Tools) -> Reply:
    """Ask about these actions as one; a yes counts only for the digest that was shown, and in time."""
    if any(is_over(record, tools) for record in records):
        return _late()
    question = Question(run, tuple(card(record, tools) for record in records), run_digest(_digests(records)))
    decision = await approver.ask(question)
    if decision is None:
        return Reply(Asked.NOBODY)
    if any(is_over(record, tools) for record in records):
        return _late()
    if not decision.yes:
        return Reply(Asked.NO, decision.by, "you said no", "declined")
    if decision.digest != question.digest:
        return Reply(Asked.NO, decision.by, "the yes was for something else than what waits here", "digest.changed")
    return Reply(Asked.YES, decision.by)


def is_over(record: Record, tools: Tools) -> bool:
    """Say whether a waiting action's time is over; a clock set back does not make it wait for ever."""
    now = tools.clock.now()
    expires = record.expires
    return (expires is not None and now >= moment(expires)) or now < moment(record.time) - CLOCK_SLACK


def card(record: Record, tools: Tools) -> Card:
    """Return what a person is shown of a waiting action, from its plan alone."""
    operation = tools.catalogue.get(record.operation or "")
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
        record.digest or digest_of(record),
        record.label,
    )


def _digests(records: Sequence[Record]) -> list[str]:
    return [record.digest or digest_of(record) for record in records]


def _late() -> Reply:
    return Reply(Asked.LATE, None, "nobody answered in time; propose it again", "expired")
