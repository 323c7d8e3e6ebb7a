"""Which actions a standing permission may be learnt from: done, verified, not taken back, and approved by a person."""

from typing import cast

from sayso.core.canonical import Json
from sayso.core.errors import Refused, SaysoError
from sayso.core.plan import Plan
from sayso.core.record import How, Record, State
from sayso.core.values import dataclass
from sayso.policy.granting import never
from sayso.policy.grants import Standing
from sayso.policy.opinions import Case
from sayso.runtime.tools import Tools, digest_of

PERSONS = frozenset({"terminal", "click", "command", "notification", "client"})
"""Who looks at what they say yes to; a flag, a rule and a permission do not."""


@dataclass(frozen=True)
class Lesson:
    """An action as something to learn from: what it was about, and what served it."""

    record: Record
    case: Case
    plan: Plan
    standing: Standing


def lesson(record: Record, tools: Tools) -> Lesson:
    """Return what can be learnt from an action. Raises `Refused` with the reason when nothing can."""
    why = _why_not_success(record) or _why_not_said(record) or _why_not_verified(record, tools)
    if why is not None:
        raise _refused(record, why)
    found = as_case(record, tools)
    if found is None:
        raise _refused(record, "nothing here knows it any more")
    wrong = never(found.case, record.verdict)
    if wrong is not None:
        raise wrong
    return found


def as_case(record: Record, tools: Tools) -> Lesson | None:
    """Return a row of the history as a case for judging; None for what has no plan, or no operation any more."""
    operation = tools.catalogue.get(record.operation or "")
    if operation is None or record.plan is None:
        return None
    try:
        plan = tools.codec.plan(record.plan)
    except SaysoError:
        return None
    case = Case(tools.policy(), operation, record.arguments, plan)
    return Lesson(record, case, plan, Standing((), tools.now(), record.backends, record.code_hash))


def _refused(record: Record, why: str) -> Refused:
    return Refused(f"nothing is learnt from “{record.id}”: {why}", "grant.not_learnt", "grants")


def _why_not_success(record: Record) -> str | None:
    if record.dry_run:
        return "it was a dry run"
    if record.undo_of is not None:
        return "it took something back"
    if record.state is State.UNDONE or record.marks.undone_by is not None:
        return "it was taken back"
    if record.state is not State.DONE:
        return f"it is {record.state.value}, and only what was done teaches"
    return None


def _why_not_said(record: Record) -> str | None:
    by = record.marks.approved_by
    if by in PERSONS:
        return None
    if by is None:
        return "nobody was asked about it"
    if by == "flag":
        return "a flag said yes to it, and nobody looked at it"
    return f"it was approved by {by}, and not by you"


def _why_not_verified(record: Record, tools: Tools) -> str | None:
    """Say what is missing of the proof that the world is as the plan said it would be."""
    if record.plan is None or digest_of(record, tools.catalogue) != record.digest:
        return "parts of it are left out of the journal, so what was done is not known whole"
    changes = cast("list[Json]", record.plan["changes"])
    marks = record.marks.changes
    if not changes or len(marks) != len(changes) or any(mark.outcome is not How.DONE for mark in marks):
        return "not everything it was about to do was done"
    if any(mark.left is None for mark in marks):
        return "that it was done is your word, and was not seen"
    if any(not mark.left for mark in marks):
        return "it left nothing that could be looked at afterwards, so it is not verified"
    return None
