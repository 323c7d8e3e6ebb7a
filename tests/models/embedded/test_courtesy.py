"""Courtesies around a wish are left out, and thinking aloud is none."""

import pytest

from sayso.models.embedded.courtesy import plain
from sayso.models.embedded.words import joined, words_of


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("please close reddit", "close reddit"),
        ("Hey, could you maybe open signal for me?", "open signal"),
        ("I'd like you to mute now, thanks", "mute"),
        ("ok so can you please list my tabs", "list my tabs"),
        ("please", "please"),
        ("maybe quit signal", "maybe quit signal"),
        ("don't close reddit please", "don't close reddit"),
    ],
)
def test_courtesies_are_left_out(said: str, left: str):
    assert joined(plain(words_of(said)).words) == left


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("close reddit?", True),
        ("could you close reddit?", False),
        ("close reddit", False),
        ("close reddit please?", False),
    ],
)
def test_a_question_is_none_when_courtesy_makes_it_a_wish(said: str, asked: bool):
    assert plain(words_of(said)).asked is asked
