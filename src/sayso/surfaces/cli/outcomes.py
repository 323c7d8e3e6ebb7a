"""Tell a person what became of each proposal, and how to go on."""

import json
from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType

from sayso.core.record import Record, State
from sayso.runtime.editing import EDITED
from sayso.runtime.outcome import Outcome, Report
from sayso.runtime.results import has_way_back
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.layout import block, sentence
from sayso.surfaces.cli.style import Style

SIGNS = MappingProxyType(
    {
        State.DONE: "✓",
        State.UNCHANGED: "=",
        State.PLANNED: "~",
        State.UNDONE: "↶",
        State.WAITING: "…",
        State.RUNNING: "…",
        State.FAILED: "✗",
        State.INVALID: "✗",
        State.SKIPPED: "-",
        State.REFUSED: "✗",
        State.DECLINED: "✗",
        State.EXPIRED: "✗",
        State.UNKNOWN: "?",
    }
)
_GOOD = frozenset({State.DONE, State.UNCHANGED, State.PLANNED, State.UNDONE})
_MARGIN = "     "


def lines_of(report: Report, width: int, style: Style) -> list[str]:
    """Return all that is printed of a run; of what the person edited, the run that came of it."""
    edits, report = report.edits, without_edited(report)
    out = [line for outcome in report.outcomes for line in outcome_lines(outcome, width, style)]
    if report.needs_clarification:
        out += sentence(visible(report.clarification_reason or "Say more exactly what you want."), width)
    out += [line for warning in report.warnings for line in sentence(visible(warning), width, "note: ")]
    out += summary(report, width)
    for edit in edits:
        gone_on = f"What you edited goes on as {edit.run}; “sayso show {edit.run}” shows what you changed."
        out += [*([""] if out else []), *sentence(gone_on, width), "", *lines_of(edit, width, style)]
    return out


def without_edited(report: Report) -> Report:
    """Return a run without what was edited in it, where the runs that came of that are at hand."""
    if not report.edits:
        return report
    kept = tuple(outcome for outcome in report.outcomes if outcome.record.marks.code != EDITED)
    return replace(report, outcomes=kept, edits=())


def outcome_lines(outcome: Outcome, width: int, style: Style) -> list[str]:
    """Return what is printed of one proposal."""
    record = outcome.record
    paint = style.good if record.state in _GOOD else style.careful if record.state is State.WAITING else style.bad
    first = f"{SIGNS[record.state]} {record.index + 1:>2}  "
    head, more = said(record)
    first_line, *rest = sentence(f"{record.state.value}: {visible(head)}", width, first)
    lines = [paint(first_line), *map(paint, rest)]
    if more:
        lines += [style.faint(line) for line in sentence(visible(more), width, _MARGIN + " ")]
    lines += _found(outcome, width)
    if has_way_back(record):
        lines += sentence(f"sayso undo {record.id} takes it back", width, _MARGIN + " ")
    if record.state is State.UNKNOWN:
        settle = f"look for yourself, then say so: sayso settle {record.id} done (or not-done)"
        lines += sentence(settle, width, _MARGIN + " ")
    return lines


def said(record: Record) -> tuple[str, str]:
    """Return the sentence about a record, and what it is about where the sentence does not say that."""
    summary_ = str(record.plan["summary"]) if record.plan else ""
    sentence_ = record.marks.message or record.marks.error or ""
    if record.state is State.WAITING:
        return summary_ or str(record.operation), record.verdict.because if record.verdict else ""
    if not sentence_:
        return summary_ or str(record.operation), ""
    # “Took back: Move …” says what “Take back: Move …” would say once more.
    if summary_.partition(" ")[2].lower() in sentence_.lower():
        return sentence_, "" if record.operation is None or summary_ else f"{record.operation}{_arguments(record)}"
    return sentence_, summary_


def _arguments(record: Record) -> str:
    return " " + json.dumps(dict(record.arguments), ensure_ascii=False) if record.arguments else ""


def _found(outcome: Outcome, width: int) -> Iterator[str]:
    if outcome.record.state is not State.DONE:
        return
    if outcome.text:
        yield from block(outcome.text.removesuffix("\n"), width, _MARGIN + " ")
    elif outcome.data and outcome.record.plan is None:
        yield from block(json.dumps(dict(outcome.data), ensure_ascii=False, indent=2), width, _MARGIN + " ")


def summary(report: Report, width: int) -> list[str]:
    """Return the last lines: how many ended how, and how to go on."""
    states = [outcome.record.state for outcome in report.outcomes]
    counts = ", ".join(f"{states.count(state):,} {state.value}" for state in State if state in states)
    lines: list[str] = []
    if len(states) > 1:
        lines += ["", *sentence(f"{len(states):,} actions: {counts}", width)]
        if sum(has_way_back(outcome.record) for outcome in report.outcomes) > 1:
            lines += sentence(f"sayso undo {report.run} takes all of it back", width)
    return lines


def how_to_decide(report: Report, why: str) -> str | None:
    """Say how what waits can be decided; None when nothing waits."""
    said = [how_to_decide(edit, why) for edit in report.edits]
    return "; ".join(one for one in [_of_one(report, why), *said] if one) or None


def _of_one(report: Report, why: str) -> str | None:
    waiting = [outcome.record for outcome in report.outcomes if outcome.record.state is State.WAITING]
    if not waiting:
        return None
    count = "1 action waits" if len(waiting) == 1 else f"{len(waiting):,} actions wait"
    ref = report.run
    return (
        f"{count} for you ({why}): “sayso approve {ref}” on your terminal shows and asks, “sayso decline {ref}” says no"
    )
