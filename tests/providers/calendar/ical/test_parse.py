"""A calendar's text is taken apart and put together without a change, within limits and without following its lead."""

import re
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar

from sayso.providers.calendar.ical.limits import must_be_listable
from sayso.providers.calendar.ical.parse import (
    ContentLine,
    Unreadable,
    create_component,
    create_line,
    day_line,
    escape_text,
    find_zone,
    first_day,
    form_of,
    instant_of,
    is_floating,
    like_start,
    line_like,
    logical,
    parse_calendar,
    render_component,
    utc_line,
)
from tests.counted import Calls

HEAD = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n"
NASTY = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from('\r\n\t\x0b\x0c\x85\u2028\u2029\\;,:"^ =ü🙂'),
    max_size=300,
)


@given(NASTY.filter(lambda text: "\0" not in text))
@pytest.mark.req("CA-01")
def test_any_text_is_one_property_for_another_reader(text: str):
    event = create_component(
        "VEVENT", [create_line("UID", "a", "\r\n"), create_line("SUMMARY", escape_text(text), "\r\n")], "\r\n"
    )

    whole = render_component(create_component("VCALENDAR", [event], "\r\n"))

    calendar: Any = Calendar.from_ical(whole)
    (read,) = calendar.walk("VEVENT")
    assert sorted(read) == ["SUMMARY", "UID"]
    wanted = re.sub("\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]", "\n", text)
    assert str(read["SUMMARY"]) == wanted
    assert parse_calendar(whole).parts("VEVENT")[0].line("SUMMARY").text == wanted
    assert all(len(line.encode()) <= 75 for line in whole.split("\r\n"))


@given(st.lists(NASTY), st.sampled_from(["\r\n", "\n"]))
def test_what_was_taken_apart_is_put_together_byte_for_byte(values: list[str], newline: str):
    kept = (value.replace("\r", "").replace("\n", "") for value in values)
    lines = "".join(f"X-{number}:{value}{newline} folded{newline}" for number, value in enumerate(kept))
    text = f"BEGIN:VCALENDAR{newline}{lines}BEGIN:VEVENT{newline}END:VEVENT{newline}END:VCALENDAR{newline}"

    assert render_component(parse_calendar(text)) == text
    assert "".join(line.raw for line in logical(text)) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not one whole calendar"),
        (HEAD, "not one whole calendar"),
        (f"{HEAD}BEGIN:VEVENT\r\nEND:VTODO\r\nEND:VCALENDAR\r\n", "has no end"),
        (f"{HEAD}END:VCALENDAR\r\n" * 2, "not one whole calendar"),
        ("BEGIN:VCALENDAR\r\n" * 20, "nested too deep"),
        (f"{HEAD}X:{'x' * 2**20}\r\nEND:VCALENDAR\r\n", "longer than"),
    ],
    ids=["nothing", "half", "crossed", "two", "deep", "long"],
)
@pytest.mark.req("CA-03")
def test_what_is_no_calendar_says_why(text: str, why: str):
    with pytest.raises(Unreadable, match=why):
        parse_calendar(text)


def test_parameters_are_read_with_and_without_quotes():
    (line,) = logical('ATTENDEE;CN="Ana; B: C";ROLE=CHAIR:mailto:ana@example.org\r\n')

    assert (line.name, line.value) == ("ATTENDEE", "mailto:ana@example.org")
    assert (line.param("CN"), line.param("ROLE"), line.param("X")) == ("Ana; B: C", "CHAIR", "")


BERLIN = ZoneInfo("Europe/Berlin")


def line(text: str) -> ContentLine:
    return next(logical(f"{text}\r\n"))


