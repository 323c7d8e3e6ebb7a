"""Calls are found in whatever a model's interface returns."""

import json
from typing import Any

import pytest

from sayso.dialects.tools.calls import Call, Said, calls

ARGUMENTS = {"a": 1}
CONTENTS: list[dict[str, Any]] = [
    {"content": [{"type": "tool_use", "name": "t", "input": {}}]},
    {"content": "hi", "tool_calls": [{"name": "t"}]},
    {"tool_calls": [{"name": "t"}]},
    {"content": "hi"},
]


def found(value: Any) -> list[Call | Said]:
    text = json.dumps(value)
    return list(calls(value, text))


@pytest.mark.parametrize(
    "value",
    [
        {"name": "t", "arguments": ARGUMENTS},
        {"name": "t", "arguments": json.dumps(ARGUMENTS)},
        {"name": "t", "input": ARGUMENTS},
        {"type": "tool_use", "id": "1", "name": "t", "input": ARGUMENTS},
        {"function": {"name": "t", "arguments": json.dumps(ARGUMENTS)}},
        {"id": "1", "type": "function", "function": {"name": "t", "arguments": ARGUMENTS}},
        {"type": "function_call", "call_id": "1", "name": "t", "arguments": json.dumps(ARGUMENTS)},
        {"type": "tool_call", "id": "1", "name": "t", "arguments": ARGUMENTS},
    ],
)
def test_each_form_of_a_call_is_the_same_call(value: dict[str, Any]):
    (call,) = found(value)
    (listed,) = found([value])

    for one in (call, listed):
        assert isinstance(one, Call)
        assert (one.name, one.arguments, one.problem) == ("t", ARGUMENTS, None)


@pytest.mark.parametrize(
    "beside",
    [
        {"id": "1", "type": "tool_use", "caller": {"type": "direct"}, "cache_control": {"type": "ephemeral"}},
        {"index": 0, "id": "1", "type": "function"},
        {"type": "function_call", "call_id": "1", "status": "completed"},
        {"_meta": {"progressToken": 1}},
        {"id": None, "call_id": None, "status": None},
        {"_meta": {}},
    ],
)
def test_what_interfaces_write_beside_a_call_decides_nothing(beside: dict[str, Any]):
    (call,) = found({**beside, "name": "t", "arguments": ARGUMENTS})
    (nested,) = found({**beside, "function": {"name": "t", "arguments": ARGUMENTS}})

    for one in (call, nested):
        assert isinstance(one, Call)
        assert (one.name, one.arguments, one.problem) == ("t", ARGUMENTS, None)


def test_a_call_without_arguments_has_none():
    assert [
        one.arguments for one in found([{"name": "t"}, {"name": "t", "arguments": ""}]) if isinstance(one, Call)
    ] == [
        {},
        {},
    ]


@pytest.mark.req("PA-07", "PA-08")
@pytest.mark.parametrize(
    "value",
    [
        3,
        "t",
        {},
        {"role": "assistant"},
        {"content": "hi"},
        {"name": 3},
        {"name": "t", "arguments": 3},
        {"name": "t", "arguments": "[1]"},
        {"name": "t", "arguments": {}, "input": {}},
        {"name": "t", "arguments": {}, "approved": True},
        {"function": {"name": "t", "arguments": {}, "approved": True}},
        {"function": {"name": "t", "arguments": {}}, "approved": True},
        {"name": "t", "arguments": {}, "_meta": 3},
        {"name": "t", "arguments": {}, "_meta": {"progressToken": 1, "approved": True}},
    ],
)
def test_what_is_no_call_says_why(value: Any):
    (call,) = found(value)

    assert isinstance(call, Call)
    assert call.problem is not None
    assert call.problem.code == "call.form"


