"""The route of the numbers, as charts: actions per day, how many were taken back, questions saved, and waiting time."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import partial
from html import escape
from statistics import median

from msgspec import Struct
from starlette.requests import Request
from starlette.routing import BaseRoute

from sayso.core.ports import RecordQuery
from sayso.core.record import Record, State
from sayso.runtime.own_changes import is_own
from sayso.runtime.services import moment
from sayso.surfaces.web.answers import Chart, Numbers
from sayso.surfaces.web.lists import ENTRY as OWN
from sayso.surfaces.web.requests import Page

DAYS = 14
MOST = 3000
"""How many of the newest actions are counted at most."""
_WIDE, _HIGH, _FOOT = 320, 120, 18
"""The size of a chart, and how much of its height is below the bars."""
_DONE = frozenset({State.DONE, State.UNDONE})
_BY_PERSON = frozenset({"terminal", "click", "notification", "form", "editor", "client"})
"""How a person answers a question; what they type or click themselves is no question."""


def routes(page: Page) -> list[BaseRoute]:
    """Return the route of the numbers."""
    counted = Counted()
    return [page.get("/api/numbers", partial(_numbers, counted))]


class Bar(Struct, frozen=True):
    """One bar: its label, its value, and the value in words."""

    label: str
    value: float
    says: str


class Counted:
    """The numbers that were counted last; they are counted again only when the journal has changed."""

    def __init__(self) -> None:
        self.at: tuple[int, date] | None = None
        self.answer = Numbers(DAYS, cut=False, charts=())


async def _numbers(counted: Counted, page: Page, _: Request) -> Numbers:
    """Return each number as a chart, with the same as rows and in a sentence."""
    today = page.home.clock.now().astimezone().date()
    at = (page.changes.newest(), today)
    if counted.at != at:
        since = page.home.clock.now() - timedelta(days=DAYS)
        rows = await page.home.log(RecordQuery(limit=MOST, since=since.isoformat()))
        counted.answer = count(rows, [today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)])
        counted.at = at
    return counted.answer


def count(rows: Sequence[Record], days: Sequence[date]) -> Numbers:
    """Return the numbers of these actions on these days, in the person's own time."""
    rows = [row for row in rows if not row.dry_run and row.undo_of is None and not is_own(row)]
    done = [row for row in rows if row.state in _DONE]
    undone = [row for row in done if row.state is State.UNDONE]
    saved = [row for row in done if (row.marks.approved_by or "").startswith(("grant:", "rule"))]
    asked = [row for row in rows if row.marks.approved_by in _BY_PERSON and row.entry != OWN]
    waited = [(_day(row), _waited(row)) for row in asked if row.marks.decided_at]
    share = f"{100 * len(undone) / len(done):.0f} %" if done else "none"
    middle = _lasting(median(seconds for _, seconds in waited)) if waited else "nothing was asked"
    return Numbers(
        days=len(days),
        cut=len(rows) >= MOST,
        charts=[
            _chart("Actions per day", _per_day(done, days), f"{len(done):,} done"),
            _chart("Taken back per day", _per_day(undone, days), f"{len(undone):,} of {len(done):,} ({share})"),
            _chart("Questions saved by permissions per day", _per_day(saved, days), f"{len(saved):,} done without one"),
            _chart(
                "Time until you answered",
                [Bar(_label(day), *_middle([s for on, s in waited if on == day])) for day in days],
                f"half of {len(waited):,} answers came within {middle}" if waited else middle,
            ),
        ],
    )


def _day(row: Record) -> date:
    return moment(row.time).astimezone().date()


def _waited(row: Record) -> float:
    return max(0.0, (moment(row.marks.decided_at or row.time) - moment(row.time)).total_seconds())


def _per_day(rows: Sequence[Record], days: Sequence[date]) -> list[Bar]:
    on = [_day(row) for row in rows]
    return [Bar(_label(day), on.count(day), f"{on.count(day):,}") for day in days]


def _middle(seconds: Sequence[float]) -> tuple[float, str]:
    return (median(seconds), _lasting(median(seconds))) if seconds else (0.0, "none")


def _label(day: date) -> str:
    return datetime.combine(day, datetime.min.time()).strftime("%d %b")


def _lasting(seconds: float) -> str:
    for length, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _chart(title: str, found: Sequence[Bar], says: str) -> Chart:
    return Chart(title, says, _drawn(title, found), [[one.label, one.says] for one in found])


def _drawn(title: str, found: Sequence[Bar]) -> str:
    """Return a chart of bars; the highest one fills it, and its colours are those of the page."""
    most = max((one.value for one in found), default=0) or 1
    step = _WIDE / max(1, len(found))
    says = "; ".join(f"{one.label}: {one.says}" for one in found)
    drawn = "".join(_bar(one, at * step, step, most) for at, one in enumerate(found))
    ends = _text_at(0, "start", found[0].label) + _text_at(_WIDE, "end", found[-1].label) if len(found) > 1 else ""
    return (
        f'<svg viewBox="0 0 {_WIDE} {_HIGH}" role="img" class="chart"><title>{escape(title)}</title>'
        f'<desc>{escape(says)}</desc><path class="ground" d="M0 {_HIGH - _FOOT}H{_WIDE}"/>{drawn}{ends}</svg>'
    )


def _bar(bar: Bar, left: float, step: float, most: float) -> str:
    high = (_HIGH - _FOOT - 4) * bar.value / most
    top = _HIGH - _FOOT - high
    return (
        f'<rect x="{left + step * 0.12:.1f}" y="{top:.1f}" width="{step * 0.76:.1f}" height="{high:.1f}" rx="2">'
        f"<title>{escape(f'{bar.label}: {bar.says}')}</title></rect>"
    )


def _text_at(at: float, anchor: str, text: str) -> str:
    return f'<text x="{at}" y="{_HIGH - 4}" text-anchor="{anchor}">{escape(text)}</text>'