@pytest.mark.req("T-46")
@pytest.mark.parametrize(
    ("form", "when", "becomes"),
    [
        (
            "DTSTART;TZID=Europe/Berlin:20260101T100000",
            "2026-07-01T12:00+02:00",
            "DTSTART;TZID=Europe/Berlin:20260701T120000",
        ),
        (
            "DTSTART;TZID=America/New_York:20260101T100000",
            "2026-07-01T12:00+02:00",
            "DTSTART;TZID=America/New_York:20260701T060000",
        ),
        ("DTSTART:20260101T100000Z", "2026-01-01T12:00+01:00", "DTSTART:20260101T110000Z"),
        ("DTSTART:20260101T100000", "2026-07-01T12:00+02:00", "DTSTART:20260701T120000"),
        ("DTSTART;TZID=Nowhere:20260101T100000", "2026-07-01T12:00+02:00", "DTSTART:20260701T100000Z"),
        # The hour that comes twice: the first is what the zone's own form means, the second needs UTC.
        (
            "DTSTART;TZID=Europe/Berlin:20260101T100000",
            "2026-10-25T02:30+02:00",
            "DTSTART;TZID=Europe/Berlin:20261025T023000",
        ),
        ("DTSTART;TZID=Europe/Berlin:20260101T100000", "2026-10-25T02:30+01:00", "DTSTART:20261025T013000Z"),
    ],
)
def test_a_time_is_written_in_the_form_of_another(form: str, when: str, becomes: str):
    assert line_like(line(form), "DTSTART", when, "\r\n", BERLIN).raw == f"{becomes}\r\n"


def test_days_and_times_have_lines():
    assert day_line("DTSTART", "2026-03-14", "\n").raw == "DTSTART;VALUE=DATE:20260314\n"
    assert utc_line("DTSTAMP", "2026-03-14T13:00+01:00", "\n").raw == "DTSTAMP:20260314T120000Z\n"
    assert first_day(line("DTSTART;TZID=Europe/Berlin:20260314T100000")) == date(2026, 3, 14)
    assert is_floating(line("DTSTART:20260314T100000"))
    assert find_zone("../etc/passwd") is None


@pytest.mark.parametrize(
    ("form", "when", "value", "params"),
    [
        ("DTSTART;VALUE=DATE:20260101", date(2026, 3, 14), "20260314", ";VALUE=DATE"),
        ("DTSTART:20260101T100000Z", datetime(2026, 3, 14, 10, tzinfo=UTC), "20260314T100000Z", ""),
        (
            "DTSTART;TZID=Europe/Berlin:20260101T100000",
            datetime(2026, 3, 14, 10, tzinfo=UTC),
            "20260314T110000",
            ";TZID=Europe/Berlin",
        ),
    ],
)
def test_an_occurrence_is_named_in_the_form_of_the_start(form: str, when: date, value: str, params: str):
    assert like_start(line(form), when) == value
    assert form_of(line(form)) == params


def test_two_forms_of_one_moment_are_the_same():
    berlin, utc = line("X;TZID=Europe/Berlin:20260314T110000"), line("X:20260314T100000Z")

    assert instant_of(berlin) == instant_of(utc)
    assert instant_of(berlin) != instant_of(line("X:20260314T110000"))


def test_what_is_no_date_is_none():
    with pytest.raises(Unreadable, match="no date"):
        first_day(line("DTSTART:soon"))


TODAY = date(2026, 3, 14)
MOST_CALLS = 100_000
"""Fewer than there are days, or hours, that one of these events would take place on."""


def calendar(*lines: str, before: str = "") -> str:
    event = "".join(f"{line}\r\n" for line in ("BEGIN:VEVENT", "UID:a", *lines, "END:VEVENT"))
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n{before}{event}END:VCALENDAR\r\n"


START = "DTSTART:20260101T100000Z"
DATES = ",".join(["20260101T100000Z"] * 5001)
ZONE = (
    "BEGIN:VTIMEZONE\r\nTZID:Mine\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0100\r\n"
    "RRULE:FREQ=SECONDLY\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
)


