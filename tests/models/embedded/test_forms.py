"""Words are known as forms of one word, and others are not."""

import pytest

from sayso.models.embedded.forms import is_past, same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("watered", "water"), ("watering", "water"), ("paid", "pay"), ("paying", "pay"), ("wiping", "wipe"),
        ("practiced", "practice"), ("stopped", "stop"), ("running", "run"), ("ran", "run"), ("tried", "try"),
        ("written", "write"), ("hens", "hen"), ("read", "read"), ("practising", "practise"), ("went", "go"),
    ],
)  # fmt: skip
def test_forms_of_one_word_are_the_same(one: str, other: str):
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("string", "str"), ("bed", "be"), ("water", "wait"), ("need", "knee"), ("bus", "bug"), ("fed", "fee"), ("", "a")],
)
def test_other_words_are_not(one: str, other: str):
    assert not same(one, other)


def test_what_is_over_is_told_from_what_is_to_be():
    assert all(is_past(word) for word in ("watered", "paid", "put", "tried", "gone"))
    assert not any(is_past(word) for word in ("water", "paying", "bed", "pays", ""))
