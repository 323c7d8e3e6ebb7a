"""What became of one proposal: its record, and what a read found."""

from collections.abc import Mapping
from dataclasses import field
from typing import cast

from sayso.core.canonical import Json
from sayso.core.errors import Candidate
from sayso.core.record import Record, State
from sayso.core.values import dataclass


@dataclass(frozen=True)
class Outcome:
    """A record with what only the caller gets: what a read found, and `candidates`, are not journaled."""

    record: Record
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])
    text: str = ""
    candidates: tuple[Candidate, ...] = ()
    """What may have been meant by a name that fits nothing, or several things."""


@dataclass(frozen=True)
class Report:
    """One run: its id, and one outcome for each proposal, in order."""

    run: str
    dialect: str
    outcomes: tuple[Outcome, ...]
    dry_run: bool = False
    needs_clarification: bool = False
    clarification_reason: str | None = None
    warnings: tuple[str, ...] = ()
    edits: tuple["Report", ...] = ()
    """The runs that came of what the person edited instead of answering."""


def journaled(record: Record) -> Outcome:
    """Return what the journal alone tells of a record: what a read found is not in it."""
    if record.state in {State.DONE, State.UNDONE} and record.plan is not None:
        return Outcome(record, cast("Mapping[str, Json]", record.plan.get("data") or {}))
    return Outcome(record)
