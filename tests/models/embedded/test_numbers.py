"""Whole numbers are read in digits and in words."""

import pytest

from sayso.models.embedded.numbers import number, ordinal


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("007", 7),
        ("twelve", 12),
        ("twenty", 20),
        ("twenty-five", 25),
        ("ninety nine", 99),
        ("hundred", 100),
        ("a hundred", 100),
        ("one hundred", 100),
        ("zero", 0),
        ("a", None),
        ("", None),
        ("twenty eleven", None),
        ("1234567890", None),
        ("٣", None),
        ("1.5", None),
        ("-1", None),
    ],
)
def test_a_number_is_read(text: str, value: int | None):
    assert number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("first", 1), ("3rd", 3), ("21st", 21), ("twelfth", 12), ("th", None), ("3", None), ("last", None), ("", None)],
)
def test_a_place_in_a_row_is_read(text: str, value: int | None):
    assert ordinal(text) == value
