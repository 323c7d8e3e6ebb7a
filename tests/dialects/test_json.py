"""JSON is read as every other reader would read it, or refused with its reason, and so are replies that lack a key."""

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.assembly.parts import dialect
from sayso.dialects.base import read
from sayso.dialects.detect import CHAT
from sayso.dialects.json import DEEPEST, NotStrict, Whole, elements, place, strict_json, strip_fence, suggest_correction
from tests.counted import Calls
from tests.dialects.replies import OPERATIONS

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: number != 0)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)

AFTER_A_COMMA = (
    "line 3, column 1: a key in double quotes"
    if sys.version_info < (3, 13)
    else "line 2, column 7: a comma stands before the closing bracket"
)


@given(VALUES, st.booleans())
def test_what_json_says_is_kept_exactly(value: object, ascii_only: bool):
    assert strict_json(json.dumps(value, ensure_ascii=ascii_only)) == value


@pytest.mark.req("PA-06")
@given(st.lists(st.tuples(st.sampled_from('ab"\\é'), st.text(max_size=3)), max_size=3), st.booleans())
def test_an_object_of_texts_is_kept_unless_a_key_stands_twice(pairs: list[tuple[str, str]], ascii_only: bool):
    members = [": ".join(json.dumps(part, ensure_ascii=ascii_only) for part in pair) for pair in pairs]
    text = f"{{{', '.join(members)}}}"

    if len(dict(pairs)) == len(pairs):
        assert strict_json(text) == dict(pairs)
    else:
        with pytest.raises(NotStrict, match="stands twice"):
            strict_json(text)


@pytest.mark.req("PA-06")
@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ('{"a": 1, "a": 2}', "json.duplicate_key", "“a”"),
        ('{"a": "x", "a": "x"}', "json.duplicate_key", "“a”"),
        ('{"a": "x", "b": "\x01"}', "json.malformed", "a line break or control character"),
        ('\ufeff{"a": "x"}', "json.malformed", "byte order mark"),
        ('{"a": "\ud800"}', "json.surrogate", "half of a character pair"),
        ('{"a": "x"} {"b": "y"}', "json.malformed", "something follows"),
        ('{"x": {"a": 1, "b": 2, "a": 1}}', "json.duplicate_key", "“a”"),
        ('{"b": 1, "a": 2, "a": 3}', "json.duplicate_key", "“a”"),
        (f'{{"{"k" * 41}": 1, "{"k" * 41}": 2}}', "json.duplicate_key", f"“{'k' * 40}” stands twice"),
        ("[NaN]", "json.number", "NaN"),
        ("[-Infinity]", "json.number", "-Infinity"),
        ("[1e999]", "json.number", "1e999 is too large"),
        ("[-0]", "json.number", "write 0"),
        ("[-0.0]", "json.number", "write 0"),
        ("[" + "9" * 5_000 + "]", "json.number", "5000 digits"),
        ("[" + "9" * 41 + "]", "json.number", "41 digits"),
        ("[0." + "5" * 39 + "]", "json.number", "41 characters is too long"),
        ("[0.10000000000000000555]", "json.number", "fewer digits"),
        (r'["\ud800"]', "json.surrogate", "half of a character pair"),
        (r'{"\udc00": 1}', "json.surrogate", "half of a character pair"),
        ('["\ud800"]', "json.surrogate", "half of a character pair"),
        ("[" * 100_000, "json.deep", str(DEEPEST)),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "json.deep", str(DEEPEST)),
        ('{"a":' * 33 + "1" + "}" * 33, "json.deep", "more than 32 levels"),
        ("{} {}", "json.malformed", "line 1, column 4: something follows"),
        ("\ufeff{}", "json.malformed", "byte order mark"),
        ('{"a": 1 // c\n}', "json.malformed", "line 1, column 9: a comment"),
        ('{\n"a": 1,\n}', "json.malformed", AFTER_A_COMMA),
        ('{"a": /* c */ 1}', "json.malformed", "line 1, column 7: a comment"),
        ('{"a": 1, # c\n"b": 2}', "json.malformed", "line 1, column 10: a comment"),
        ("{'a': 1}", "json.malformed", "line 1, column 2: a key in double quotes"),
        ('{"a": ', "json.malformed", "breaks off"),
        ('{"a" 1}', "json.malformed", "a colon is missing"),
        ("[1 2]", "json.malformed", "a comma or the closing bracket"),
        ('["a\nb"]', "json.malformed", "a line break or control character"),
        ('["a', "json.malformed", "line 1, column 2: a text that begins here is not closed"),
        (r'["\q"]', "json.malformed", "a backslash"),
        ("", "json.malformed", "breaks off"),
        ("nil", "json.malformed", "no JSON value begins here"),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused_with_its_reason(text: str, code: str, said: str):
    with pytest.raises(NotStrict) as refused:
        strict_json(text)

    assert refused.value.code == code
    assert said in refused.value.sentence
    assert str(refused.value) == refused.value.sentence


