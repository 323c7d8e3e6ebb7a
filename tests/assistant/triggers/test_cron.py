"""Cron expressions as the library reads them."""

from datetime import UTC, datetime
from itertools import islice

import pytest

from sayso.assistant.triggers.cron import times, wrong

NEW_YEAR = datetime(2027, 1, 1, tzinfo=UTC)


def test_the_times_of_an_expression_come_in_their_order():
    found = islice(times("0 12 * * 1", NEW_YEAR), 3)

    assert [f"{time:%m-%d %H:%M}" for time in found] == ["01-04 12:00", "01-11 12:00", "01-18 12:00"]


@pytest.mark.parametrize(
    ("expression", "said"), [("0 12 * * 1", None), ("0 25 * * *", "bad hour"), ("0 0 31 2 *", "bad day-of-month")]
)
def test_what_is_wrong_with_one_is_said(expression: str, said: str | None):
    assert wrong(expression, NEW_YEAR) == said
