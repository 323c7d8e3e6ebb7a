"""From when to when something takes place is read when it is clear."""

import pytest

from sayso.models.builtin.match import SlotValue, Unresolved
from sayso.models.builtin.times import UnclearTime
from sayso.models.builtin.timespans import TimeSpan, parse_time_span
from tests.models.builtin.scenes import NOW, slot


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("tomorrow from 14:00 to 15:00", "2026-03-05 14:00", "2026-03-05 15:00"),
        ("from 3 to 4pm", "2026-03-04 15:00", "2026-03-04 16:00"),
        ("on friday 12:30-13:30", "2026-03-06 12:30", "2026-03-06 13:30"),
        ("9 to 9:30 am on march 9", "2026-03-09 09:00", "2026-03-09 09:30"),
        ("tomorrow between 10 and 11", "2026-03-05 10:00", "2026-03-05 11:00"),
        ("tomorrow from 9 to 5", "2026-03-05 09:00", "2026-03-05 17:00"),
        ("today at 15:00 for two hours", "2026-03-04 15:00", "2026-03-04 17:00"),
        ("tomorrow from 12 to 13", "2026-03-05 12:00", "2026-03-05 13:00"),
        ("tomorrow 14-16", "2026-03-05 14:00", "2026-03-05 16:00"),
        ("tomorrow from 11 am to 1 pm", "2026-03-05 11:00", "2026-03-05 13:00"),
    ],
)
def test_a_clear_span_is_read(text: str, start: str, end: str):
    assert parse_time_span(text.split(), NOW) == TimeSpan(start, end)


@pytest.mark.parametrize(
    "text",
    ["tomorrow from 6 to 7", "last friday from 10 to 11", "today from 10:00 to 11:00", "tomorrow from 15:00 to 14:00"],
)
def test_a_span_that_is_past_or_may_be_another_is_not_clear(text: str):
    assert isinstance(parse_time_span(text.split(), NOW), UnclearTime)


@pytest.mark.parametrize("text", ["", "tomorrow", "tomorrow at 3", "from here to there", "for two hours", "3 to"])
def test_what_says_no_span_is_none(text: str):
    assert parse_time_span(text.split(), NOW) is None


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

    assert isinstance(found, SlotValue)
    assert (found.value, found.free_words) == (value, free)


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

    assert isinstance(found, Unresolved)
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
    assert isinstance(slot("wish", text), Unresolved)
