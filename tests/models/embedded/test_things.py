"""One thing is found by what tells it apart, and never by words that change what is meant."""

import pytest

from sayso.models.embedded.readings import Found, Missing, Several
from sayso.models.embedded.things import bare, by_name, one, some
from sayso.models.embedded.words import words_of
from tests.models.embedded.scenes import scene

THINGS = [by_name("Buy wine"), by_name("Task force report"), by_name("Call it a day"), by_name("Wine list")]


@pytest.mark.req("T-58", "S2-24")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("buy wine", "Buy wine"),
        ("the task force", "Task force report"),
        ("my report task", "Task force report"),
        ("call it a day", "Call it a day"),
        ("“Wine List”", "Wine list"),
    ],
)
def test_the_one_that_is_meant_is_found(text: str, found: str):
    reading = one("task", words_of(text), scene(text), THINGS, ["task"])

    assert isinstance(reading, Found)
    assert reading.value == found


def test_several_are_told_and_none_is_said():
    wine, beer = (one("task", words_of(text), scene(text), THINGS, ["task"]) for text in ("the wine task", "beer"))

    assert isinstance(wine, Several)
    assert isinstance(beer, Missing)
    assert beer.why == "No task here is called “beer”."


@pytest.mark.parametrize("text", ["it", "all wine", "everything", "every task", "not the report", "wine except list"])
def test_words_that_change_what_is_meant_name_nothing(text: str):
    assert some(words_of(text), THINGS, ["task"]) == ([], 0.0)


def test_words_for_the_kind_alone_name_nothing():
    assert some(words_of("the item"), THINGS, ["item"]) is None
    assert [word.text for word in bare(words_of("the red task"), ["task"])] == ["red"]
