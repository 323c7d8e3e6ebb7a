"""From when to when something takes place is read when it is clear."""

import pytest

from sayso.models.builtin.times import UnclearTime
from sayso.models.builtin.timespans import TimeSpan, parse_time_span
from tests.models.builtin.scenes import NOW


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("tomorrow from 14:00 to 15:00", "2026-03-05 14:00", "2026-03-05 15:00"),
        ("from 3 to 4pm", "2026-03-04 15:00", "2026-03-04 16:00"),
        ("on friday 12:30-13:30", "2026-03-06 12:30", "2026-03-06 13:30"),
        ("9 to 9:30 am on march 9", "2026-03-09 09:00", "2026-03-09 09:30"),
        ("tomorrow between 10 and 11", "2026-03-05 10:00", "2026-03-05 11:00"),
        ("tomorrow from 9 to 5", "2026-03-05 09:00", "2026-03-05 17:00"),
        ("today at 15:00 for two hours", "2026-03-04 15:00", "2026-03-04 17:00"),
        ("tomorrow from 12 to 13", "2026-03-05 12:00", "2026-03-05 13:00"),
        ("tomorrow 14-16", "2026-03-05 14:00", "2026-03-05 16:00"),
        ("friday half past twelve to half past one", "2026-03-06 12:30", "2026-03-06 13:30"),
        ("friday half twelve to half one", "2026-03-06 12:30", "2026-03-06 13:30"),
        ("monday 2-3pm", "2026-03-09 14:00", "2026-03-09 15:00"),
        ("tomorrow since 13:00 until 14:00", "2026-03-05 13:00", "2026-03-05 14:00"),
        ("tomorrow from 11 am to 1 pm", "2026-03-05 11:00", "2026-03-05 13:00"),
    ],
)
def test_a_clear_span_is_read(text: str, start: str, end: str):
    assert parse_time_span(text.split(), NOW) == TimeSpan(start, end)


@pytest.mark.parametrize(
    "text",
    ["tomorrow from 6 to 7", "last friday from 10 to 11", "today from 10:00 to 11:00", "tomorrow from 15:00 to 14:00"],
)
def test_a_span_that_is_past_or_may_be_another_is_not_clear(text: str):
    assert isinstance(parse_time_span(text.split(), NOW), UnclearTime)


@pytest.mark.parametrize("text", ["", "tomorrow", "tomorrow at 3", "from here to there", "for two hours", "3 to"])
def test_what_says_no_span_is_none(text: str):
    assert parse_time_span(text.split(), NOW) is None
