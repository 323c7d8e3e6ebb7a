"""Days are read in digits and in words, and it is said where another may be meant."""

from datetime import date

import pytest

from sayso.models.embedded.days import day_at

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
