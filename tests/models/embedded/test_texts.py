"""Texts are taken as they are, unless something in them may have been meant otherwise."""

import pytest

from sayso.models.embedded.readings import Found, Missing
from tests.models.embedded.scenes import slot


@pytest.mark.parametrize(
    ("kind", "text", "value", "free"),
    [
        ("text", "Buy  Milk", "Buy Milk", 2),
        ("text", "“Buy Milk”", "Buy Milk", 0),
        ("quote", '"a b"', "a b", 0),
        ("wish", "call Ana", "call Ana", 2),
        ("wish", "'tidy up when she has left at 6 pm'", "tidy up when she has left at 6 pm", 0),
        ("title", "lunch with Mia", "lunch with Mia", 3),
        ("todo", "call Ana at noon", "call Ana at noon", 4),
        ("todo", "remember to call Ana", "call Ana", 2),
        ("todo", "remember to", "remember to", 2),
        ("todo", "call Ana, could you", "call Ana", 2),
        ("todo", "for me to call Ana", "call Ana", 2),
        ("wish", "count the till", "count the till", 3),
        ("todo", "in-law visit", "in-law visit", 2),
        ("now", "good morning", "good morning", 2),
        ("now", "'at six'", "at six", 0),
        ("term", "tax form", "tax form", 2),
        ("person", "Ana Berger", "Ana Berger", 2),
        ("person", "ana@example.org", "ana@example.org", 1),
        ("texts", "a b, c and 'd and e'", ["a b", "c", "d and e"], 5),
    ],
)
def test_a_text_is_taken_as_it_is(kind: str, text: str, value: object, free: int):
    found = slot(kind, text)

    assert isinstance(found, Found)
    assert (found.value, found.free) == (value, free)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("wish", "water the ferns when I get home"),
        ("wish", "stretch every day"),
        ("wish", "call Ana and at 7 pm feed the cat"),
        ("wish", "buy stamps yesterday"),
        ("title", "Review last Friday"),
        ("now", "hello in five minutes"),
        ("now", "at six that tea is ready"),
        ("now", "hello to Ana"),
        ("text", "this"),
        ("wish", "do it"),
        ("todo", "for tomorrow buy milk"),
    ],
)
def test_a_text_with_a_time_or_a_condition_is_asked_about(kind: str, text: str):
    found = slot(kind, text)

    assert isinstance(found, Missing)
    assert found.sure


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("quote", "a"),
        ("title", "that it is late"),
        ("term", "invoice since monday"),
        ("person", "Ana about the flat"),
        ("person", "a b c d e"),
        ("texts", "milk"),
    ],
)
def test_what_is_more_than_such_a_text_is_none(kind: str, text: str):
    assert slot(kind, text) is None


@pytest.mark.parametrize(
    ("kind", "text"),
    [("todo", "'call Ana' and another 'call Bob'"), ("body", "'good morning' in German"), ("title", "shopping: milk")],
)
def test_a_text_that_seems_to_have_ended_is_no_text(kind: str, text: str):
    assert slot(kind, text) is None


@pytest.mark.parametrize("text", ["it sometime", "call Ana later", "call Ana soon"])
def test_a_reminder_for_no_time_at_all_is_asked_about(text: str):
    assert isinstance(slot("wish", text), Missing)
