"""Calls are found in whatever a model's interface returns."""

import json
from typing import Any

import pytest

from sayso.dialects.tools.calls import Call, Said, calls

ARGUMENTS = {"a": 1}


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
    ],
)
def test_each_form_of_a_call_is_the_same_call(value: dict[str, Any]):
    (call,) = found(value)
    (listed,) = found([value])

    for one in (call, listed):
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
        {"name": 3},
        {"name": "t", "arguments": 3},
        {"name": "t", "arguments": "[1]"},
        {"name": "t", "arguments": {}, "input": {}},
        {"name": "t", "arguments": {}, "approved": True},
        {"function": {"name": "t", "arguments": {}, "approved": True}},
    ],
)
def test_what_is_no_call_says_why(value: Any):
    (call,) = found(value)

    assert isinstance(call, Call)
    assert call.problem is not None
    assert call.problem.code == "call.form"


def test_text_and_calls_of_a_message_come_in_their_order():
    content: list[dict[str, Any]] = [
        {"type": "text", "text": "a"},
        {"type": "tool_use", "name": "t", "input": {}},
        {"type": "thinking"},
    ]

    assert [type(one) for one in found({"role": "assistant", "content": content})] == [Said, Call]
    assert found({"role": "assistant", "content": "hi"}) == [Said("hi")]


def test_each_call_knows_where_it_stands():
    text = '[ {"name": "t"} , {"name": "u"} ]'

    spans = [one.at for one in calls(json.loads(text), text) if isinstance(one, Call)]

    assert [text[start:end] for start, end in spans] == ['{"name": "t"}', '{"name": "u"}']
