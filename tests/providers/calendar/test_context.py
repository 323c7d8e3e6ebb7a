"""A model is told what takes place today, in the calendar's own zone, and no more than it can use."""

from typing import Any

import pytest

from sayso.core.conversation import Around, Piece
from sayso.providers.calendar import context
from sayso.providers.calendar.store import Event, Found
from tests.providers.calendar.test_operations import trial

AROUND = Around(())


async def told(*events: tuple[str, str, str]) -> Piece:
    tried = trial()
    for title, start, end in events:
        await tried.do(await tried.plan("calendar.create_event", title=title, start=start, end=end, location="Room 1"))
    (piece,) = await context.events(tried.seen, AROUND)
    return piece


@pytest.mark.req("S4-44")
async def test_the_events_of_today_are_told_and_those_of_other_days_are_not():
    piece = await told(
        ("Yesterday", "2026-03-13 23:00", "2026-03-13 23:30"),
        ("Lunch", "2026-03-14 14:00", "2026-03-14 15:00"),
        ("Tomorrow", "2026-03-15 00:00", "2026-03-15 01:00"),
    )

    rows: Any = piece.data
    assert [{**row, "id": ""} for row in rows] == [
        {
            "id": "",
            "title": "Lunch",
            "start": "2026-03-14T14:00+01:00",
            "end": "2026-03-14T15:00+01:00",
            "location": "Room 1",
            "all_day": False,
        }
    ]
    assert (piece.name, piece.ours, piece.left_out) == ("events", False, "")


class Busy:
    """The reads of a calendar with more in it than anybody can do."""

    def __init__(self, found: Found) -> None:
        self._found = found
        self._quiet = trial().seen

    def now(self) -> Any:
        return self._quiet.now()

    def zone(self) -> Any:
        return self._quiet.zone()

    async def between(self, start: object, end: object) -> Found:
        return self._found


async def test_what_is_too_much_is_left_out_and_said():
    event = Event("u", "T" * 999, "2026-03-14T14:00+01:00", "2026-03-14T15:00+01:00")
    busy: Any = Busy(Found((event,) * 60, tuple(f"“{n}.ics” was left out" for n in range(9))))

    (piece,) = await context.events(busy, AROUND)

    rows: Any = piece.data
    assert (len(rows), len(rows[0]["title"])) == (50, 200)
    assert (
        piece.left_out
        == "“0.ics” was left out; “1.ics” was left out; “2.ics” was left out; 10 more events are not told"
    )
