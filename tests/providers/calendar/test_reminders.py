"""Reminders have an alarm that other programs ring too, repeat as they were told, and are completed line by line."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from icalendar import Calendar as LibraryCalendar

from sayso.core.conversation import ContextLimits
from sayso.core.datetimes import LocalZone
from sayso.core.errors import ProposalError
from sayso.core.plan import Plan
from sayso.providers.calendar import CALENDAR, context
from sayso.providers.calendar.ical.parse import Resource, parse_calendar
from sayso.providers.calendar.ical.reminders import reminders_in
from sayso.providers.calendar.ical.serialize import text_after
from sayso.providers.calendar.memory import CalendarWorld, memory_backend
from sayso.providers.calendar.model import CompleteReminder, CreateReminder, PutEntry
from sayso.providers.calendar.repeats import after_completion, describe_rule, rings, times
from sayso.providers.calendar.store import Reminder
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial
from tests.fails import fails

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 14, 13, tzinfo=BERLIN)


async def planned(zone: Any = BERLIN, **arguments: object) -> Plan:
    tried = Trial(CALENDAR, memory_backend(FakeClock(), NumberedIds(), CalendarWorld(), zone))
    return await tried.plan("reminder.create", title="Pill; take", **arguments)


async def created(zone: Any = BERLIN, **arguments: object) -> str:
    (change,) = (await planned(zone, **arguments)).changes
    assert isinstance(change.do, CreateReminder)
    return text_after(None, change.do, zone) or ""


def todo_of(text: str) -> Any:
    whole: Any = LibraryCalendar.from_ical(text)
    (todo,) = whole.walk("VTODO")
    return todo


@pytest.mark.parametrize(
    ("arguments", "rings_at"),
    [
        ({"due": "2026-03-16 09:00"}, "2026-03-16T08:00+00:00"),
        ({"due": "2026-03-16"}, "2026-03-16T08:00+00:00"),
        ({"due": "2026-03-29"}, "2026-03-29T07:00+00:00"),
        ({"in_minutes": 20}, "2026-03-14T12:20+00:00"),
        ({"due": "2026-03-16 09:00", "repeat": "daily"}, "2026-03-16T08:00+00:00"),
    ],
)
async def test_another_program_rings_at_the_same_moment(arguments: dict[str, Any], rings_at: str):
    text = await created(**arguments)

    todo = todo_of(text)
    (alarm,) = todo.walk("VALARM")
    assert (alarm["ACTION"], str(alarm["DESCRIPTION"])) == ("DISPLAY", "Pill; take")
    assert alarm["TRIGGER"].params["RELATED"] == "END"
    due = todo["DUE"].dt
    begins = due if isinstance(due, datetime) else datetime(due.year, due.month, due.day, tzinfo=BERLIN)
    by_clock = begins.astimezone(BERLIN).replace(tzinfo=None) + alarm["TRIGGER"].dt
    assert by_clock.replace(tzinfo=BERLIN).astimezone(UTC).isoformat(timespec="minutes") == rings_at
    (read,) = reminders_in(Resource("p", text, "e"), BERLIN)
    (ours, *_) = rings([read], NOW, datetime(2026, 4, 1, tzinfo=BERLIN), BERLIN)
    assert ours.at.isoformat(timespec="minutes") == rings_at


async def test_what_repeats_keeps_its_hour_in_its_zone_when_clocks_change():
    text = await created(due="2026-03-28 09:00", repeat="daily", count=3)

    whole = parse_calendar(text)
    (todo,) = whole.parts("VTODO")
    assert [part.line("TZID").value for part in whole.parts("VTIMEZONE")] == ["Europe/Berlin"]
    assert todo.line("RRULE").value == "FREQ=DAILY;COUNT=3"
    assert todo.line("DUE").params == ";TZID=Europe/Berlin"
    assert todo.line("DTSTART").value == todo.line("DUE").value == "20260328T090000"
    found = rings(reminders_in(Resource("p", text, "e"), BERLIN), NOW, datetime(2027, 1, 1, tzinfo=BERLIN), BERLIN)
    assert [f"{ring.at:%d %H:%M}" for ring in found] == ["28 08:00", "29 07:00", "30 07:00"]


@pytest.fixture
def clock_of(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Return what sets the computer's own zone."""

    def choose(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield choose
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("name", ["Europe/Berlin", ":Europe/Berlin"])
async def test_what_repeats_names_the_zone_of_the_computer_where_the_settings_name_none(
    name: str, clock_of: Callable[[str], None]
):
    clock_of(name)

    text = await created(LocalZone(), due="2026-03-28 09:00", repeat="weekly", until="2026-04-30")

    todo = parse_calendar(text).parts("VTODO")[0]
    assert (todo.line("DUE").params, todo.line("DUE").value) == (";TZID=Europe/Berlin", "20260328T090000")
    assert todo.line("RRULE").value == "FREQ=WEEKLY;UNTIL=20260430T215959Z"


@pytest.mark.parametrize("name", ["XYZ-3", "Etc/GMT-3", "/etc/localtime", "No/Where"])
async def test_a_zone_of_the_computer_without_a_usual_name_is_not_named(name: str, clock_of: Callable[[str], None]):
    clock_of(name)

    text = await created(LocalZone(), due="2026-03-28 09:00", repeat="weekly")

    assert parse_calendar(text).parts("VTODO")[0].line("DUE").params == ""


async def test_without_a_named_zone_what_repeats_is_due_by_the_local_clock(clock_of: Callable[[str], None]):
    clock_of("XYZ-3")
    zone = LocalZone()

    text = await created(zone, due="2026-03-28 09:00", repeat="weekly", until="2026-04-30")

    todo = parse_calendar(text).parts("VTODO")[0]
    assert (todo.line("DUE").params, todo.line("DUE").value) == ("", "20260328T090000")
    assert todo.line("RRULE").value == "FREQ=WEEKLY;UNTIL=20260430T235959"
    assert not parse_calendar(text).parts("VTIMEZONE")


async def test_the_end_of_a_rule_has_the_form_of_its_start():
    of_time = await created(due="2026-03-28 09:00", repeat="daily", until="2026-03-30")
    of_day = await created(due="2026-03-28", repeat="daily", until="2026-03-30")

    assert "RRULE:FREQ=DAILY;UNTIL=20260330T215959Z\r\n" in of_time
    assert "RRULE:FREQ=DAILY;UNTIL=20260330\r\n" in of_day


def test_a_reminder_that_an_older_version_planned_is_written_as_it_was():
    step = CreateReminder("u", "Call", "", "2026-03-16T09:00+01:00", "p", "2026-03-14T13:00+01:00")

    text = text_after(None, step, BERLIN) or ""

    assert "VALARM" not in text
    assert "DUE:20260316T080000Z\r\n" in text


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"due": "2026-03-16", "in_minutes": 5}, "arguments.surplus"),
        ({"repeat": "daily"}, "arguments.missing"),
        ({"due": "2026-03-16", "count": 3}, "arguments.missing"),
        ({"due": "2026-03-16", "repeat": "daily", "count": 3, "until": "2026-04-01"}, "arguments.surplus"),
        ({"due": "2026-03-16", "repeat": "weekdays", "interval": 2}, "arguments.surplus"),
        ({"due": "2026-03-16", "repeat": "daily", "until": "2026-03-15"}, "arguments.date"),
    ],
)
async def test_what_cannot_be_meant_is_refused(arguments: dict[str, Any], code: str):
    with fails(ProposalError, code):
        await planned(**arguments)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"in_minutes": 90}, "due 2026-03-14 14:30"),
        ({"due": "2026-03-16 09:00", "repeat": "daily"}, "due 2026-03-16 09:00, every day"),
        ({"due": "2026-03-14", "repeat": "weekdays"}, "due 2026-03-16, on weekdays"),
        ({"due": "2026-03-16", "repeat": "weekly", "interval": 2}, "due 2026-03-16, every 2 weeks"),
        ({"due": "2026-03-16", "repeat": "yearly", "count": 5}, "due 2026-03-16, every year, 5 more times"),
        ({"due": "2026-03-16", "repeat": "monthly", "until": "2026-12-31"}, "every month until 2026-12-31"),
    ],
)
async def test_the_summary_says_when_it_is_due_and_how_it_repeats(arguments: dict[str, Any], says: str):
    plan = await planned(**arguments)

    assert plan.summary.endswith(says)


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("", ""),
        ("FREQ=WEEKLY;BYDAY=MO,WE", "every week on MO, WE"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "repeats"),
        ("FREQ=DAILY;COUNT=1", "every day, one more time"),
        ("nonsense", "repeats"),
    ],
)
def test_a_rule_is_said_in_words(rule: str, says: str):
    assert describe_rule(rule) == says


