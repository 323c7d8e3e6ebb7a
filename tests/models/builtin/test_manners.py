"""Sentences are said in other manners for training: always the same ones, and what is wished stays in them."""

from tools.wishes.augment import asking_nothing, dictated, manners, said_otherwise
from tools.wishes.chance import Chance


def test_a_sentence_is_always_said_in_the_same_other_manner() -> None:
    told = manners()

    first, second = (said_otherwise("open the garden plan", told, Chance("seed")) for _ in range(2))

    assert first == second


def test_other_seeds_give_other_manners() -> None:
    told = manners()

    found = {said_otherwise("open the garden plan", told, Chance(f"seed {number}")) for number in range(20)}

    assert len(found) > 10


def test_what_is_dictated_has_no_marks_no_capitals_and_no_numerals() -> None:
    assert dictated("Close tab 3, please!") == "close tab three please"


def test_a_wish_is_turned_into_a_sentence_that_asks_for_nothing() -> None:
    assert [*asking_nothing("Open the garden plan.", Chance("seed"))] != []
    assert [*asking_nothing("the garden plan", Chance("seed"))] == []