def test_numbers_keep_their_value():
    assert strict_json("[9007199254740993, 1e2, 0.1, 3.0, 0.0, 0e5]") == [9007199254740993, 100.0, 0.1, 3.0, 0.0, 0.0]


def test_the_longest_numbers_that_are_taken_are_taken():
    assert strict_json("[" + "9" * 40 + ", 1." + "0" * 38 + "]") == [10**40 - 1, 1.0]


@pytest.mark.parametrize(
    "text",
    ["[" * 32 + "]" * 32, "[" * 32 + "1" + "]" * 31 + ", []]", "[" + "[], " * 40 + "{}]"],
    ids=["deep", "deep with more beside", "wide"],
)
def test_32_levels_are_taken_and_any_number_of_lists_beside_one_another(text: str):
    assert strict_json(text) == json.loads(text)


def test_a_pair_of_surrogates_is_one_character():
    assert strict_json(r'["\ud83d\ude00"]') == ["\U0001f600"]


def items(many: int) -> str:
    return "[" + "1," * many + "1]"


def last_key_twice(many: int) -> str:
    return "{" + "".join(f'"{number}":1,' for number in range(many // 4)) + f'"{many // 4 - 1}":2}}'


@pytest.mark.req("PA-06")
@pytest.mark.parametrize("made", [items, last_key_twice])
def test_the_cost_grows_with_the_length_and_no_faster(made: Callable[[int], str]):
    small, large = calls(made(50_000)), calls(made(400_000))

    assert large < 8 * 2 * max(small, 100)


def calls(text: str) -> int:
    with Calls() as counted, suppress(NotStrict):
        strict_json(text)
    return counted.count


def test_a_place_is_said_as_line_and_column():
    assert place("ab\ncd", 4) == "line 2, column 2"


SPANS_VALUES = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(st.lists(SPANS_VALUES), st.integers(0, 3), st.booleans())
def test_elements_are_found_with_any_blanks(values: list[object], indent: int, ascii_only: bool):
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)

    assert [json.loads(text[start:end]) for start, end in elements(text)] == values


@given(st.lists(SPANS_VALUES), st.dictionaries(st.text(), SPANS_VALUES))
def test_elements_under_a_key_are_found_whatever_stands_beside_it(values: list[object], beside: dict[str, object]):
    text = json.dumps({**{key: value for key, value in beside.items() if key != "it"}, "it": values, "z": [1]})

    assert [json.loads(text[start:end]) for start, end in elements(text, "it")] == values


def test_an_element_is_given_as_it_came():
    text = '{"\\u0061": [ {"x":  1} , 2 ]}'

    assert [text[start:end] for start, end in elements(text, "a")] == ['{"x":  1}', "2"]


def test_what_follows_the_list_is_none_of_its_elements():
    text = '{"a": [[1, 2], {"b": 3}], "c": 4, "d": [5], "e": 6}'

    assert [text[start:end] for start, end in elements(text, "a")] == ["[1, 2]", '{"b": 3}']


def test_a_key_counts_only_in_the_outermost_object():
    text = '{"x": {"it": [8], "y": "it"}, "z": ["it", {"it": [9]}], "it": [7]}'

    assert [text[start:end] for start, end in elements(text, "it")] == ["7"]


@pytest.mark.parametrize(
    ("text", "document", "line"),
    [
        ("{}", "{}", 1),
        ("\n```json\n{}\n```\n", "{}\n", 3),
        ("```\n{}\n```", "{}\n", 2),
        ("~~~~json\n{}\n~~~~", "{}\n", 2),
        ("```json\n{}\n````", "{}\n", 2),
        ("  ```json\n{}\n  ```", "{}\n", 2),
        ("```json\n{}\n```x", "```json\n{}\n```x", 1),
        ("```json\n{}\n``", "```json\n{}\n``", 1),
        ("```json\n{} ```", "```json\n{} ```", 1),
        ("x\n```json\n{}\n```", "x\n```json\n{}\n```", 1),
        ("```", "```", 1),
        ("```json\n", "```json\n", 1),
        ("```json\n```", "", 2),
    ],
)
def test_one_fence_around_everything_is_taken_off(text: str, document: str, line: int):
    assert strip_fence(text) == (document, line)


def test_pieces_come_back_as_one_text():
    whole = Whole()
    for piece in ("a", "", "b"):
        whole.add(piece)

    assert whole.take() == "ab"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('{"a": 1,}', '{"a": 1}'),
        ("{'a': 'it\\'s \"x\"'}", '{"a": "it\'s \\"x\\""}'),
        ('{"a": [1, 2', '{"a": [1, 2]}'),
        ('Sure! {"a": True} Done.', '{"a": true}'),
        ("{a: None} // c", '{"a": null}'),
        ('{"a": 1 /* one */ }', '{"a": 1}'),
        ("{“a”: “b”}", '{"a": "b"}'),
        ('{"a": {"b": 1}', '{"a": {"b": 1}}'),
        ('{"a": {"b": [1, [2', '{"a": {"b": [1, [2]]}}'),
        ('{"a": [1, 2}', '{"a": [1, 2]}'),
        ('{"a": 1,', '{"a": 1}'),
        ("[[1,],]", "[[1]]"),
        ("[True, False, None, true, -1.5, x-y]", '[true, false, null, true, -1.5, "x-y"]'),
        ('{"a": 1 # c\n, "b": 2 // d\n, "c": /* e\n */ 3}', '{"a": 1, "b": 2, "c": 3}'),
        ("""{"a": "// b", 'c': '# d', "e": "/* f */"}""", '{"a": "// b", "c": "# d", "e": "/* f */"}'),
        ('{“a”: “say "b"”}', '{"a": "say \\"b\\""}'),
        ("{'a': 'é', b: é}", '{"a": "é", "b": "é"}'),
        (r"""{"a": "\"b\"", 'c': "it's"}""", r"""{"a": "\"b\"", "c": "it's"}"""),
        ("""{'a': '', "b": ""}""", '{"a": "", "b": ""}'),
        ("Look [1] and {2", "[1]"),
        ("{a:1,b:[c,d]}", '{"a": 1, "b": ["c", "d"]}'),
        ('{"a": "' + "x" * 990 + '",}', '{"a": "' + "x" * 990 + '"}'),
    ],
)
def test_small_faults_are_shown_mended(text: str, written: str):
    assert suggest_correction(text) == f"; written correctly it would be {written}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "prose",
        "[1,,]",
        "{]",
        "{'a'}",
        '{"a": "' + "x" * 991 + '",}',
        '{"a": "cut of',
        '{"a" "b"}',
        '{"a": 1, "a": 2}',
        "{" * 2_000,
    ],
)
def test_what_cannot_be_mended_surely_is_not(text: str):
    assert suggest_correction(text) == ""


