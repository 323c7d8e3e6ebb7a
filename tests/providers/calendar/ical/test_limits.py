"""An event that would never end, or makes no sense, is not listed; and saying so takes few steps."""

from datetime import date

import pytest

from sayso.providers.calendar.ical.limits import must_be_listable
from sayso.providers.calendar.ical.parse import Unreadable, parse_calendar
from tests.counted import Calls

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
