"""Render outcomes and rows of the audit trail as text."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import cast

from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.instances import is_offer
from sayso.core.lazy import load
from sayso.core.quotes import visible
from sayso.core.record import Record, State, action_id, action_key, run_id, run_key
from sayso.runtime.results import EDITED, Outcome, Report, has_way_back
from sayso.runtime.system import SystemClock
from sayso.surfaces.cli.text import Style, block, columns, one_line, sentence


def action_ref(text: str) -> str:
    """Return the normalized id of an action. Raises `ProposalError` if `text` is not an action's id."""
    return action_id(action_key(text.strip()))


def reference(text: str) -> str:
    """Return the normalized id of an action, a run or an offer. Raises `ProposalError` if `text` is none of these."""
    text = text.strip()
    if is_offer(text):
        return text
    return run_id(run_key(text)) if text[:4].lower() == "run_" else action_ref(text)


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
_NOES = frozenset({"declined", "declined.because"})
"""The codes of actions that the person declined."""
_NOT_WANTED = frozenset({State.DECLINED, State.REFUSED})
_MARGIN = "     "
SAYS = "chat.add_message"
"""The operation whose text is shown whole, because the person is to read it."""


UNDO = "sayso undo"
"""The command that takes something back, as it is typed in a shell."""


def lines_of(report: Report, width: int, style: Style, undo: str = UNDO) -> list[str]:
    """Return the lines printed for a run, followed by the runs that resulted from the person's edits.

    `undo` is the command that takes something back where the lines are read.
    """
    edits, report = report.edits, without_edited(report)
    no = _shared_no(report.outcomes)
    out: list[str] = []
    for outcome in report.outcomes:
        if outcome.record.id in no:
            out += _declined_lines(outcome.record, width, style, with_error=outcome.record.id == no[-1])
        else:
            out += outcome_lines(outcome, width, style, undo)
    if report.needs_clarification:
        out += sentence(visible(report.clarification_reason or "Say more exactly what you want."), width)
    out += [line for warning in report.warnings for line in sentence(visible(warning), width, "note: ")]
    out += summary(report, width, undo)
    if report.said:
        out += sentence(visible(report.said), width)
    for edit in edits:
        gone_on = f"What you edited continues as {edit.run}; “sayso show {edit.run}” shows what you changed."
        out += [*([""] if out else []), *sentence(gone_on, width), "", *lines_of(edit, width, style, undo)]
    return out


def without_edited(report: Report) -> Report:
    """Return a report without the actions that an edit replaced, if it contains the runs that replaced them."""
    if not report.edits:
        return report
    kept = tuple(outcome for outcome in report.outcomes if outcome.record.marks.code != EDITED)
    return replace(report, outcomes=kept, edits=())


def outcome_lines(outcome: Outcome, width: int, style: Style, undo: str = UNDO) -> list[str]:
    """Return the lines printed for the outcome of one proposal."""
    record = outcome.record
    if outcome.elsewhere:
        return _decided_elsewhere(record, width, style)
    paint = style.good if record.state in _GOOD else style.careful if record.state is State.WAITING else style.bad
    first = f"{SIGNS[record.state]} {record.index + 1:>2}  "
    head, more = record_sentence(record) if outcome.within is None else (_said_by_action(record), "")
    first_line, *rest = sentence(f"{record.state.value}: {visible(head)}", width, first)
    lines = [paint(first_line), *map(paint, rest)]
    if record.operation == SAYS and record.state is State.DONE:
        lines += block(str(record.arguments.get("content", "")), width, _MARGIN + " ")
    elif more and not _is_list(record):
        lines += [style.faint(line) for line in sentence(visible(more), width, _MARGIN + " ")]
    if outcome.within is not None:
        lines += _lines_within(outcome.within, width, style, undo)
    else:
        lines += _render_found(outcome, width)
    if has_way_back(record):
        lines += sentence(f"{undo} {record.id} takes it back", width, _MARGIN + " ")
    if record.state is State.UNKNOWN:
        settle = f"look for yourself, then say so: sayso settle {record.id} done (or not-done)"
        lines += sentence(settle, width, _MARGIN + " ")
    return lines


