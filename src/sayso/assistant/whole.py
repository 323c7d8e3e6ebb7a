"""One report over all turns of an ask: what was written again takes the place of what was wrong before."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from sayso.assistant.trace import Step
from sayso.runtime.outcome import Outcome, Report


def whole(steps: Sequence[Step], written_again: Collection[str], dialect: str, *, dry_run: bool) -> Report:
    """Return the last report with the outcomes of all, numbered through.

    `written_again` are the ids of actions that the model was to put right; they are left out once it wrote anything
    after them. A reply that proposed nothing puts nothing right.
    """
    steps = [step for step in steps if step.reports]
    reports = [report for step in steps for report in step.reports]
    if not reports:
        return Report("", dialect, (), dry_run)
    last = max((number for number, step in enumerate(steps) if _outcomes(step)), default=0)
    kept = [
        one for number, step in enumerate(steps) for one in _outcomes(step)
        if number >= last or one.record.id not in written_again
    ]  # fmt: skip
    outcomes = [replace(one, record=replace(one.record, index=number)) for number, one in enumerate(kept)]
    return replace(
        reports[-1],
        run=(steps[last].reports[-1]).run,
        outcomes=tuple(kept if [one.record.index for one in kept] == list(range(len(kept))) else outcomes),
        edits=tuple(edit for report in reports for edit in report.edits),
        warnings=tuple(said for report in reports for said in report.warnings),
    )


def _outcomes(step: Step) -> list[Outcome]:
    return [outcome for report in step.reports for outcome in report.outcomes]