@given(st.text(alphabet="{}[]\"':, abc1\\/#*\n“”", max_size=60))
def test_what_is_shown_is_strict_json(text: str):
    said = suggest_correction(text)

    if said:
        strict_json(said.removeprefix("; written correctly it would be "))


@pytest.mark.parametrize("text", ["/*" * 500, "'" * 999 + "{", "{" + "\\" * 900, "{" + "'a" * 400])
def test_a_second_look_takes_no_longer_than_its_text(text: str):
    with Calls() as calls:
        suggest_correction(text)

    assert calls.count < 100 * len(text)


ACTIONS: list[tuple[Any, str]] = [
    ({"actions": [{"label": "x", "params": {}}]}, "an action needs “templateId”"),
    ({"actions": [{"template": "x", "params": {}}]}, "an action needs “templateId”"),
    ({"actions": [{"templateID": "x"}], "content": "hello"}, "an action needs “templateId”"),
    ({"type": "actions", "actions": [{"template_id": "x"}, {"params": {}}]}, "an action needs “templateId”"),
    ({"templateId": "x", "params": {}}, "an action stands in an envelope"),
    ({"actions": {"templateId": "x"}}, "“actions” must be a list"),
    ({"action": [{"templateId": "x"}]}, "an envelope needs “actions”"),
]
DOCUMENTS: list[tuple[Any, str]] = [
    ({"needs_clarification": False}, "“commands” must be a list"),
    ({"needs_clarification": False, "cmds": [{"type": "list_apps"}]}, "it has no key “cmds”"),
    ({"type": "list_apps"}, "it has no key “type”"),
    ([{"type": "list_apps"}], "it must be one object"),
    ({"arguments": {"path": "~/a"}}, "a call needs “name”"),
    ({"type": "tool_use", "id": "x", "input": {"path": "~/a"}}, "a call needs “name”"),
]
TEXTS: list[Any] = [
    {"actions": ["walk", "run"]},
    {"actions": [{"type": "add_task"}]},
    {"actions": [{"label": "x"}]},
    {"actions": 3},
    {"action": []},
    {"action": [{"templateId": "x"}, 3]},
    {"action": [{"templateId": "x"}], "more": 1},
    {"type": "other", "actions": [{"params": {}}]},
    {"params": {"a": 1}, "b": 2, "c": 3},
    {"content": "hello"},
    {"path": "~/a"},
    {"arguments": ["for", "against"]},
    {"arguments": {}, "verdict": "x"},
    {"type": "tool_use"},
    {"type": "circle"},
    [1, 2],
]


