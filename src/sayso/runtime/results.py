"""Records as the JSON documents of the outside interface."""

from collections.abc import Mapping
from typing import cast

from sayso.core.canonical import Json
from sayso.core.record import SUCCESS, How, Record, State
from sayso.runtime.outcome import Outcome, Report, journaled


def report_json(report: Report) -> dict[str, Json]:
    """Return what `sayso run --json` prints."""
    return {
        "run": report.run,
        "dialect": report.dialect,
        "dry_run": report.dry_run,
        "needs_clarification": report.needs_clarification,
        "clarification_reason": report.clarification_reason,
        "results": [result_json(outcome) for outcome in report.outcomes],
        "warnings": list(report.warnings),
        "edits": [report_json(edit) for edit in report.edits],
    }


def result_json(outcome: Outcome) -> dict[str, Json]:
    """Return one result: what was proposed, what became of it, and how it can be taken back."""
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
        "code": marks.code,
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
        **result_json(journaled(record)),
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
    """Return the plan with what became of each change.

    Its preview is for the person's card alone: it holds what stands in files, and who reads this may be the proposer.
    """
    if record.plan is None:
        return None
    changes = cast("list[Mapping[str, Json]]", record.plan["changes"])
    shown: list[Json] = []
    for number, change in enumerate(changes):
        mark = record.marks.changes[number] if number < len(record.marks.changes) else None
        outcome = mark.outcome.value if mark else How.NOT_DONE.value
        shown.append({**change, "left": mark.left if mark else None, "outcome": outcome})
    rest = {
        name: record.plan[name] for name in ("summary", "loses", "sends", "warns", "on_failure") if name in record.plan
    }
    return {**rest, "changes": shown}


def has_way_back(record: Record) -> bool:
    """Say whether `sayso undo` can be asked to take this back."""
    if record.plan is None or record.undo_of is not None or record.state not in {State.DONE, State.FAILED}:
        return False
    changes = cast("list[Mapping[str, Mapping[str, Json]]]", record.plan["changes"])
    marks = record.marks.changes
    return any(
        mark.outcome is How.DONE and mark.left is not None and "step" in change["undo"]
        for change, mark in zip(changes, marks, strict=False)
    )


def _candidates(outcome: Outcome) -> dict[str, Json]:
    if not outcome.candidates:
        return {}
    return {"candidates": [{"name": one.name, "id": one.id, "where": one.where} for one in outcome.candidates]}


def _standing(state: State) -> str:
    return "waiting for your decision" if state is State.WAITING else f"{state.value}"