THEIRS = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VTODO\r\nUID:a@b\r\nDTSTAMP:20260101T000000Z\r\n"
    "SUMMARY:Call\r\n{lines}END:VTODO\r\n{more}END:VCALENDAR\r\n"
)


def theirs(*lines: str, more: str = "") -> str:
    return THEIRS.format(lines="".join(f"{line}\r\n" for line in lines), more=more)


def read(text: str) -> Reminder:
    (found,) = reminders_in(Resource("p", text, "e"), BERLIN, done=True)
    return found


def alarm(trigger: str, action: str = "DISPLAY") -> tuple[str, ...]:
    return ("BEGIN:VALARM", f"ACTION:{action}", "DESCRIPTION:x", f"TRIGGER{trigger}", "END:VALARM")


DUE = "DUE:20260316T080000Z"


@pytest.mark.parametrize(
    ("lines", "seconds"),
    [
        ((DUE,), (0,)),
        (("DUE;VALUE=DATE:20260316",), ()),
        ((DUE, *alarm(":-PT15M")), (-900,)),
        ((DUE, "DTSTART:20260316T070000Z", *alarm(":-PT15M")), (-4500,)),
        ((DUE, "DTSTART:20260316T070000Z", *alarm(";RELATED=END:PT0S")), (0,)),
        ((DUE, *alarm(";VALUE=DATE-TIME:20260316T070000Z")), (-3600,)),
        ((DUE, *alarm(":-P1D"), *alarm(":PT0S", "AUDIO")), (-86_400, 0)),
        ((DUE, *alarm(":PT0S", "EMAIL")), ()),
        ((DUE, *alarm(";VALUE=DATE-TIME:19760401T005545Z", "NONE")), ()),
        (alarm(":PT0S"), ()),
    ],
)
def test_the_alarms_of_other_programs_ring(lines: tuple[str, ...], seconds: tuple[float, ...]):
    assert read(theirs(*lines)).rings == seconds


