"""Results of actions as the JSON that sayso prints and returns (docs/reference/documents.md)."""

from collections.abc import Mapping
from typing import cast

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import Candidate
from sayso.core.plan import Codec
from sayso.core.record import SUCCESS, Record, State, StepOutcome

EDITED = "edit.replaced"
"""Code of a waiting action that the person edited; its result is in another run."""


class Outcome(Struct, frozen=True):
    """A record, with the results that only the caller gets: `data`, `text` and `candidates` are not journaled."""

    record: Record
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])
    text: str = ""
    candidates: tuple[Candidate, ...] = ()
    """The things that a name in the proposal may mean, if the name fits none or several of them."""
    elsewhere: bool = False
    """Whether another process decided this while the question was open here, so that the answer here did not count."""
    within: "Report | None" = None
    """The run of what the handler of the person's own action requested; None for all other actions."""


class Report(Struct, frozen=True):
    """One run: its id, and one outcome for each proposal, in order."""

    run: str
    dialect: str
    outcomes: tuple[Outcome, ...]
    dry_run: bool = False
    needs_clarification: bool = False
    clarification_reason: str | None = None
    warnings: tuple[str, ...] = ()
    edits: tuple["Report", ...] = ()
    """The runs of the actions that the person edited instead of answering."""
    said: str = ""
    """What the person's own action says that requested this run, once it has ended."""
    asks_about_nothing: bool = False
    """True if what needs clarification names no operation, as the answer to a greeting does."""


def journaled_outcome(record: Record) -> Outcome:
    """Return the outcome of a record from the journal; it lacks what an operation read, which is not journaled."""
    if record.state in {State.DONE, State.UNDONE} and record.plan is not None:
        return Outcome(record, cast("Mapping[str, Json]", record.plan.get("data") or {}))
    return Outcome(record)


def with_reply(outcome: Outcome, codec: Codec) -> Outcome:
    """Return the outcome of a completed action with what its changes answered, such as the reply to a request."""
    record = outcome.record
    if record.state is not State.DONE:
        return outcome
    facts = (fact for mark in record.marks.changes if mark.left for fact in codec.left(mark.left).facts)
    for answer in (fact.answer for fact in facts):
        if answer is not None:
            outcome = replace(outcome, data={**outcome.data, **answer.data}, text=outcome.text or answer.text)
    return outcome


def report_json(report: Report) -> dict[str, Json]:
    """Return what `sayso run --json` prints."""
    return {
        "run": report.run,
        "dialect": report.dialect,
        "dry_run": report.dry_run,
        "needs_clarification": report.needs_clarification,
        "clarification_reason": report.clarification_reason,
        "results": [_with_its_run(outcome) for outcome in report.outcomes],
        "warnings": list(report.warnings),
        "edits": [report_json(edit) for edit in report.edits],
    }


def _with_its_run(outcome: Outcome) -> dict[str, Json]:
    within = {} if outcome.within is None else {"within": report_json(outcome.within)}
    return {**result_json(outcome), **within}


def result_json(outcome: Outcome) -> dict[str, Json]:
    """Return one result as JSON: the proposal, its outcome, and the id with which `sayso undo` takes it back."""
    record = outcome.record
    marks, verdict = record.marks, record.verdict
    return {
        "id": record.id,
        "index": record.index,
        "operation": record.operation,
        "arguments": dict(record.arguments),
        "label": record.label,
        "state": record.state.value,
        "success": record.state in SUCCESS,
        "message": marks.message if record.state in SUCCESS else None,
        "error": None if record.state in SUCCESS else marks.error or _standing(record.state),
        "code": "decided.elsewhere" if outcome.elsewhere else marks.code,
        "data": {**outcome.data, **_candidates(outcome)},
        "text": outcome.text or None,
        "plan": plan_shown(record),
        "verdict": verdict and {"ruling": verdict.ruling, "because": verdict.because, "rule": verdict.rule},
        "digest": record.digest,
        "approved_by": marks.approved_by,
        "undo": record.id if has_way_back(record) else None,
        "undo_of": record.undo_of,
        "edit_of": record.edit_of,
        "duration_ms": marks.duration_ms,
    }


def row_json(record: Record) -> dict[str, Json]:
    """Return one row of `sayso log` and `sayso pending`."""
    return {
        **result_json(journaled_outcome(record)),
        "time": record.time,
        "run": record.run,
        "dialect": record.dialect,
        "entry": record.entry,
        "session": record.session,
        "dry_run": record.dry_run,
        "expires": record.expires if record.state is State.WAITING else None,
        "decided_at": record.marks.decided_at,
        "ended_at": record.marks.ended_at,
        "policy": record.policy,
        "backends": dict(record.backends),
        "said": record.said or None,
        "exposed": [*record.exposed],
    }


def plan_shown(record: Record) -> dict[str, Json] | None:
    """Return the plan as JSON, with the outcome of each change.

    The preview is left out: it may hold the content of files, which only the person may see, and the reader of this
    result may be the model.
    """
    if record.plan is None:
        return None
    changes = cast("list[Mapping[str, Json]]", record.plan["changes"])
    shown: list[Json] = []
    for number, change in enumerate(changes):
        mark = record.marks.changes[number] if number < len(record.marks.changes) else None
        outcome = mark.outcome.value if mark else StepOutcome.NOT_DONE.value
        shown.append({**change, "left": mark.left if mark else None, "outcome": outcome})
    rest = {
        name: record.plan[name] for name in ("summary", "loses", "sends", "warns", "on_failure") if name in record.plan
    }
    return {**rest, "changes": shown}


def has_way_back(record: Record) -> bool:
    """Return whether `sayso undo` can take this action back."""
    if record.plan is None or record.undo_of is not None or record.state not in {State.DONE, State.FAILED}:
        return False
    changes = cast("list[Mapping[str, Mapping[str, Json]]]", record.plan["changes"])
    marks = record.marks.changes
    return any(
        mark.outcome is StepOutcome.DONE and mark.left is not None and "step" in change["undo"]
        for change, mark in zip(changes, marks, strict=False)
    )


def _candidates(outcome: Outcome) -> dict[str, Json]:
    if not outcome.candidates:
        return {}
    return {"candidates": [{"name": one.name, "id": one.id, "where": one.where} for one in outcome.candidates]}


def _standing(state: State) -> str:
    return "waiting for your decision" if state is State.WAITING else f"{state.value}"