def _is_list(record: Record) -> bool:
    """Say whether an action found a list for people, below a sentence that says what it lists."""
    return record.state is State.DONE and record.operation in load("sayso.surfaces.cli.rows:TABLES")


def _shared_no(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the ids of the actions that one no of the person declined, if it declined several."""
    noes = [one.record for one in outcomes if one.record.marks.code in _NOES and not one.elsewhere]
    same = [record.id for record in noes if record.plan and record.marks.error == noes[0].marks.error]
    return same if len(same) > 1 else []


def _declined_lines(record: Record, width: int, style: Style, *, with_error: bool) -> list[str]:
    """Return the lines of one of several actions that one no declined; what the person said stands below the last."""
    summary_ = str(record.plan["summary"]) if record.plan else str(record.operation)
    first = f"{SIGNS[record.state]} {record.index + 1:>2}  "
    lines = [style.bad(line) for line in sentence(f"{record.state.value}: {visible(summary_)}", width, first)]
    error = record.marks.error or ""
    return [*lines, *map(style.faint, sentence(visible(error), width, _MARGIN + " "))] if with_error else lines


def _lines_within(report: Report, width: int, style: Style, undo: str) -> list[str]:
    """Return the lines for what the handler of an own action requested."""
    inner = width - len(_MARGIN)
    lines = [line for one in report.outcomes for line in outcome_lines(one, inner, style, undo)]
    if sum(has_way_back(one.record) for one in report.outcomes) > 1:
        lines += sentence(f"{undo} {report.run} takes all of it back", inner, " ")
    return [f"{_MARGIN}{line}" for line in lines]


def _said_by_action(record: Record) -> str:
    """Return what one of the person's own actions says, after its id."""
    said = record.marks.message or record.marks.error or record.label or ""
    return f"{record.template_id or record.operation}: {said}"


def _decided_elsewhere(record: Record, width: int, style: Style) -> list[str]:
    """Return the lines for an action that another process decided first; they say that this answer did not count."""
    marks = record.marks
    answer = "a no" if record.state in _NOT_WANTED else "a yes"
    by = f" ({marks.approved_by})" if marks.approved_by else ""
    when = f" at {moment(marks.decided_at)}" if marks.decided_at else ""
    told = (
        f"decided elsewhere: {answer}{by}{when} came first, and yours did nothing; the action is {record.state.value}"
    )
    first_line, *rest = sentence(visible(told), width, f"- {record.index + 1:>2}  ")
    more = sentence(visible(record_sentence(record)[1] or record_sentence(record)[0]), width, _MARGIN + " ")
    return [*map(style.careful, [first_line, *rest]), *map(style.faint, more)]


def record_sentence(record: Record) -> tuple[str, str]:
    """Return a sentence about a record, and further text (summary, arguments or reason) that it does not contain."""
    summary_ = str(record.plan["summary"]) if record.plan else ""
    sentence_ = record.marks.message or record.marks.error or ""
    if record.state is State.WAITING:
        return summary_ or str(record.operation), record.verdict.because if record.verdict else ""
    if not sentence_:
        return summary_ or str(record.operation), ""
    # The message “Took back: Move …” already contains what the summary “Take back: Move …” says.
    if summary_.partition(" ")[2].lower() in sentence_.lower():
        return sentence_, "" if record.operation is None or summary_ else f"{record.operation}{_arguments(record)}"
    return sentence_, summary_


def _arguments(record: Record) -> str:
    return " " + json.dumps(dict(record.arguments), ensure_ascii=False) if record.arguments else ""


def _render_found(outcome: Outcome, width: int) -> Iterator[str]:
    if outcome.record.state is not State.DONE:
        return
    rows = load("sayso.surfaces.cli.rows:rows_of")(
        outcome.record.operation or "", outcome.data, width - len(_MARGIN) - 1, SystemClock().now().astimezone()
    )
    if rows is not None:
        yield from (f"{_MARGIN} {row}" for row in rows)
    elif outcome.text:
        yield from block(outcome.text.removesuffix("\n"), width, _MARGIN + " ")
    elif outcome.data and outcome.record.plan is None:
        yield from block("\n".join(describe_data(outcome.data)), width, _MARGIN + " ")


def describe_data(data: Json | Mapping[str, Json]) -> list[str]:
    """Return the data that an operation found as readable lines, for operations that return no text."""
    if data is None:
        return ["none"]
    if isinstance(data, bool):
        return ["yes" if data else "no"]
    if isinstance(data, int | float):
        return [str(data)]
    if isinstance(data, str):
        return data.split("\n")
    if isinstance(data, list):
        items = [describe_data(item) or ["none"] for item in cast("list[Json]", data)]
        return [f"{'  ' if number else '- '}{line}" for item in items for number, line in enumerate(item)]
    return [line for name, value in cast("Mapping[str, Json]", data).items() for line in _name_value(name, value)]


def _name_value(name: str, value: Json) -> list[str]:
    lines = describe_data(value) or ["none"]
    nested = bool(value) and not isinstance(value, str | int | float)
    return [f"{name}:", *(f"  {line}" for line in lines)] if nested or len(lines) > 1 else [f"{name}: {lines[0]}"]


def summary(report: Report, width: int, undo: str = UNDO) -> list[str]:
    """Return the closing lines: the count of each state, and how to undo the run."""
    states = [outcome.record.state for outcome in report.outcomes if not outcome.elsewhere]
    elsewhere = len(report.outcomes) - len(states)
    told = [f"{states.count(state):,} {state.value}" for state in State if state in states]
    counts = ", ".join([*told, f"{elsewhere:,} decided elsewhere"] if elsewhere else told)
    lines: list[str] = []
    if len(report.outcomes) > 1:
        lines += ["", *sentence(f"{len(report.outcomes):,} actions: {counts}", width)]
        if sum(has_way_back(outcome.record) and not outcome.elsewhere for outcome in report.outcomes) > 1:
            lines += sentence(f"{undo} {report.run} takes all of it back", width)
    return lines


def how_to_decide(report: Report, why: str) -> str | None:
    """Return how to decide the waiting actions; None if there are none."""
    said = [how_to_decide(edit, why) for edit in report.edits]
    return "; ".join(one for one in [_of_one(report, why), *said] if one) or None


def _of_one(report: Report, why: str) -> str | None:
    waiting = [one.record for one in report.outcomes if one.record.state is State.WAITING and not _is_offer(one)]
    offers = [one.record for one in report.outcomes if one.record.state is State.WAITING and _is_offer(one)]
    told = [f"“sayso approve {one.id}” on your terminal shows and asks about {one.template_id}" for one in offers]
    if not waiting:
        return f"waits for you ({why}): {'; '.join(told)}" if told else None
    count = "1 action waits" if len(waiting) == 1 else f"{len(waiting):,} actions wait"
    ref = report.run
    return (
        f"{count} for you ({why}): “sayso approve {ref}” on your terminal shows and asks, “sayso decline {ref}” says no"
    )


def _is_offer(outcome: Outcome) -> bool:
    return is_offer(outcome.record.id)


def table(records: Sequence[Record], width: int) -> list[str]:
    """Return two lines for each record: time, state, operation and id; then a summary.

    On a narrow terminal the operation stands before the summary, so that the id is always whole.
    """
    return [line for record in records for line in _row(record, width)]


def _row(record: Record, width: int) -> tuple[str, str]:
    state = f"{SIGNS[record.state]} {record.state.value}"
    operation = record.operation or "not understood"
    first = f"{moment(record.time)}  {state:<12} {operation:<18} {record.id}"
    if columns(first) <= width:
        return first, "    " + one_line(record.about, width - 4)
    narrow = one_line(f"{moment(record.time)}  {state:<12} {record.id}", width)
    return narrow, "    " + one_line(f"{operation}: {record.about}", width - 4)


def moment(text: str) -> str:
    """Return a timestamp from the journal in local time, to the second."""
    return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def fits(lines: Sequence[str], width: int) -> bool:
    """Say whether every line fits into `width` columns."""
    return all(columns(line) <= width for line in lines)
