"""Results of actions as the JSON that sayso prints and returns (docs/reference/documents.md)."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from msgspec import UNSET, Struct, UnsetType, field, to_builtins
from msgspec.structs import asdict, replace

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


class Document(Struct, frozen=True, forbid_unknown_fields=True):
    """JSON that sayso prints or sends, or a part of it; it has these members and no others."""


class VerdictDocument(Document, frozen=True):
    """What policy ruled, why, and by which rule."""

    ruling: str
    because: str
    rule: str


class ChangeDocument(Document, frozen=True):
    """One change of a plan, what takes it back, what it expects, what it left, and what became of it."""

    do: Mapping[str, Any]
    undo: Mapping[str, Any]
    expects: Any
    left: Mapping[str, Any] | None
    outcome: str


class PlanDocument(Document, kw_only=True, frozen=True):
    """What an action would do, or did.

    The preview is left out: it may hold the content of files, which only the person may see, and the reader of this
    result may be the model.
    """

    summary: str
    loses: Sequence[str] | UnsetType = UNSET
    sends: Sequence[str] | UnsetType = UNSET
    warns: Sequence[str] | UnsetType = UNSET
    on_failure: str | UnsetType = UNSET
    changes: Sequence[ChangeDocument]


class ResultDocument(Document, frozen=True):
    """What became of one action: the proposal, its outcome, and the id with which `sayso undo` takes it back."""

    id: str
    index: int
    operation: str | None
    arguments: Mapping[str, Any]
    label: str | None
    state: str
    success: bool
    message: str | None
    error: str | None
    code: str | None
    data: Mapping[str, Any]
    text: str | None
    plan: PlanDocument | None
    verdict: VerdictDocument | None
    digest: str | None
    approved_by: str | None
    undo: str | None
    undo_of: str | None
    edit_of: str | None
    duration_ms: int
    within: "ReportDocument | UnsetType" = UNSET
    """What the person's own action did that this ran."""


class ReportDocument(Document, frozen=True):
    """What became of all actions of one run."""

    run: str
    dialect: str
    dry_run: bool
    needs_clarification: bool
    clarification_reason: str | None
    results: Sequence[ResultDocument]
    warnings: Sequence[str]
    edits: Sequence["ReportDocument"]


class RowDocument(ResultDocument, kw_only=True, frozen=True):
    """One row of the history."""

    time: str
    run: str
    dialect: str
    entry: str
    session: str
    dry_run: bool
    expires: str | None
    decided_at: str | None
    ended_at: str | None
    policy: str | None
    backends: Mapping[str, str]
    said: str | None
    exposed: Sequence[str]


def report_json(report: Report) -> dict[str, Json]:
    """Return what `sayso run --json` prints."""
    return to_builtins(report_document(report))


def result_json(outcome: Outcome) -> dict[str, Json]:
    """Return one result as JSON."""
    return to_builtins(result_document(outcome))


def row_json(record: Record) -> dict[str, Json]:
    """Return one row of `sayso log` and `sayso pending`."""
    return to_builtins(row_document(record))


def report_document(report: Report) -> ReportDocument:
    """Return what became of all actions of a run."""
    return ReportDocument(
        run=report.run,
        dialect=report.dialect,
        dry_run=report.dry_run,
        needs_clarification=report.needs_clarification,
        clarification_reason=report.clarification_reason,
        results=[_with_its_run(outcome) for outcome in report.outcomes],
        warnings=list(report.warnings),
        edits=[report_document(edit) for edit in report.edits],
    )


def _with_its_run(outcome: Outcome) -> ResultDocument:
    result = result_document(outcome)
    return result if outcome.within is None else replace(result, within=report_document(outcome.within))


def result_document(outcome: Outcome) -> ResultDocument:
    """Return what became of one action."""
    record = outcome.record
    marks, verdict = record.marks, record.verdict
    return ResultDocument(
        id=record.id,
        index=record.index,
        operation=record.operation,
        arguments=dict(record.arguments),
        label=record.label,
        state=record.state.value,
        success=record.state in SUCCESS,
        message=marks.message if record.state in SUCCESS else None,
        error=None if record.state in SUCCESS else marks.error or _standing(record.state),
        code="decided.elsewhere" if outcome.elsewhere else marks.code,
        data={**outcome.data, **_candidates(outcome)},
        text=outcome.text or None,
        plan=plan_document(record),
        verdict=verdict and VerdictDocument(verdict.ruling, verdict.because, verdict.rule),
        digest=record.digest,
        approved_by=marks.approved_by,
        undo=record.id if has_way_back(record) else None,
        undo_of=record.undo_of,
        edit_of=record.edit_of,
        duration_ms=marks.duration_ms,
    )


def row_document(record: Record) -> RowDocument:
    """Return one row of the history."""
    return RowDocument(
        **asdict(result_document(journaled_outcome(record))),
        time=record.time,
        run=record.run,
        dialect=record.dialect,
        entry=record.entry,
        session=record.session,
        dry_run=record.dry_run,
        expires=record.expires if record.state is State.WAITING else None,
        decided_at=record.marks.decided_at,
        ended_at=record.marks.ended_at,
        policy=record.policy,
        backends=dict(record.backends),
        said=record.said or None,
        exposed=[*record.exposed],
    )


def plan_document(record: Record) -> PlanDocument | None:
    """Return the plan of an action, with the outcome of each change."""
    if record.plan is None:
        return None
    plan, marks = cast("Mapping[str, Any]", record.plan), record.marks.changes
    shown: list[ChangeDocument] = []
    for number, change in enumerate(plan["changes"]):
        mark = marks[number] if number < len(marks) else None
        outcome = mark.outcome.value if mark else StepOutcome.NOT_DONE.value
        shown.append(
            ChangeDocument(change["do"], change["undo"], change["expects"], mark.left if mark else None, outcome)
        )
    return PlanDocument(
        summary=plan["summary"],
        loses=plan.get("loses", UNSET),
        sends=plan.get("sends", UNSET),
        warns=plan.get("warns", UNSET),
        on_failure=plan.get("on_failure", UNSET),
        changes=shown,
    )


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
