"""What stands in the text of an entry is told to the person in words and in times that can be compared."""

import pytest

from sayso.providers.calendar.shown import shown_entry

EVENT = """BEGIN:VCALENDAR
BEGIN:VEVENT
UID:e1
SUMMARY:Review\\, the second
LOCATION:Room 1
{}
END:VEVENT
END:VCALENDAR
"""


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("DTSTART;TZID=Europe/Berlin:20260318T100000", "2026-03-18T09:00:00+00:00"),
        ("DTSTART:20260318T100000Z", "2026-03-18T10:00:00Z"),
        ("DTSTART:20260318T100000", "2026-03-18T10:00:00"),
        ("DTSTART;VALUE=DATE:20260318", "2026-03-18"),
    ],
)
def test_an_event_is_told_with_its_title_place_and_start(line: str, start: str):
    shown = shown_entry(EVENT.format(line))

    assert shown == {"title": "Review, the second", "location": "Room 1", "start": start}


@pytest.mark.parametrize("raw", ["", "words", '{"title": 3}', "{", "BEGIN:VCALENDAR\nEND:VCALENDAR\n"])
def test_of_a_text_that_is_no_entry_nothing_is_told(raw: str):
    assert shown_entry(raw) == {}
