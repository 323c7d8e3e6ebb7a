"""Dates are written in the form in which an event has them, and exactly; clocks that go back and forward included."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from sayso.providers.calendar.ical.dates import (
    day_line,
    first_day,
    form_of,
    instant_of,
    is_floating,
    like_start,
    line_like,
    utc_line,
    zone_called,
)
from sayso.providers.calendar.ical.lines import Line, Unreadable, logical

BERLIN = ZoneInfo("Europe/Berlin")


def line(text: str) -> Line:
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
    assert zone_called("../etc/passwd") is None


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