@pytest.mark.req("PA-04", "S1-05")
@pytest.mark.parametrize(
    ("role", "whose"), [("user", "“user”"), ("tool", "“tool”"), ("k" * 81, f"“{'k' * 80}”"), (None, "no text")]
)
@pytest.mark.parametrize("rest", CONTENTS)
def test_what_somebody_else_said_holds_no_calls_and_no_text(role: str | None, whose: str, rest: dict[str, Any]):
    value = {"role": role, **rest}
    text = json.dumps(value)

    (call,) = calls(value, text)
    (listed,) = found([{**value, "type": "message"}])

    for one in (call, listed):
        assert isinstance(one, Call)
        assert one.problem is not None
        assert one.problem.code == "call.form"
        assert one.problem.sentence.endswith(f"its “role” must be “assistant”, not {whose}")
    assert isinstance(call, Call)
    assert call.at == (0, len(text))
    assert isinstance(listed, Call)
    assert listed.at == (1, len(json.dumps([{**value, "type": "message"}])) - 1)


def test_a_call_that_says_whose_it_is_is_none():
    for role in ("user", "assistant"):
        (call,) = found({"role": role, "name": "t", "arguments": ARGUMENTS})

        assert isinstance(call, Call)
        assert call.problem is not None


@pytest.mark.req("PA-04", "S1-05")
@pytest.mark.parametrize(
    "kind", ["server_tool_use", "mcp_tool_use", "web_search_tool_result", "mcp_tool_result", "some_tool_result"]
)
def test_what_the_interface_did_by_itself_is_not_done_again(kind: str):
    part = {"type": kind, "name": "t", "input": ARGUMENTS}

    (alone,) = found(part)

    assert found([part]) == found({"role": "assistant", "content": [part]}) == []
    assert isinstance(alone, Call)
    assert alone.problem is not None


@pytest.mark.req("PA-04")
@pytest.mark.parametrize("kind", ["tool_result", "mcp_call", "k" * 81])
def test_a_part_of_another_type_is_no_call_and_that_is_said(kind: str):
    for value in ({"type": kind, "name": "t", "arguments": ARGUMENTS}, {"type": kind, "function": {"name": "t"}}):
        (alone,) = found(value)
        (listed,) = found([value])

        for one in (alone, listed):
            assert isinstance(one, Call)
            assert one.problem is not None
            assert one.problem.sentence == f"“{kind[:80]}” is no type of a call to be done here; leave “type” out"


def test_a_long_key_is_cut_where_it_is_said_again():
    (call,) = found({"name": "t", "k" * 81: 1})

    assert isinstance(call, Call)
    assert call.problem is not None
    assert call.problem.sentence == f"a call has “name” and “arguments”, not “{'k' * 80}”"


def test_text_and_calls_of_a_message_come_in_their_order():
    content: list[dict[str, Any]] = [
        {"type": "text", "text": "a"},
        {"type": "tool_use", "name": "t", "input": {}},
        {"type": "thinking"},
    ]

    assert [type(one) for one in found({"role": "assistant", "content": content})] == [Said, Call]
    assert found({"role": "assistant", "content": "hi"}) == [Said("hi")]


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ([{"type": "text", "text": "a"}, {"type": "output_text", "text": "b"}, {"type": "text"}], ["a", "b", ""]),
        (
            [{"type": "message", "content": "a"}, {"type": "message", "content": None}, {"type": "message"}],
            ["a", "", ""],
        ),
        ([{"type": "message", "content": ["a", {"type": "output_text", "text": "b"}, {"type": "x"}]}], ["a", "b", ""]),
        ([{"type": kind, "text": "hm"} for kind in ("thinking", "redacted_thinking", "reasoning")], []),
    ],
)
def test_each_text_of_a_message_is_said_and_its_thinking_is_not(value: Any, texts: list[str]):
    assert found(value) == [Said(text) for text in texts]
    assert found({"role": "assistant", "content": value}) == [Said(text) for text in texts]


def test_calls_alone_are_a_message_too():
    assert [one.name for one in found({"tool_calls": [{"name": "t"}, {"name": "u"}]}) if isinstance(one, Call)] == [
        "t",
        "u",
    ]


def test_one_call_is_quoted_whole():
    text = ' {"name": "t"}\n'

    (call,) = calls(json.loads(text), text)

    assert isinstance(call, Call)
    assert call.at == (0, len(text))


def test_each_call_knows_where_it_stands():
    text = '[ {"name": "t"} , {"name": "u"} ]'

    spans = [one.at for one in calls(json.loads(text), text) if isinstance(one, Call)]

    assert [text[start:end] for start, end in spans] == ['{"name": "t"}', '{"name": "u"}']
