"""Words of patterns are set right when they were typed with one slip, and other words stay."""

import pytest

from sayso.models.embedded.spelling import corrected, vocabulary
from sayso.models.embedded.words import words_of


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("swich", "switch"),
        ("remnid", "remind"),
        ("delte", "delete"),
        ("volumme", "volume"),
        ("clone", "clone"),
        ("closed", "closed"),
        ("lunch", "lunch"),
        ("opens", "opens"),
        ("tab", "tab"),
        ("tba", "tba"),
        ("x9remind", "x9remind"),
        ("'swich'", "swich"),
    ],
)
def test_a_slip_is_set_right(typed: str, meant: str):
    assert corrected(words_of(typed)) == (meant,)


def test_the_words_of_all_patterns_are_known():
    assert {"remind", "switch", "close"} <= vocabulary()