@pytest.mark.parametrize("reader", ["actions", "chat", "auto"])
@pytest.mark.parametrize(("before", "after"), [("", ""), ("Look:\n```json\n", "\n```\n")], ids=["whole", "fenced"])
@pytest.mark.parametrize(("value", "sentence"), ACTIONS)
def test_an_envelope_of_actions_that_lacks_its_key_is_refused(
    value: object, sentence: str, before: str, after: str, reader: str
):
    reading = read(CHAT if reader == "chat" else dialect(reader), OPERATIONS, before + json.dumps(value) + after)

    assert [(one.operation, one.code) for one in reading.proposals] == [(None, "arguments.missing")]
    assert sentence in (reading.proposals[0].problem or "")
    assert reading.text.strip() == before[:5]


@pytest.mark.parametrize(("value", "sentence"), DOCUMENTS)
def test_a_document_that_lacks_its_key_is_refused_where_the_dialect_is_not_told(value: object, sentence: str):
    reading = read(dialect("auto"), OPERATIONS, json.dumps(value))

    (proposal,) = reading.proposals
    assert (proposal.operation, reading.text) == (None, "")
    assert sentence in (proposal.problem or "")


@pytest.mark.parametrize("value", TEXTS)
def test_what_only_looks_a_little_like_one_is_text(value: object):
    text = json.dumps(value)

    reading = read(dialect("auto"), OPERATIONS, text)

    assert (reading.proposals, reading.text) == ((), text)