def other(recurrence: str, status: str) -> str:
    return (
        f"BEGIN:VTODO\r\nUID:a@b\r\nDTSTAMP:20260101T000000Z\r\nRECURRENCE-ID:{recurrence}\r\n"
        f"DUE:{recurrence}\r\nSTATUS:{status}\r\nSUMMARY:Call\r\nEND:VTODO\r\n"
    )


@pytest.mark.parametrize(
    ("lines", "more", "due", "rule"),
    [
        (("RRULE:FREQ=DAILY;COUNT=4",), "", "2026-03-16T09:00+01:00", "FREQ=DAILY;COUNT=4"),
        (
            ("RRULE:FREQ=DAILY;COUNT=4",),
            other("20260316T080000Z", "COMPLETED") + other("20260317T080000Z", "CANCELLED"),
            "2026-03-18T09:00+01:00",
            "FREQ=DAILY;COUNT=2",
        ),
        (("RRULE:FREQ=DAILY", "EXDATE:20260316T080000Z"), "", "2026-03-17T09:00+01:00", "FREQ=DAILY"),
        (("RRULE:FREQ=SECONDLY",), "", "2026-03-16T09:00+01:00", ""),
        (("RRULE:FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2",), "", "2026-03-16T09:00+01:00", ""),
    ],
)
def test_what_another_program_completed_is_over(lines: tuple[str, ...], more: str, due: str, rule: str):
    found = read(theirs(DUE, "DTSTART:20260316T080000Z", *lines, more=more))

    assert (found.due, found.repeats) == (due, rule)


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=MINUTELY",
        "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;INTERVAL=0",
        "",
    ],
)
def test_a_rule_whose_next_time_would_be_looked_for_without_end_counts_as_none(rule: str):
    due = "2026-03-16T09:00+01:00"

    assert list(times(rule, due, BERLIN)) == [due]


