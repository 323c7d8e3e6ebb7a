"""How long and how often is read in words and digits."""

import pytest

from sayso.models.embedded.lapses import Lapse, lapse_at, long_at, often


@pytest.mark.parametrize(
    ("text", "long"),
    [
        ("20 minutes", Lapse(20)),
        ("an hour", Lapse(60)),
        ("half an hour", Lapse(30)),
        ("an hour and a half", Lapse(90)),
        ("2 hours and a half", Lapse(150)),
        ("1 hour 30 minutes", Lapse(90)),
        ("1.5 hours", Lapse(90)),
        ("2h", Lapse(120)),
        ("two and a half hours", Lapse(150)),
        ("a couple of days", Lapse(days=2)),
        ("three weeks", Lapse(days=21)),
        ("45min", Lapse(45)),
        ("a quarter of an hour", Lapse(15)),
        ("0 minutes", None),
        ("soon", None),
        ("1.5 days", None),
        ("a while", None),
        ("999999 hours", None),
        ("", None),
    ],
)
def test_how_long_something_takes_is_read(text: str, long: Lapse | None):
    words = text.split()

    assert long_at(words, 0) == (None if long is None else (long, len(words)))


@pytest.mark.parametrize("text", ["in 20 minutes", "20 minutes from now"])
def test_how_long_from_now_is_read(text: str):
    words = text.split()

    assert lapse_at(words, 0) == (Lapse(20), len(words))


def test_a_length_alone_is_not_from_now():
    assert lapse_at(["20", "minutes"], 0) is None


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("daily", 24),
        ("every day", 24),
        ("each day", 24),
        ("every 4 hours", 4),
        ("every hour", 1),
        ("once a week", 168),
        ("weekly", 168),
        ("every other day", 48),
        ("every second day", 48),
        ("twice a day", 12),
        ("every 90 minutes", 1.5),
        ("every two weeks", 336),
        ("every morning", 24),
        ("every", None),
        ("every now and then", None),
        ("monthly", None),
        ("", None),
    ],
)
def test_how_often_is_read(text: str, hours: float | None):
    assert often(text.split()) == hours
