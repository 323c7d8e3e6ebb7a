"""What is typed at a list means one thing, or is said to mean nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.surfaces.cli.choosing import Choice, More, Turn, Unclear, Wish, choice, ranges

NUMBERS = range(1, 13)
YES = {"y", "yes", "execute"}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("y\n", Wish.EXECUTE),
        (" YES \r\n", Wish.EXECUTE),
        ("e\n", Wish.EDIT),
        ("\n", Wish.CANCEL),
        ("n\n", Wish.CANCEL),
        ("Cancel\n", Wish.CANCEL),
        (None, Wish.CANCEL),
        ("?\n", Wish.HELP),
        ("v\n", Wish.VIEW),
        ("more\n", Wish.VIEW),
        ("3\n", Turn(frozenset({3}))),
        ("2-4\n", Turn(frozenset({2, 3, 4}))),
        ("2 – 4, 7\n", Turn(frozenset({2, 3, 4, 7}))),
        ("1,3 5\n", Turn(frozenset({1, 3, 5}))),
        ("10-99\n", Turn(frozenset({10, 11, 12}))),
        ("m 3\n", More(frozenset({3}))),
        ("? 2-3\n", More(frozenset({2, 3}))),
        ("m3\n", More(frozenset({3}))),
    ],
)
def test_words_numbers_and_ranges_are_understood(typed: str | None, meant: Choice):
    assert choice(typed, NUMBERS) == meant


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("99\n", "there is no 99 in the list"),
        ("3-\n", "“3-” is no choice here"),
        ("4-2\n", "there is no 4-2 in the list"),
        ("0\n", "there is no 0 in the list"),
        ("y 3\n", "“y 3” is no choice here"),
        ("yy\n", "“yy” is no choice here"),
        ("٣\n", "“٣” is no choice here"),
        ("3,99\n", "there is no 99 in the list"),
    ],
)
def test_anything_else_is_said_to_be_unclear(typed: str, why: str):
    assert choice(typed, NUMBERS) == Unclear(why)


@pytest.mark.req("AV-06")
@given(st.text(max_size=12))
def test_nothing_but_a_yes_is_a_yes(typed: str):
    meant = choice(typed, NUMBERS)

    assert (meant is Wish.EXECUTE) is (typed.strip(" \t\r\n").lower() in YES)


@given(st.sets(st.integers(1, 40), min_size=1))
def test_numbers_written_as_ranges_read_back_the_same(numbers: set[int]):
    assert choice(ranges(numbers), range(1, 41)) == Turn(frozenset(numbers))
