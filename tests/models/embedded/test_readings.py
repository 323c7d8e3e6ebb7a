"""Choices are told in one clause, and somebody's words stand in quotes that they cannot close."""

from sayso.models.embedded.readings import Choice, listed, quoted


def test_choices_are_listed_and_many_are_counted():
    assert listed([Choice("a", 1)]) == "a"
    assert listed([Choice("a", 1), Choice("b", 2), Choice("c", 3)]) == "a, b or c"
    assert listed([Choice(str(number), number) for number in range(10)]) == "0, 1, 2, 3, 4, 5, 6, 7, and 2 more"


def test_words_in_quotes_cannot_close_them():
    assert quoted("a “b”\nc") == '“a "b" c”'
    assert quoted("x" * 200) == f"“{'x' * 120}…”"
