"""Days, ages and sizes are read to the second and the byte."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from sayso.providers.mail.query.parsing import parse
from sayso.providers.mail.query.terms import Before
from sayso.providers.mail.query.values import Asked, read_day, read_size

ASKED = Asked(datetime(2026, 3, 31, 12, tzinfo=UTC), UTC, ("ana@x.org", "anna@y.org"))


@pytest.mark.parametrize(
    ("query", "moment"),
    [
        ("before:2025/03/30", "2025-03-29T23:00:00Z"),
        ("before:2025/03/31", "2025-03-30T22:00:00Z"),
        ("older_than:1m", "2026-02-28T11:00:00Z"),
        ("older_than:13m", "2025-02-28T11:00:00Z"),
        ("older_than:2y", "2024-03-31T10:00:00Z"),
        ("older_than:2d", "2026-03-29T10:00:00Z"),
    ],
)
def test_days_begin_and_months_are_counted_in_the_persons_own_time(query: str, moment: str):
    asked = Asked(datetime(2026, 3, 31, 10, tzinfo=UTC), ZoneInfo("Europe/Berlin"))

    assert parse(query, asked).term == Before(datetime.fromisoformat(moment))


@pytest.mark.parametrize(("text", "size"), [("0", 0), ("7", 7), ("1k", 1024), ("2MB", 2 * 1024**2), ("1G", 1024**3)])
def test_sizes_are_counted_in_powers_of_two(text: str, size: int):
    assert read_size("larger", text) == size


def test_a_day_that_clocks_begin_an_hour_late_begins_there():
    assert read_day("after", "2018/11/04", ZoneInfo("America/Sao_Paulo")) == datetime(2018, 11, 4, 3, tzinfo=UTC)
