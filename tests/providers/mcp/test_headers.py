"""Arguments that a server marks are repeated as headers, encoded as the protocol demands."""

from typing import Any

import pytest

from sayso.providers.mcp.headers import encoded, headers_of, why_not

TEXT = {"type": "string", "x-mcp-header": "Region"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("us-west1", "us-west1"),
        ("", ""),
        ("a b", "a b"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("x\r\nEvil: 1", "=?base64?eA0KRXZpbDogMQ==?="),
        ("a\tb", "=?base64?YQli?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
    ],
)
def test_a_value_is_sent_as_it_is_or_in_base64(text: str, value: str):
    assert encoded(text) == value


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        ({"region": "eu", "deep": {"n": -7}, "sure": True}, {"Region": "eu", "N": "-7", "Sure": "true"}),
        ({"region": None, "deep": 3}, {}),
        ({"region": ["eu"], "other": "x"}, {}),
    ],
)
def test_only_marked_arguments_that_have_a_value_are_repeated(arguments: Any, headers: dict[str, str]):
    deep = {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}}
    sure = {"type": "boolean", "x-mcp-header": "Sure"}
    schema: Any = {"type": "object", "properties": {"region": TEXT, "deep": deep, "sure": sure, "other": {}}}

    assert why_not(schema) == ""
    assert headers_of(schema, arguments) == {f"Mcp-Param-{name}": value for name, value in headers.items()}


@pytest.mark.parametrize(
    "properties",
    [
        {"a": {"type": "string", "x-mcp-header": ""}},
        {"a": {"type": "string", "x-mcp-header": "a b"}},
        {"a": {"type": "string", "x-mcp-header": "a\r\nb"}},
        {"a": {"type": "string", "x-mcp-header": 3}},
        {"a": {"type": "number", "x-mcp-header": "a"}},
        {"a": TEXT, "b": {"type": "string", "x-mcp-header": "REGION"}},
        {"a": {"type": "array", "items": TEXT}},
        {"a": {"anyOf": [TEXT]}},
    ],
)
def test_marks_that_cannot_be_followed_are_found(properties: Any):
    assert why_not({"type": "object", "properties": properties})


def test_what_only_looks_like_a_mark_is_none():
    schema: Any = {"type": "object", "properties": {"x-mcp-header": {"type": "string", "default": {"x-mcp-header": 1}}}}

    assert (why_not(schema), headers_of(schema, {"x-mcp-header": "a"})) == ("", {})
