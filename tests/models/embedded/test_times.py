"""A time is read from words when it is clear which, and else it is said what is not clear."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from sayso.models.embedded.times import Unclear, When, when
from tests.models.embedded.scenes import NOW


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
    found = when(text.split(), NOW)

    assert isinstance(found, When)
    assert found.text == due


@pytest.mark.parametrize(
    "text",
    [
        "yesterday",
        "today at 9 am",
        "at 9 this morning",
        "later",
        "next week",
        "this weekend",
        "tomorrow at six",
        "at 2",
        "on wednesday",
        "next friday",
        "in an hour at 6",
        "soon",
        "tonight",
        "tomorrow afternoon",
        "at 14:00",
    ],
)
def test_a_time_that_is_past_or_may_be_another_is_not_clear(text: str):
    assert isinstance(when(text.split(), NOW), Unclear)


@pytest.mark.parametrize("text", ["", "the", "at", "8", "six", "8 by friday", "to call", "at six to call", "at 25:00"])
def test_what_says_no_time_is_none(text: str):
    assert when(text.split(), NOW) is None


def test_so_long_from_now_is_so_long_when_clocks_change():
    night = datetime(2026, 3, 29, 1, 30, tzinfo=ZoneInfo("Europe/Vienna"))

    found = when(["in", "an", "hour"], night)

    assert isinstance(found, When)
    assert found.text == "2026-03-29 03:30"


def test_later_in_the_evening_may_end_on_the_next_day():
    assert When(NOW.date(), NOW.time()).after(600).text == "2026-03-05 00:30"
