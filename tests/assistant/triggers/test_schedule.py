"""Schedules are due when clocks show their times, also where clocks skip an hour or show it twice."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.assistant.triggers.schedule import schedule
from sayso.core.errors import SetupError

ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Casablanca", "UTC")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def dues(text: str, zone: str, begin: str, count: int = 3) -> list[str]:
    moment, found = utc(begin), list[str]()
    for _ in range(count):
        moment = schedule(text, zone).after(moment) or moment
        found.append(f"{moment:%m-%d %H:%M}")
    return found


@pytest.mark.req("S0-03")
@pytest.mark.parametrize(
    ("text", "zone", "begin", "found"),
    [
        ("daily 18:00", "UTC", "2027-01-01 17:59:59", ["01-01 18:00", "01-02 18:00", "01-03 18:00"]),
        ("daily 18:00", "UTC", "2027-01-01 18:00", ["01-02 18:00", "01-03 18:00", "01-04 18:00"]),
        ("Daily  9:05", "Asia/Kolkata", "2027-01-01 00:00", ["01-01 03:35", "01-02 03:35", "01-03 03:35"]),
        ("0 18 * * 1-5", "Europe/Berlin", "2027-01-01 17:00", ["01-04 17:00", "01-05 17:00", "01-06 17:00"]),
        ("weekdays 18:00", "Europe/Berlin", "2027-01-01 17:00", ["01-04 17:00", "01-05 17:00", "01-06 17:00"]),
        ("weekends 8:30", "UTC", "2027-01-01 17:00", ["01-02 08:30", "01-03 08:30", "01-09 08:30"]),
        ("hourly", "UTC", "2027-01-01 17:30", ["01-01 18:00", "01-01 19:00", "01-01 20:00"]),
        ("0 0 29 2 *", "UTC", "2027-01-01 00:00", ["02-29 00:00", "02-29 00:00", "02-29 00:00"]),
    ],
)
def test_a_schedule_is_due_when_the_clocks_of_its_zone_show_it(text: str, zone: str, begin: str, found: list[str]):
    assert dues(text, zone, begin) == found


# Clocks in Berlin go from 02:00 to 03:00 on 2027-03-28 at 01:00 UTC, and back on 2027-10-31 at 01:00 UTC.
@pytest.mark.req("S0-03")
@pytest.mark.parametrize(
    ("text", "begin", "found"),
    [
        ("daily 02:30", "2027-03-27 12:00", ["03-28 01:00", "03-29 00:30", "03-30 00:30"]),
        ("daily 02:30", "2027-10-30 12:00", ["10-31 00:30", "11-01 01:30", "11-02 01:30"]),
        ("daily 02:30", "2027-10-31 00:30", ["11-01 01:30", "11-02 01:30", "11-03 01:30"]),
        ("daily 02:30", "2027-10-31 01:10", ["11-01 01:30", "11-02 01:30", "11-03 01:30"]),
        ("daily 03:00", "2027-03-27 12:00", ["03-28 01:00", "03-29 01:00", "03-30 01:00"]),
        ("hourly", "2027-10-30 23:30", ["10-31 00:00", "10-31 01:00", "10-31 02:00"]),
        ("hourly", "2027-03-28 00:00", ["03-28 01:00", "03-28 02:00", "03-28 03:00"]),
    ],
)
def test_an_hour_that_clocks_skip_or_show_twice_is_due_once(text: str, begin: str, found: list[str]):
    assert dues(text, "Europe/Berlin", begin) == found


MOMENTS = st.integers(0, 3 * 366 * 86400).map(lambda seconds: utc("2026-01-01") + timedelta(seconds=seconds))
TIMES = st.tuples(st.integers(0, 23), st.integers(0, 59))


@given(MOMENTS, TIMES, st.sampled_from(ZONES))
def test_daily_is_due_once_on_every_day(moment: datetime, time: tuple[int, int], zone: str):
    read = schedule(f"daily {time[0]}:{time[1]:02}", zone)
    first = read.after(moment)
    assert first is not None
    second = read.after(first)
    assert second is not None

    days = [due.astimezone(ZoneInfo(zone)).date() for due in (first, second)]
    assert moment < first < second
    assert days[1] - days[0] == timedelta(days=1)
    assert first.astimezone(ZoneInfo(zone)).date() - moment.astimezone(ZoneInfo(zone)).date() <= timedelta(days=1)


@given(MOMENTS, TIMES, st.sampled_from(ZONES), st.integers(0, 30 * 86400))
def test_the_last_due_time_is_the_last_of_those_that_come(
    moment: datetime, time: tuple[int, int], zone: str, more: int
):
    read, until = schedule(f"{time[1]} {time[0]} * * 1-5", zone), moment + timedelta(seconds=more)

    found, due = None, read.after(moment)
    while due is not None and due <= until:
        found, due = due, read.after(due)

    assert read.last(moment, until) == found


def test_of_years_of_minutes_the_last_one_is_found_at_once():
    found = schedule("* * * * *", "Europe/Berlin").last(utc("2001-01-01"), utc("2027-01-01 00:00:30"))

    assert found == utc("2027-01-01 00:00")


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("", "is no schedule; write"),
        ("daily 25:00", "bad hour"),
        ("daily", "is no schedule; write"),
        ("* * * *", "is no schedule; write"),
        ("* * * * * *", "is no schedule; write"),
        ("61 * * * *", "bad minute"),
        ("0 0 31 2 *", "bad day-of-month"),
    ],
)
def test_what_is_no_schedule_is_told_with_what_to_write(text: str, because: str):
    with pytest.raises(SetupError, match=because) as told:
        schedule(text)

    assert "daily 18:00" in str(told.value)


@pytest.mark.parametrize("zone", ["Mars/Base", "../etc/passwd", "/etc/localtime"])
def test_a_zone_that_there_is_not_is_told(zone: str):
    with pytest.raises(SetupError, match="there is no time zone"):
        schedule("daily 18:00", zone)


def test_without_a_zone_the_computers_own_clock_counts():
    here = schedule("daily 18:00").after(utc("2027-01-01"))

    assert here is not None
    assert here.astimezone().strftime("%H:%M") == "18:00"


@pytest.mark.parametrize(("expression", "said"), [("0 25 * * *", "bad hour"), ("0 0 31 2 *", "bad day-of-month")])
def test_what_is_wrong_with_one_is_said(expression: str, said: str):
    with pytest.raises(SetupError, match=rf"\({said}\)"):
        schedule(expression)
