"""Hold a standing permission against the history: what it would have allowed, and what it would have left asked."""

from collections.abc import Sequence
from dataclasses import field
from typing import Literal

from sayso.core.grant import Grant
from sayso.core.ports import Query
from sayso.core.record import Record, State
from sayso.core.values import dataclass
from sayso.policy.grants import why_not
from sayso.runtime.learning import PERSONS, Lesson, as_case
from sayso.runtime.tools import Tools

LOOKED_AT = 1000
"""Actions of the history that are looked at, the newest."""

Answer = Literal["allowed", "asked"]


@dataclass(frozen=True)
class Tried:
    """One past action that the mode asked about: the permission would have allowed it, or this is why not."""

    record: Record
    answer: Answer
    why: str = ""
    you_said_no: bool = False
    """A person said no to it: a permission that would have allowed it is too wide."""


@dataclass(frozen=True)
class Trial:
    """What a permission would have done with the history, newest first; its end and its uses are left aside."""

    tried: tuple[Tried, ...] = field(default=())
    looked_at: int = 0
    """How many actions of the operation were looked at; what nobody was asked about is not tried."""

    @property
    def allowed(self) -> tuple[Tried, ...]:
        """Return what it would have allowed."""
        return tuple(one for one in self.tried if one.answer == "allowed")

    @property
    def asked(self) -> tuple[Tried, ...]:
        """Return what it would have left asked."""
        return tuple(one for one in self.tried if one.answer == "asked")

    @property
    def against_you(self) -> tuple[Tried, ...]:
        """Return what it would have allowed, though you said no."""
        return tuple(one for one in self.allowed if one.you_said_no)


async def trial(grant: Grant, tools: Tools, most: int = LOOKED_AT) -> Trial:
    """Return what a permission would have done with the newest actions of its operation."""
    records = await tools.journal.query(Query(limit=most, operation=_literally(grant.operation)))
    return on_history(grant, records, tools)


def on_history(grant: Grant, records: Sequence[Record], tools: Tools) -> Trial:
    """Return what a permission would have done with these actions."""
    tried = [one for record in records if (one := _tried(grant, record, tools)) is not None]
    return Trial(tuple(tried), len(records))


def _tried(grant: Grant, record: Record, tools: Tools) -> Tried | None:
    if record.undo_of is not None or record.dry_run or record.operation != grant.operation:
        return None
    verdict, no = record.verdict, record.state is State.DECLINED and record.marks.approved_by in PERSONS
    if verdict is None or not (verdict.ruling == "ask" or verdict.approved_by is not None):
        return None
    if verdict.ruling == "ask" and verdict.level != "mode":
        return Tried(record, "asked", verdict.because, no)
    found = as_case(record, tools)
    why = "nothing here knows it any more" if found is None else why_like(grant, found)
    return Tried(record, "allowed" if why is None else "asked", why or "", no)


def why_like(grant: Grant, lesson: Lesson) -> str | None:
    """Say why a past action is not like the one a permission was given for; None when it is."""
    return why_not(grant, lesson.case, lesson.standing)


def _literally(operation: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in operation)
