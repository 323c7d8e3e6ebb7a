"""Times of day are read in digits and in words."""

import pytest

from sayso.models.embedded.clocks import Clock, clock_at


@pytest.mark.parametrize(
    ("text", "clock", "end"),
    [
        ("six", Clock(6, sure=False), 1),
        ("6", Clock(6, sure=False), 1),
        ("18:30", Clock(18, 30), 1),
        ("06:30", Clock(6, 30), 1),
        ("6:30", Clock(6, 30, sure=False), 1),
        ("6pm", Clock(18), 1),
        ("6:05am", Clock(6, 5), 1),
        ("6 p.m. on", Clock(18), 2),
        ("12 am", Clock(0), 2),
        ("12pm", Clock(12), 1),
        ("noon", Clock(12), 1),
        ("midnight", Clock(0), 1),
        ("half past six", Clock(6, 30, sure=False), 3),
        ("a quarter to six pm", Clock(17, 45), 5),
        ("quarter to one", Clock(12, 45, sure=False), 3),
        ("ten minutes past 18:00", Clock(18, 10), 4),
        ("ten to midnight", Clock(23, 50), 3),
        ("six thirty", Clock(6, 30, sure=False), 2),
        ("six o'clock", Clock(6, sure=False), 2),
        ("25:00", None, 0),
        ("6:60", None, 0),
        ("13pm", None, 0),
        ("0pm", None, 0),
        ("half past", None, 0),
        ("soon", None, 0),
        ("", None, 0),
    ],
)
def test_a_time_of_day_is_read(text: str, clock: Clock | None, end: int):
    assert clock_at(text.split(), 0) == (None if clock is None else (clock, end))
