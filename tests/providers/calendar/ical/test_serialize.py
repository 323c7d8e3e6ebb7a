"""A change of an event touches what it is about and nothing else, as other readers of calendars see it too."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import recurring_ical_events
import vobject
from icalendar import Calendar

from sayso.core.errors import ProviderError
from sayso.providers.calendar.ical.serialize import describe_differences, same_lines, text_after
from sayso.providers.calendar.model import (
    CreateEvent,
    CreateReminder,
    DeleteEntry,
    DeleteOccurrence,
    PutEntry,
    UpdateEvent,
)

BERLIN = ZoneInfo("Europe/Berlin")
STAMP = "2026-03-14T13:00+01:00"
UID = "series@example.org"
SERIES = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Somebody//Else//EN
X-WR-CALNAME:Theirs
BEGIN:VEVENT
UID:series@example.org
DTSTAMP:20260101T000000Z
SEQUENCE:4
SUMMARY;LANGUAGE=en:Standup
DTSTART;TZID=Europe/Berlin:20260320T100000
DURATION:PT15M
RRULE:FREQ=DAILY;COUNT=14
ATTENDEE;CN="Bo; B":mailto:bo@example.org
ATTACH:file:///etc/passwd
X-ODD;X-P=1:kept\\, as it
  is
BEGIN:VALARM
ACTION:DISPLAY
TRIGGER:-PT5M
DESCRIPTION:Soon
END:VALARM
END:VEVENT
END:VCALENDAR
""".replace("\n", "\r\n")


def times(text: str) -> list[tuple[str, str]]:
    """Return what takes place, by a library that was given the text alone."""
    calendar: Any = Calendar.from_ical(text)
    first, last = datetime(2026, 3, 1, tzinfo=BERLIN), datetime(2026, 5, 1, tzinfo=BERLIN)
    found: list[Any] = list(recurring_ical_events.of(calendar).between(first, last))
    return sorted((one["DTSTART"].dt.astimezone(UTC).strftime("%m-%d %H:%M"), str(one["SUMMARY"])) for one in found)


def changed(step: UpdateEvent | DeleteOccurrence, text: str = SERIES) -> str:
    made = text_after(text, step, BERLIN)
    assert made is not None
    assert vobject.readOne(made).prodid.value == "-//Somebody//Else//EN"
    return made


@pytest.mark.req("S0-55")
def test_a_new_event_is_one_for_another_reader():
    step = CreateEvent("u1", "Title", "2024-01-28T14:00+01:00", "2024-01-28T15:00+01:00", all_day=False, stamp=STAMP)

    event = vobject.readOne(text_after(None, step, BERLIN)).vevent

    assert (event.uid.value, event.summary.value) == ("u1", "Title")
    assert event.dtstart.value == datetime(2024, 1, 28, 13, tzinfo=UTC)
    assert (event.dtend.value - event.dtstart.value).total_seconds() == 3600


def test_an_all_day_event_is_days():
    step = CreateEvent("u1", "T", "2024-01-28", "2024-01-30", all_day=True, stamp=STAMP, location="A; B, C\\D")

    event = vobject.readOne(text_after(None, step, BERLIN)).vevent

    assert [str(event.dtstart.value), str(event.dtend.value)] == ["2024-01-28", "2024-01-30"]
    assert event.location.value == "A; B, C\\D"


@pytest.mark.req("S0-56", "S1-26")
@pytest.mark.parametrize(
    ("due", "reads"), [("2024-01-28T14:00+01:00", "2024-01-28 13:00:00+00:00"), ("2024-01-28", "2024-01-28"), ("", "")]
)
def test_a_new_reminder_is_a_to_do(due: str, reads: str):
    made = text_after(None, CreateReminder("u1", "Call", "About\nlunch", due, stamp=STAMP), BERLIN)

    todo = vobject.readOne(made).vtodo

    assert (todo.summary.value, todo.description.value) == ("Call", "About\nlunch")
    assert (str(todo.due.value) if due else "") == reads


@pytest.mark.req("CA-06")
def test_a_new_title_leaves_every_other_line_as_it_was():
    made = changed(UpdateEvent(UID, "m1", title="Daily", stamp=STAMP))

    gone = [line for line in SERIES.splitlines() if line not in made.splitlines()]
    new = [line for line in made.splitlines() if line not in SERIES.splitlines()]
    assert gone == ["DTSTAMP:20260101T000000Z", "SUMMARY;LANGUAGE=en:Standup"]
    assert new == ["DTSTAMP:20260314T120000Z", "SUMMARY:Daily", "X-SAYSO-CHANGE:m1"]
    assert "ATTACH:file:///etc/passwd" in made