@pytest.mark.req("CA-03")
@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([START, "RRULE:FREQ=SECONDLY"], "more often than every hour"),
        ([START, "RRULE:FREQ=MINUTELY;COUNT=3"], "more often than every hour"),
        (["DTSTART:19000101T100000Z", "RRULE:FREQ=HOURLY"], "too often"),
        (["DTSTART:19900101T100000Z", "RRULE:FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=1,2,3"], "too often"),
        ([START, "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"], "no month has"),
        ([START, "RRULE:FREQ=DAILY;BYSETPOS=5"], "not one that can be listed"),
        ([START, "RRULE:FREQ=NEVER"], "no sense"),
        ([START, "RRULE:FREQ=DAILY;INTERVAL=0"], "no sense"),
        ([START, "RRULE:FREQ=DAILY;INTERVAL=-1"], "no sense"),
        ([START, f"RRULE:FREQ=DAILY;INTERVAL={'9' * 30}"], "no sense"),
        ([START, "DURATION:P100000D", "RRULE:FREQ=DAILY"], "at the same time"),
        ([START, "DURATION:P0DT2400000H", "RRULE:FREQ=DAILY"], "at the same time"),
        ([START, "DURATION:P10000W", "RRULE:FREQ=WEEKLY"], "at the same time"),
        ([START, "DTEND:20290101T100000Z", "RRULE:FREQ=DAILY"], "at the same time"),
        (["DTSTART:19000101T100000Z", *["RRULE:FREQ=DAILY"] * 3], "too often"),
        ([START, f"EXDATE:{DATES}"], "one by one"),
        (["DTSTART;VALUE=DATE:20260102", "DTEND;VALUE=DATE:20260101"], "ends before it starts"),
        (["DTSTART:99990101T100000Z"], "year 9999"),
        (["DTSTART:00010101T100000Z"], "year 1"),
        (["DTSTART;TZID=Mars/Olympus:20260101T100000"], "Mars/Olympus"),
        (["DTSTART:soon"], "no date"),
        (["SUMMARY:x"], "no start"),
    ],
)
def test_what_cannot_be_listed_says_why_at_once(lines: list[str], why: str):
    text = calendar(*lines)

    with Calls() as calls, pytest.raises(Unreadable, match=why):
        must_be_listable(parse_calendar(text), TODAY)

    assert calls.count < MOST_CALLS


def test_a_zone_that_changes_every_second_is_not_listed():
    with pytest.raises(Unreadable, match="time zone"):
        must_be_listable(parse_calendar(calendar("DTSTART;TZID=Mine:20260101T100000", before=ZONE)), TODAY)


@pytest.mark.req("CA-03")
@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU",
        "FREQ=YEARLY;BYDAY=MO",
        "FREQ=YEARLY;BYMONTH=1,2,3;BYDAY=-1SU",
        "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;BYHOUR=1,2,3",
        "FREQ=YEARLY;INTERVAL=0",
    ],
)
def test_a_zone_whose_rule_is_none_that_zones_have_is_not_listed(rule: str):
    zone = ZONE.replace("FREQ=SECONDLY", rule)

    with pytest.raises(Unreadable):
        must_be_listable(parse_calendar(calendar("DTSTART;TZID=Mine:20260101T100000", before=zone)), TODAY)


@pytest.mark.req("CA-03")
def test_many_events_of_one_text_count_together():
    events = "".join(
        f"BEGIN:VEVENT\r\nUID:{at}\r\nDTSTART:19900101T100000Z\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT\r\n" for at in range(9)
    )

    with pytest.raises(Unreadable, match="too often"):
        must_be_listable(parse_calendar(calendar(START, before=events)), TODAY)


@pytest.mark.parametrize(
    "rule", ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,WE", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"]
)
def test_what_people_have_in_their_calendars_is_listed(rule: str):
    zone = ZONE.replace("SECONDLY", "YEARLY;BYMONTH=10;BYDAY=-1SU")

    must_be_listable(parse_calendar(calendar("DTSTART;TZID=Mine:20260101T100000", f"RRULE:{rule}", before=zone)), TODAY)
    must_be_listable(parse_calendar(calendar("DTSTART;TZID=W. Europe Standard Time:20260101T100000")), TODAY)
