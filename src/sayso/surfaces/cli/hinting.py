"""Add one line to what is told when the person has said the same yes so often that they may not want to be asked."""

from collections.abc import Sequence
from dataclasses import replace

from sayso.assembly import Home
from sayso.core.errors import SaysoError
from sayso.runtime.outcome import Report
from sayso.runtime.suggesting import TIMES

EVERY = 10
"""How many further yeses it takes until the same line is said once more."""


async def hinted(home: Home, done: Report | list[Report]) -> Report | list[Report]:
    """Return what was done, a report or several, with the line among the warnings of the last one."""
    reports = [done] if isinstance(done, Report) else done
    hint = await _hint(home, reports)
    if hint is None:
        return done
    *others, last = reports
    last = replace(last, warnings=(*last.warnings, hint))
    return last if isinstance(done, Report) else [*others, last]


async def _hint(home: Home, reports: Sequence[Report]) -> str | None:
    outcomes = [outcome for report in reports for outcome in report.outcomes]
    yes = {outcome.record.id for outcome in outcomes if outcome.record.marks.approved_by == "terminal"}
    if not yes:
        return None
    try:
        suggested = await home.grants.suggested()
    except SaysoError:
        return None  # what was done is told in any case
    for one in suggested:
        count = len(one.said_yes)
        if one.said_yes[0] in yes and (count == TIMES or count % EVERY == 0):
            return f"you have said yes to this {count:,} times; “sayso grants suggest” shows how to be asked no more"
    return None
