"""Operations on the calendar take dates that make sense, and say when things will take place."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sayso.core.conversation import ContextLimits, ContextPiece
from sayso.core.errors import ProposalError
from sayso.core.plan import Plan
from sayso.providers.calendar import CALENDAR, context
from sayso.providers.calendar.memory import CalendarWorld, memory_backend
from sayso.providers.calendar.model import CreateEvent, CreateReminder, DeleteEntry
from sayso.providers.calendar.store import Event, FoundEvents
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import OperationsById, Trial
from tests.fails import fails

NOW = "2026-03-14T13:00+01:00"
BY_ID = OperationsById(CALENDAR.operations)


def trial() -> Trial:
    return Trial(CALENDAR, memory_backend(FakeClock(), NumberedIds(), CalendarWorld(), ZoneInfo("Europe/Berlin")))


async def planned(operation: str, **arguments: object) -> Plan:
    return await trial().plan(operation, **arguments)


async def test_an_event_is_planned_under_its_uid_with_its_way_back():
    plan = await planned("calendar.create_event", title="Title", start="2024-01-28 14:00", end="2024-01-28 15:00")

    (change,) = plan.changes
    uid = "token000000000000001"
    span = ("2024-01-28T14:00+01:00", "2024-01-28T15:00+01:00")
    assert change.do == CreateEvent(uid, "Title", *span, all_day=False, place=uid, stamp=NOW)
    assert change.undo == DeleteEntry(uid, uid, "token000000000000002", ())
    assert plan.summary == "Create the event “Title”, 2024-01-28 14:00 to 15:00"


@pytest.mark.parametrize(
    ("start", "end", "says"),
    [
        ("2024-01-28", "2024-01-29", "all day on 2024-01-28"),
        ("2024-01-28", "2024-01-31", "all day from 2024-01-28 to 2024-01-30"),
        ("2024-01-28", "2024-01-28 15:00", "2024-01-28 00:00 to 15:00"),
        ("2024-01-28T14:00Z", "2024-01-28T14:30Z", "2024-01-28 15:00 to 15:30"),
        ("2024-01-28 23:00", "2024-01-29 01:00", "2024-01-28 23:00 to 2024-01-29 01:00"),
    ],
)
async def test_the_summary_says_when_it_takes_place(start: str, end: str, says: str):
    plan = await planned("calendar.create_event", title="T", start=start, end=end)

    assert plan.summary == f"Create the event “T”, {says}"


@pytest.mark.req("T-46")
@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2024-01-28 14:00", "2024-01-28 14:00"),
        ("2024-01-28 14:00", "2024-01-28 13:59"),
        ("2024-01-28", "2024-01-28"),
        ("2024-01-28 14:00", "2024-01-28T13:30+01:00"),
        ("2024-10-27T02:30+01:00", "2024-10-27T02:45+02:00"),
    ],
)
async def test_the_end_must_be_after_the_start(start: str, end: str):
    with fails(ProposalError, "arguments.date", match="must be after"):
        await planned("calendar.create_event", title="T", start=start, end=end)


@pytest.mark.req("S0-57")
@pytest.mark.parametrize("operation", ["calendar.create_event", "reminder.create"])
async def test_a_day_that_is_in_no_calendar_is_refused(operation: str):
    times = {"start": "2024-02-30 10:00", "end": "2024-03-01 10:00"}
    arguments = times if operation == "calendar.create_event" else {"due": times["start"]}

    with fails(ProposalError, "arguments.date", match="no such day"):
        await planned(operation, title="T", **arguments)


@pytest.mark.parametrize("year", ["0001", "1899", "2200", "9999"])
async def test_years_far_away_are_refused(year: str):
    with pytest.raises(ProposalError, match="between 1900 and 2199"):
        await planned("calendar.create_event", title="T", start=f"{year}-01-01 10:00", end=f"{year}-01-01 11:00")


@pytest.mark.req("T-46")
@pytest.mark.parametrize(
    ("due", "late"),
    [("2026-03-14 12:59", True), ("2026-03-14 13:01", False), ("2026-03-13", True), ("2026-03-14", False)],
)
async def test_a_reminder_in_the_past_is_planned_with_a_warning(due: str, late: bool):
    plan = await planned("reminder.create", title="Call", due=due)

    assert [type(change.do) for change in plan.changes] == [CreateReminder]
    assert plan.warns == ((f"{due} is in the past",) if late else ())


async def test_a_reminder_needs_no_time():
    plan = await planned("reminder.create", title="Call", notes="About\nlunch")

    uid = "token000000000000001"
    assert plan.changes[0].do == CreateReminder(uid, "Call", "About\nlunch", "", place=uid, stamp=NOW)


async def test_there_may_be_nothing_today():
    answer = await trial().answer("calendar.today")

    assert answer.text == "There are no events today."
    assert answer.data == {"events": []}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "from 2026-03-14 to 2026-03-20"),
        ({"start": "2026-03-20"}, "on 2026-03-20"),
        ({"start": "2026-03-20", "end": "2026-03-21"}, "on 2026-03-20"),
        ({"start": "2026-03-20", "end": "2026-03-23"}, "from 2026-03-20 to 2026-03-22"),
        ({"end": "2026-03-16"}, "from 2026-03-14 to 2026-03-15"),
        ({"start": "2026-03-20 09:00", "end": "2026-03-20 12:00"}, "from 2026-03-20 09:00 to 2026-03-20 12:00"),
        ({"start": "2026-03-20 09:00"}, "from 2026-03-20 09:00 to 2026-03-21 00:00"),
        ({"start": "2026-03-29"}, "on 2026-03-29"),
        ({"start": "2199-12-31"}, "on 2199-12-31"),
    ],
)
async def test_a_list_says_which_days_it_is_of(arguments: dict[str, str], says: str):
    answer = await trial().answer("calendar.list", **arguments)

    assert answer.text == f"There are no events {says}."


@pytest.mark.parametrize(
    "arguments",
    [
        {"start": "2026-03-20", "end": "2026-03-19"},
        {"start": "2026-03-20 10:00", "end": "2026-03-20 10:00"},
        {"start": "2026-03-20", "end": "2026-03-20"},
        {"end": "2026-03-14"},
    ],
)
async def test_a_list_that_ends_before_it_begins_is_refused(arguments: dict[str, str]):
    with fails(ProposalError, "arguments.date", match="must be after"):
        await trial().answer("calendar.list", **arguments)


@pytest.mark.parametrize("operation", ["calendar.update_event", "calendar.delete_event"])
async def test_an_unknown_event_is_not_found(operation: str):
    arguments = {"title": "x"} if operation == "calendar.update_event" else {}

    with fails(ProposalError, "target.not_found", match="“none”"):
        await planned(operation, id="none", **arguments)


async def test_a_change_needs_something_to_change():
    with fails(ProposalError, "arguments.missing"):
        await planned("calendar.update_event", id="a")


AROUND = ContextLimits(())


async def told(*events: tuple[str, str, str]) -> ContextPiece:
    tried = trial()
    for title, start, end in events:
        await tried.do(await tried.plan("calendar.create_event", title=title, start=start, end=end, location="Room 1"))
    (piece,) = await context.events(tried.seen, AROUND)
    return piece


@pytest.mark.req("S4-44")
async def test_the_events_of_the_next_days_are_told_and_those_of_other_days_are_not():
    piece = await told(
        ("Yesterday", "2026-03-13 23:00", "2026-03-13 23:30"),
        ("Friday", "2026-03-20 09:00", "2026-03-20 10:00"),
        ("Lunch", "2026-03-14 14:00", "2026-03-14 15:00"),
        ("In a week", "2026-03-21 00:00", "2026-03-21 01:00"),
    )

    rows: Any = piece.data
    times = {"start": "2026-03-14T14:00+01:00", "end": "2026-03-14T15:00+01:00"}
    friday = {"start": "2026-03-20T09:00+01:00", "end": "2026-03-20T10:00+01:00"}
    assert [{**row, "id": ""} for row in rows] == [
        {"id": "", "title": "Lunch", **times, "location": "Room 1", "all_day": False},
        {"id": "", "title": "Friday", **friday, "location": "Room 1", "all_day": False},
    ]
    assert (piece.name, piece.ours, piece.left_out) == ("events", False, "")


class Busy:
    """The reads of a calendar with more in it than anybody can do."""

    def __init__(self, found: FoundEvents) -> None:
        self._found = found
        self._quiet = trial().seen

    def now(self) -> Any:
        return self._quiet.now()

    def zone(self) -> Any:
        return self._quiet.zone()

    async def between(self, start: object, end: object) -> FoundEvents:
        return self._found


async def test_what_is_too_much_is_left_out_and_said():
    event = Event("u", "T" * 999, "2026-03-14T14:00+01:00", "2026-03-14T15:00+01:00")
    busy: Any = Busy(FoundEvents((event,) * 60, tuple(f"“{n}.ics” was left out" for n in range(9))))

    (piece,) = await context.events(busy, AROUND)

    rows: Any = piece.data
    assert (len(rows), len(rows[0]["title"])) == (50, 200)
    assert (
        piece.left_out
        == "“0.ics” was left out; “1.ics” was left out; “2.ics” was left out; 10 more events are not shown"
    )