def once(day: int, start: str, end: str, mark: str = "m1", **changes: Any) -> UpdateEvent:
    """Return the change of the one time that the series has on a day of March."""
    offset = "+02:00" if day > 28 else "+01:00"
    start, end = (f"2026-03-{day}T{time}{offset}" for time in (start, end))
    occurrence = f"202603{day}T100000"
    return UpdateEvent(UID, mark, start=start, end=end, all_day=False, stamp=STAMP, occurrence=occurrence, **changes)


def test_one_occurrence_moves_and_the_others_stay():
    made = changed(once(30, "18:00", "19:00"))

    before, now = times(SERIES), times(made)
    assert set(before) - set(now) == {("03-30 08:00", "Standup")}
    assert set(now) - set(before) == {("03-30 16:00", "Standup")}
    assert len(now) == 14
    again = times(changed(once(30, "20:00", "21:00", "m2", title="Late"), made))
    assert set(again) - set(before) == {("03-30 18:00", "Late")}


def test_one_occurrence_goes_and_the_others_stay_also_one_that_was_moved():
    for text in (SERIES, changed(once(22, "18:00", "19:00"))):
        made = changed(DeleteOccurrence(UID, "m2", "20260322T100000", stamp=STAMP), text)

        assert set(times(SERIES)) - set(times(made)) == {("03-22 09:00", "Standup")}
        assert len(times(made)) == 13


def test_all_of_a_series_is_called_anew_but_for_what_was_called_otherwise():
    one = changed(once(22, "10:00", "10:15", title="Special"))
    two = changed(once(23, "10:00", "10:15", "m2", location="Room"), one)

    named = dict(times(changed(UpdateEvent(UID, "m3", title="Daily", stamp=STAMP), two)))

    assert named["03-22 09:00"] == "Special"
    assert {name for when, name in named.items() if when != "03-22 09:00"} == {"Daily"}


@pytest.mark.req("T-46")
def test_a_series_keeps_its_clock_time_over_the_change_of_clocks():
    made = changed(UpdateEvent(UID, "m1", title="Daily", stamp=STAMP))

    assert [when for when, _ in times(made)][8:10] == ["03-28 09:00", "03-29 08:00"]


def test_what_is_written_whole_or_taken_away_is_so():
    assert text_after("x", PutEntry("u", "raw"), BERLIN) == "raw"
    assert text_after("x", DeleteEntry("u"), BERLIN) is None


def test_what_is_gone_or_makes_no_sense_is_not_changed():
    for text in (None, "BEGIN:VCALENDAR\r\n", SERIES.replace("series@", "other@")):
        with pytest.raises(ProviderError):
            text_after(text, UpdateEvent(UID, "m1", title="x", stamp=STAMP), BERLIN)


EVENT = (
    "BEGIN:VCALENDAR\r\nPRODID:a\r\nBEGIN:VEVENT\r\nUID:a\r\nSUMMARY:Lunch\\, long\r\n"
    "DTSTART;TZID=Europe/Berlin:20260314T120000\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        ("PRODID:a", "PRODID:b", ""),
        ("SUMMARY:Lunch\\, long", "SUMMARY;LANGUAGE=en:Lunch\\,\r\n  long", ""),
        ("DTSTART;TZID=Europe/Berlin:20260314T120000", "DTSTART:20260314T110000Z", ""),
        ("SUMMARY:Lunch\\, long", "SUMMARY:Lunch", "the title"),
        ("20260314T120000", "20260314T130000", "the start"),
        ("RRULE:FREQ=DAILY", "RRULE:FREQ=WEEKLY", "how it repeats"),
        ("UID:a", "UID:b", "all of it"),
    ],
)
def test_what_a_person_would_notice_differs(was: str, now: str, says: str):
    assert describe_differences(EVENT, EVENT.replace(was, now), "a") == says


def test_order_and_folding_say_nothing():
    other = EVENT.replace("UID:a\r\nSUMMARY:Lunch\\, long\r\n", "SUMMARY:Lun\r\n ch\\, long\r\nUID:a\r\nDTSTAMP:x\r\n")

    assert same_lines(EVENT, other)
    assert not same_lines(EVENT, EVENT.replace("UID:a", "UID:b"))
    assert not same_lines(EVENT, "nothing")
