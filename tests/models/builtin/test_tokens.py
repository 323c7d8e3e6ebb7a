"""Words keep their places, so that a slot gets the text as it was written."""

from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.models.builtin.tokens import (
    SHORT,
    fold,
    is_past,
    join_words,
    source_text,
    stem,
    strip_courtesy,
    tokenize,
    word_list,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Close  TABS 1, 3, and 5!", ["close", "tabs", "1", "3", "and", "5"]),
        ("remind me at 6 p.m. please.", ["remind", "me", "at", "6", "p.m.", "please"]),
        ("open (reddit.com)", ["open", "reddit.com"]),
        ("I don’t", ["i", "don't"]),
        ("add 'buy milk' now", ["add", "buy milk", "now"]),
        ("say “a b”", ["say", "a b"]),
        ("the parents' evening isn't 'late'", ["the", "parents'", "evening", "isn't", "late"]),
        ("a - b", ["a", "b"]),
        ("", []),
        ("…", []),
    ],
)
def test_a_text_is_cut_into_words(text: str, words: list[str]):
    assert [word.text for word in tokenize(text)] == words


def test_what_is_quoted_is_one_word_and_knows_it():
    said = tokenize('add "Buy Milk", please')

    assert [(word.text, word.quoted, word.pause) for word in said] == [
        ("add", False, ""),
        ("buy milk", True, ","),
        ("please", False, ""),
    ]


def test_a_dash_after_a_quoted_text_is_a_pause_and_the_text_stays_quoted():
    said = tokenize('rename "a b" - not "c d"')

    assert [(word.text, word.quoted, word.pause) for word in said] == [
        ("rename", False, ""),
        ("a b", True, "-"),
        ("not", False, ""),
        ("c d", True, ""),
    ]


def test_a_part_of_a_text_is_as_it_was_written():
    text = 'remind me to Call   Ana: "Now" or never'
    said = tokenize(text)

    assert source_text(text, said[3:5]) == "Call Ana"
    assert source_text(text, said[6:7]) == "Now"
    assert source_text(text, said[6:9]) == '"Now" or never'
    assert source_text(text, ()) == ""
    assert join_words(said[:2]) == "remind me"
    assert word_list("a b") == ("a", "b")
    assert fold("Ä’s  B") == "ä's b"


@given(st.text(max_size=60))
def test_any_text_has_words_that_stand_in_it_in_their_order(text: str):
    said = tokenize(text)

    assert all(0 <= word.start < word.end <= len(text) for word in said)
    assert [word.start for word in said] == sorted(word.start for word in said)
    pairs = [(word.text, fold(text[word.start : word.end])) for word in said]
    # But for the apostrophe that a short form is given, “havent”, and words that are typed short, “tmrw”.
    typed_short = [written for read, written in pairs if read.replace("'", "") != written.replace("'", "")]
    assert set(typed_short) <= set(SHORT)


def test_short_forms_without_their_apostrophe_are_known():
    assert [word.text for word in tokenize("im done, dont whats 'dont'")] == ["i'm", "done", "don't", "what's", "dont"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("watered", "water"), ("watering", "water"), ("paid", "pay"), ("paying", "pay"), ("wiping", "wipe"),
        ("practiced", "practice"), ("stopped", "stop"), ("running", "run"), ("ran", "run"), ("tried", "try"),
        ("written", "write"), ("hens", "hen"), ("read", "read"), ("practising", "practise"), ("went", "go"),
    ],
)  # fmt: skip
def test_forms_of_one_word_are_the_same(one: str, other: str):
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("string", "str"), ("bed", "be"), ("water", "wait"), ("need", "knee"), ("bus", "bug"), ("fed", "fee"), ("", "a")],
)
def test_other_words_are_not(one: str, other: str):
    assert stem(one) != stem(other)


def test_what_is_over_is_told_from_what_is_to_be():
    assert all(is_past(word) for word in ("watered", "paid", "put", "tried", "gone"))
    assert not any(is_past(word) for word in ("water", "paying", "bed", "pays", ""))


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
    assert join_words(strip_courtesy(tokenize(said)).words) == left


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
    assert strip_courtesy(tokenize(said)).asked is asked


def test_every_letter_is_a_word_of_its_own():
    assert [stem(letter) for letter in ascii_lowercase] == [*ascii_lowercase]
