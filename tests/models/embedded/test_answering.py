"""An answer to a question is taken for the choice that it names, and else for words of its own."""

import pytest

from tests.models.embedded.scenes import acts, question


@pytest.mark.parametrize(
    ("answer", "index"),
    [
        ("4", 4),
        ("tab 3", 3),
        ("the first one", 3),
        ("the second", 4),
        ("last", 4),
        ("the fern one", 4),
        ("moss please", 3),
    ],
)
def test_a_choice_is_named(answer: str, index: int):
    assert "Moss" in question("switch to wikipedia")

    assert acts(answer, ["switch to wikipedia"]) == [("tab.switch", {"index": index})]


def test_the_rest_of_the_wish_is_done_too():
    earlier = ["mute and delete the repair task"]

    assert acts("the lamp", earlier) == [
        ("sound.set_volume", {"level": 0}),
        ("task.delete", {"target": "Repair the kitchen lamp"}),
    ]


def test_a_whole_name_or_a_yes_settles_what_was_named_in_part():
    assert "whole name" in question("move the garden picture to documents")

    moved = [
        ("file.move", {"source": "/home/mo/Downloads/garden-2026.png", "destination": "~/Documents/garden-2026.png"})
    ]
    assert acts("yes", ["move the garden picture to documents"]) == moved
    assert acts("garden-2026.png", ["move the garden picture to documents"]) == moved


def test_what_was_not_there_may_be_named_again():
    assert acts("gimp", ["open photoshop"]) == [("app.open", {"name": "GIMP"})]


def test_other_words_are_a_wish_of_their_own():
    assert acts("close reddit", ["switch to wikipedia"]) == [("tab.close", {"indices": [1]})]


@pytest.mark.parametrize("answer", ["no", "neither", "9", "wikipedia", "both"])
def test_what_names_none_of_the_choices_does_nothing(answer: str):
    assert question(answer, ["switch to wikipedia"])


@pytest.mark.parametrize("answer", ["yes", "the ladder"])
def test_what_is_like_a_name_that_is_not_there_is_offered_and_a_yes_takes_it(answer: str):
    asked = question("delete the task bladders")

    assert asked.endswith("Is “Buy a new ladder” meant?")
    assert acts(answer, ["delete the task bladders"]) == [("task.delete", {"target": "Buy a new ladder"})]


def test_nothing_is_offered_where_everything_was_said():
    assert "meant?" not in question("delete everything")