def test_a_completion_leaves_every_other_line_and_lets_alarms_ring_again():
    mine = ("X-THEIRS:caf\u00e9", "BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:PT0S", "ACKNOWLEDGED:20260316T080100Z")
    text = theirs("DTSTART:20260316T070000Z", DUE, "RRULE:FREQ=WEEKLY;COUNT=2", *mine, "END:VALARM")
    one = read(text)
    due, rule = after_completion(one, NOW, BERLIN)

    step = CompleteReminder("a@b", "m1", due, rule, "p", "2026-03-14T13:00+01:00", ())
    again = text_after(text, step, BERLIN) or ""
    last = text_after(again, CompleteReminder("a@b", "m2", "", "", "p", step.stamp, ()), BERLIN) or ""

    gone = {"ACKNOWLEDGED:20260316T080100Z", "DTSTAMP:20260101T000000Z", DUE, "DTSTART:20260316T070000Z"}
    assert set(text.splitlines()) - set(again.splitlines()) == {*gone, "RRULE:FREQ=WEEKLY;COUNT=2"}
    assert "DUE:20260323T080000Z\r\n" in again
    assert "DTSTART:20260323T070000Z\r\n" in again
    assert "RRULE:FREQ=WEEKLY;COUNT=1\r\n" in again
    assert after_completion(read(again), NOW, BERLIN) == ("", "")
    assert "STATUS:COMPLETED\r\nCOMPLETED:20260314T120000Z\r\n" in last
    assert read(last).done


@pytest.mark.parametrize(
    ("due", "rule", "then"),
    [
        ("2026-03-01T09:00+01:00", "FREQ=DAILY", "2026-03-15T09:00+01:00"),
        ("2026-03-01T15:00+01:00", "FREQ=DAILY", "2026-03-14T15:00+01:00"),
        ("2026-03-13", "FREQ=DAILY", "2026-03-14"),
        ("2026-03-14", "FREQ=DAILY", "2026-03-15"),
        ("2026-03-01", "FREQ=DAILY;COUNT=5", ""),
        ("2026-03-27T09:00+01:00", "FREQ=DAILY;INTERVAL=2", "2026-03-29T09:00+02:00"),
        ("2026-03-28T02:30+01:00", "FREQ=DAILY", "2026-03-29T03:30+02:00"),
    ],
)
def test_one_completion_is_enough_for_what_was_long_overdue(due: str, rule: str, then: str):
    found, _ = after_completion(Reminder("u", "Call", due=due, repeats=rule), NOW, BERLIN)

    assert found == then


async def test_models_are_told_the_open_reminders_as_words_of_others():
    found = tuple(Reminder(f"r{n}", "T" * 300, due="2026-03-16", repeats="FREQ=DAILY" * (n == 0)) for n in range(60))
    world = CalendarWorld({one.uid: one for one in (*found, Reminder("d", "Done", done=True))})
    tried = Trial(CALENDAR, memory_backend(FakeClock(), NumberedIds(), world, BERLIN))

    seen: Any = tried.seen
    (piece,) = await context.reminders(seen, ContextLimits(()))

    rows: Any = piece.data
    assert rows[0] == {"id": "r0", "title": "T" * 200, "due": "2026-03-16", "repeats": "every day"}
    assert (len(rows), piece.left_out, piece.ours) == (50, "10 more reminders are not shown", False)


async def test_people_in_a_reminder_are_asked_about_and_named():
    text = theirs(DUE, "ATTENDEE:mailto:ana@example.org")
    one = Reminder("a@b", "Call", due="2026-03-16T09:00+01:00", raw=text, participants=("ana@example.org",))
    world = CalendarWorld({"a@b": one})
    tried = Trial(CALENDAR, memory_backend(FakeClock(), NumberedIds(), world, BERLIN))

    for operation in ("reminder.complete", "reminder.delete"):
        plan = await tried.plan(operation, reminder="Call")

        assert plan.asks
        assert plan.warns
        assert all("ana@example.org" in sent for sent in plan.sends)
        assert isinstance(plan.changes[0].undo, PutEntry)
