"""Patterns are read into parts, and words fit them in every way there is."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.assembly.parts import PROVIDERS
from sayso.models.builtin.grammar import (
    Intent,
    LiteralPart,
    Pattern,
    Phrases,
    Slot,
    intents,
    match_pattern,
    needed_words,
    parse_pattern,
    slots_of,
    word_orders,
)
from sayso.models.builtin.slots import KINDS, WORKED_OUT, slots_in
from sayso.runtime.registry import catalogue

NO_SLOTS: list[dict[str, str]] = [{}]


def ways(pattern: str, text: str) -> list[dict[str, str]]:
    words = tuple(text.split())
    return [
        {span.slot.name: " ".join(words[span.start : span.end]) for span in spans}
        for spans in match_pattern(parse_pattern(pattern), words)
    ]


def test_a_pattern_has_words_slots_and_brackets():
    verb, to, article, *slots = parse_pattern("(go|switch over) to [the] {tab} {other:task}")

    assert isinstance(verb, Phrases)
    assert dict(verb.starts) == {"go": ((),), "switch": (("over",),)}
    assert (verb.first, verb.optional) == (("go",), False)
    assert to == LiteralPart("to")
    assert isinstance(article, Phrases)
    assert article.optional
    assert slots == [Slot("tab", "tab"), Slot("other", "task")]


def test_a_pattern_may_use_the_name_of_a_group_of_words():
    assert parse_pattern("<go> to {tab}", {"go": "go|switch over"}) == parse_pattern("(go|switch over) to {tab}")
    with pytest.raises(ValueError, match="<go>"):
        parse_pattern("<go> to {tab}")


def test_parts_stand_in_any_order_and_a_named_thing_may_be_first():
    assert list(word_orders("remind me & {when} & to {wish}"))[:2] == [
        "remind me {when} to {wish}", "remind me to {wish} {when}",
    ]  # fmt: skip
    assert len(list(word_orders("remind me & {when} & to {wish}"))) == 6
    assert [order.split("[")[0] for order in word_orders("<close> {tabs}")] == ["<close> {tabs}", "{tabs} <close> "]


def test_small_words_stand_between_parts_but_not_beside_a_copied_text():
    assert ways("switch to {tab}", "switch me back over to the news") == [{"tab": "the news"}]
    assert ways("say {text}", "say it again") == [{"text": "it again"}]
    assert ways("note {text} done", "note milk please done") == [{"text": "milk please"}]


@pytest.mark.parametrize("wrong", ["(a", "a)", "[a|b", "{", "{a b}", "a]", "{A}"])
def test_a_pattern_that_cannot_be_read_is_named(wrong: str):
    with pytest.raises(ValueError, match=re.escape(wrong)):
        parse_pattern(wrong)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("go to {tab}", "go to the news", [{"tab": "the news"}]),
        ("go to [one] {tab}", "go to one news", [{"tab": "news"}, {"tab": "one news"}]),
        ("remind me to {a} {b}", "remind me to x y z", [{"a": "x", "b": "y z"}, {"a": "x y", "b": "z"}]),
        ("e [b [c]] d", "e b c d", NO_SLOTS),
        ("e [b [c]] d", "e c d", []),
        ("{x}", "", []),
        ("go", "go on", []),
    ],
)
def test_words_fit_in_every_way_there_is(pattern: str, text: str, found: list[dict[str, str]]):
    assert ways(pattern, text) == found


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(go|switch) to", {"to"}),
        ("[please] (go|stay) {x}", {"go", "stay"}),
        ("{x} (y|z [a])", {"y", "z"}),
        ("[a] {x}", set[str]()),
    ],
)
def test_the_words_that_a_pattern_needs_are_known(pattern: str, words: set[str]):
    assert needed_words(parse_pattern(pattern)) == words


def test_slots_are_found_in_brackets_too():
    assert [slot.name for slot in slots_of(parse_pattern("a {b} [c {d} (e|{f:g})]"))] == ["b", "d", "f"]


@given(st.lists(st.sampled_from(["d", "b", "c"]), max_size=6))
def test_alternatives_fit_as_regular_expressions_do(words: list[str]):
    text = " ".join(words)

    found = list(match_pattern(parse_pattern("(d|b c) [b] {x} c"), tuple(words)))

    assert bool(found) == bool(re.fullmatch(r"(?:d|b c)(?: b)? \S+(?: \S+)* c", text))


OPERATIONS = catalogue(PROVIDERS)


def patterns() -> Iterator[tuple[Intent, Pattern, tuple[Slot, ...]]]:
    for intent in intents():
        for pattern in intent.patterns:
            yield intent, pattern, tuple(slots_of(pattern.parts))


def test_every_entry_means_an_operation_and_names_its_arguments():
    wrong = [
        (intent.means, name)
        for intent in intents()
        for name in intent.arguments
        if name not in {parameter.name for parameter in OPERATIONS[intent.means].parameters}
    ]

    assert wrong == []


def test_every_entry_that_acts_gives_all_that_its_operation_needs():
    wrong = [
        (intent.means, parameter.name)
        for intent in intents()
        if not intent.ask
        for parameter in OPERATIONS[intent.means].parameters
        if parameter.required and parameter.name not in intent.arguments
    ]

    assert wrong == []


def test_every_pattern_has_the_slots_that_its_arguments_are_made_of():
    wrong = [
        (pattern.written, slot)
        for intent, pattern, slots in patterns()
        for template in intent.arguments.values()
        for slot in slots_in(template) - {slot.name for slot in slots} - {"each"}
    ]

    assert wrong == []


def test_every_slot_is_of_a_kind_there_is_and_stands_once_in_what_is_said():
    assert [slot for _, _, slots in patterns() for slot in slots if slot.kind not in KINDS] == []
    assert [
        pattern.written for _, pattern, slots in patterns() if len({slot.name for slot in slots}) < len(slots)
    ] == []


def test_what_is_worked_out_is_known():
    named = [
        template[1:]
        for intent in intents()
        for template in intent.arguments.values()
        if isinstance(template, str) and template.startswith("@")
    ]

    assert set(named) <= set(WORKED_OUT)


def test_words_of_patterns_are_folded():
    assert [pattern.written for _, pattern, _ in patterns() if re.search(r"[A-Z’“”]", pattern.written)] == []


def test_the_table_is_read_once_and_nothing_in_it_is_surer_than_sure():
    assert all(0 < intent.sure <= 1 for intent in intents())
    assert intents() is intents()


def test_what_destroys_without_always_asking_takes_only_whole_names():
    loose = [
        intent.means
        for intent in intents()
        if OPERATIONS[intent.means].kind == "destructive"
        and OPERATIONS[intent.means].asks not in {"click", "floor"}
        and not intent.whole
    ]

    assert loose == []
