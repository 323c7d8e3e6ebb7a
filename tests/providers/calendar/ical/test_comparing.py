"""Two texts say the same of an event, or it is named what differs."""

import pytest

from sayso.providers.calendar.ical.comparing import differs, same_lines

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
    assert differs(EVENT, EVENT.replace(was, now), "a") == says


def test_order_and_folding_say_nothing():
    other = EVENT.replace("UID:a\r\nSUMMARY:Lunch\\, long\r\n", "SUMMARY:Lun\r\n ch\\, long\r\nUID:a\r\nDTSTAMP:x\r\n")

    assert same_lines(EVENT, other)
    assert not same_lines(EVENT, EVENT.replace("UID:a", "UID:b"))
    assert not same_lines(EVENT, "nothing")
