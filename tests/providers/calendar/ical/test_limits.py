"""An event that would never end, or makes no sense, is not listed; and saying so takes no time."""

import time
from datetime import date

import pytest

from sayso.providers.calendar.ical.limits import must_be_listable
from sayso.providers.calendar.ical.lines import Unreadable, parsed

TODAY = date(2026, 3, 14)


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
    begun = time.perf_counter()

    with pytest.raises(Unreadable, match=why):
        must_be_listable(parsed(calendar(*lines)), TODAY)

    assert time.perf_counter() - begun < 2


def test_a_zone_that_changes_every_second_is_not_listed():
    with pytest.raises(Unreadable, match="time zone"):
        must_be_listable(parsed(calendar("DTSTART;TZID=Mine:20260101T100000", before=ZONE)), TODAY)


@pytest.mark.parametrize(
    "rule", ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,WE", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"]
)
def test_what_people_have_in_their_calendars_is_listed(rule: str):
    zone = ZONE.replace("SECONDLY", "YEARLY;BYMONTH=10;BYDAY=-1SU")

    must_be_listable(parsed(calendar("DTSTART;TZID=Mine:20260101T100000", f"RRULE:{rule}", before=zone)), TODAY)
    must_be_listable(parsed(calendar("DTSTART;TZID=W. Europe Standard Time:20260101T100000")), TODAY)
