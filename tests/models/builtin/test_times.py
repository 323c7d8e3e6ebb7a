"""Whole numbers are read in digits and in words."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from sayso.models.builtin.times import (
    Duration,
    PointInTime,
    TimeOfDay,
    UnclearTime,
    day_at,
    delay_at,
    duration_at,
    interval_hours,
    number,
    ordinal,
    parse_time,
    time_of_day_at,
)
from tests.models.builtin.scenes import NOW


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0), ("007", 7), ("twelve", 12), ("twenty", 20), ("twenty-five", 25), ("ninety nine", 99),
        ("hundred", 100), ("a hundred", 100), ("one hundred", 100), ("zero", 0), ("a", None), ("", None),
        ("twenty eleven", None), ("1234567890", None), ("٣", None), ("1.5", None), ("-1", None),
    ],
)  # fmt: skip
def test_a_number_is_read(text: str, value: int | None):
    assert number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("first", 1), ("3rd", 3), ("21st", 21), ("twelfth", 12), ("th", None), ("3", None), ("last", None), ("", None)],
)
def test_a_place_in_a_row_is_read(text: str, value: int | None):
    assert ordinal(text) == value


@pytest.mark.parametrize(
    ("text", "clock", "end"),
    [
        ("six", TimeOfDay(6, sure=False), 1),
        ("6", TimeOfDay(6, sure=False), 1),
        ("18:30", TimeOfDay(18, 30), 1),
        ("06:30", TimeOfDay(6, 30), 1),
        ("6:30", TimeOfDay(6, 30, sure=False), 1),
        ("6pm", TimeOfDay(18), 1),
        ("6:05am", TimeOfDay(6, 5), 1),
        ("6 p.m. on", TimeOfDay(18), 2),
        ("12 am", TimeOfDay(0), 2),
        ("12pm", TimeOfDay(12), 1),
        ("noon", TimeOfDay(12), 1),
        ("midnight", TimeOfDay(0), 1),
        ("half past six", TimeOfDay(6, 30, sure=False), 3),
        ("a quarter to six pm", TimeOfDay(17, 45), 5),
        ("quarter to one", TimeOfDay(12, 45, sure=False), 3),
        ("ten minutes past 18:00", TimeOfDay(18, 10), 4),
        ("ten to midnight", TimeOfDay(23, 50), 3),
        ("six thirty", TimeOfDay(6, 30, sure=False), 2),
        ("six o'clock", TimeOfDay(6, sure=False), 2),
        ("25:00", None, 0),
        ("6:60", None, 0),
        ("13pm", None, 0),
        ("0pm", None, 0),
        ("half past", None, 0),
        ("soon", None, 0),
        ("", None, 0),
    ],
)
def test_a_time_of_day_is_read(text: str, clock: TimeOfDay | None, end: int):
    assert time_of_day_at(text.split(), 0) == (None if clock is None else (clock, end))


WEDNESDAY = date(2026, 3, 4)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("today", "2026-03-04"),
        ("tomorrow", "2026-03-05"),
        ("tommorow", "2026-03-05"),
        ("the day after tomorrow", "2026-03-06"),
        ("friday", "2026-03-06"),
        ("tues", "2026-03-10"),
        ("this sunday", "2026-03-08"),
        ("next tuesday", "2026-03-10"),
        ("march 5th", "2026-03-05"),
        ("5 march", "2026-03-05"),
        ("the 5th of april", "2026-04-05"),
        ("august 1", "2026-08-01"),
        ("february 1 2028", "2028-02-01"),
        ("the 3rd", "2026-04-03"),
        ("the 31st", "2026-03-31"),
        ("2026-12-24", "2026-12-24"),
    ],
)
def test_a_day_is_read(text: str, day: str):
    found = day_at(text.split(), 0, WEDNESDAY)

    assert found is not None
    assert (found[0].day.isoformat(), found[0].unclear, found[1]) == (day, "", len(text.split()))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("yesterday", "past"),
        ("last friday", "past"),
        ("march 3 2026", "past"),
        ("feb 1", "past"),
        ("wednesday", "today is a wednesday"),
        ("next friday", "a week later"),
    ],
)
def test_a_day_that_is_past_or_may_be_another_is_not_clear(text: str, why: str):
    found = day_at(text.split(), 0, WEDNESDAY)

    assert found is not None
    assert why in found[0].unclear


@pytest.mark.parametrize("text", ["", "soon", "february 30", "2026-02-30", "the 32nd", "march", "next", "5", "may i"])
def test_what_is_no_day_is_none(text: str):
    assert day_at(text.split(), 0, WEDNESDAY) is None


def test_a_day_that_is_long_past_is_meant_for_next_year():
    found = day_at(["february", "3rd"], 0, date(2026, 11, 20))

    assert found is not None
    assert (found[0].day.isoformat(), found[0].unclear) == ("2027-02-03", "")


def test_a_day_of_a_month_too_short_for_it_is_none():
    assert day_at(["the", "30th"], 0, date(2026, 2, 1)) is None


@pytest.mark.parametrize(
    ("text", "long"),
    [
        ("20 minutes", Duration(20)),
        ("an hour", Duration(60)),
        ("half an hour", Duration(30)),
        ("an hour and a half", Duration(90)),
        ("2 hours and a half", Duration(150)),
        ("1 hour 30 minutes", Duration(90)),
        ("1.5 hours", Duration(90)),
        ("2h", Duration(120)),
        ("two and a half hours", Duration(150)),
        ("a couple of days", Duration(days=2)),
        ("three weeks", Duration(days=21)),
        ("45min", Duration(45)),
        ("a quarter of an hour", Duration(15)),
        ("0 minutes", None),
        ("soon", None),
        ("1.5 days", None),
        ("a while", None),
        ("999999 hours", None),
        ("", None),
    ],
)
def test_how_long_something_takes_is_read(text: str, long: Duration | None):
    words = text.split()

    assert duration_at(words, 0) == (None if long is None else (long, len(words)))


@pytest.mark.parametrize("text", ["in 20 minutes", "20 minutes from now"])
def test_how_long_from_now_is_read(text: str):
    words = text.split()

    assert delay_at(words, 0) == (Duration(20), len(words))


def test_a_length_alone_is_not_from_now():
    assert delay_at(["20", "minutes"], 0) is None


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("daily", 24), ("every day", 24), ("each day", 24), ("every 4 hours", 4), ("every hour", 1),
        ("once a week", 168), ("weekly", 168), ("every other day", 48), ("every second day", 48),
        ("twice a day", 12), ("every 90 minutes", 1.5), ("every two weeks", 336), ("every morning", 24),
        ("every", None), ("every now and then", None), ("monthly", None), ("", None),
    ],
)  # fmt: skip
def test_how_often_is_read(text: str, hours: float | None):
    assert interval_hours(text.split()) == hours


@pytest.mark.req("T-46")
@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("at six", "2026-03-04 18:00"),
        ("at 3", "2026-03-04 15:00"),
        ("at 8 am", "2026-03-05 08:00"),
        ("at 18:30", "2026-03-04 18:30"),
        ("in 20 minutes", "2026-03-04 14:50"),
        ("in an hour and a half", "2026-03-04 16:00"),
        ("in 3 days", "2026-03-07"),
        ("in a week", "2026-03-11"),
        ("in 2 days at noon", "2026-03-06 12:00"),
        ("tomorrow", "2026-03-05"),
        ("tomorrow at 8", "2026-03-05 08:00"),
        ("tomorrow at 3", "2026-03-05 15:00"),
        ("tomorrow morning", "2026-03-05 09:00"),
        ("tomorrow morning at 6", "2026-03-05 06:00"),
        ("at 8 tomorrow evening", "2026-03-05 20:00"),
        ("at half past seven tonight", "2026-03-04 19:30"),
        ("on friday at 12:30", "2026-03-06 12:30"),
        ("on march 9th at 5 pm", "2026-03-09 17:00"),
        ("2026-04-01 at 09:15", "2026-04-01 09:15"),
        ("at midnight", "2026-03-05 00:00"),
    ],
)
def test_a_clear_time_is_read(text: str, due: str):
    found = parse_time(text.split(), NOW)

    assert isinstance(found, PointInTime)
    assert found.text == due


@pytest.mark.parametrize(
    "text",
    [
        "yesterday", "today at 9 am", "at 9 this morning", "later", "next week", "this weekend",
        "tomorrow at six", "at 2", "on wednesday", "next friday", "in an hour at 6", "soon", "tonight",
        "tomorrow afternoon", "at 14:00",
    ],
)  # fmt: skip
def test_a_time_that_is_past_or_may_be_another_is_not_clear(text: str):
    assert isinstance(parse_time(text.split(), NOW), UnclearTime)


@pytest.mark.parametrize("text", ["", "the", "at", "8", "six", "8 by friday", "to call", "at six to call", "at 25:00"])
def test_what_says_no_time_is_none(text: str):
    assert parse_time(text.split(), NOW) is None


def test_so_long_from_now_is_so_long_when_clocks_change():
    night = datetime(2026, 3, 29, 1, 30, tzinfo=ZoneInfo("Europe/Vienna"))

    found = parse_time(["in", "an", "hour"], night)

    assert isinstance(found, PointInTime)
    assert found.text == "2026-03-29 03:30"


def test_later_in_the_evening_may_end_on_the_next_day():
    assert PointInTime(NOW.date(), NOW.time()).after(600).text == "2026-03-05 00:30"
