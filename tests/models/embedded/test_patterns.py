"""Patterns are read into parts, and words fit them in every way there is."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.models.embedded.patterns import Either, Literal, Slot, firsts, fits, parsed, slots_of

NO_SLOTS: list[dict[str, str]] = [{}]


def ways(pattern: str, text: str) -> list[dict[str, str]]:
    words = tuple(text.split())
    return [
        {span.slot.name: " ".join(words[span.start : span.end]) for span in spans}
        for spans in fits(parsed(pattern), words)
    ]


def test_a_pattern_has_words_slots_and_brackets():
    assert parsed("(go|switch over) to [the] {tab} {other:task}") == (
        Either(((Literal("go"),), (Literal("switch"), Literal("over")))),
        Literal("to"),
        Either(((Literal("the"),), ())),
        Slot("tab", "tab"),
        Slot("other", "task"),
    )


@pytest.mark.parametrize("wrong", ["(a", "a)", "[a|b", "{", "{a b}", "a]", "{A}"])
def test_a_pattern_that_cannot_be_read_is_named(wrong: str):
    with pytest.raises(ValueError, match=re.escape(wrong)):
        parsed(wrong)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("go to {tab}", "go to the news", [{"tab": "the news"}]),
        ("go to [the] {tab}", "go to the news", [{"tab": "news"}, {"tab": "the news"}]),
        ("remind me to {a} {b}", "remind me to x y z", [{"a": "x", "b": "y z"}, {"a": "x y", "b": "z"}]),
        ("a [b [c]] d", "a b c d", NO_SLOTS),
        ("a [b [c]] d", "a c d", []),
        ("{x}", "", []),
        ("go", "go on", []),
    ],
)
def test_words_fit_in_every_way_there_is(pattern: str, text: str, found: list[dict[str, str]]):
    assert ways(pattern, text) == found


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(go|switch) to", {"go", "switch"}),
        ("[please] go", {"please", "go"}),
        ("{x} y", None),
        ("[a] {x}", None),
        ("[a]", None),
    ],
)
def test_what_a_pattern_may_begin_with_is_known(pattern: str, words: set[str] | None):
    assert firsts(parsed(pattern)) == words


def test_slots_are_found_in_brackets_too():
    assert [slot.name for slot in slots_of(parsed("a {b} [c {d} (e|{f:g})]"))] == ["b", "d", "f"]


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=6))
def test_alternatives_fit_as_regular_expressions_do(words: list[str]):
    text = " ".join(words)

    found = list(fits(parsed("(a|b c) [b] {x} c"), tuple(words)))

    assert bool(found) == bool(re.fullmatch(r"(?:a|b c)(?: b)? \S+(?: \S+)* c", text))
