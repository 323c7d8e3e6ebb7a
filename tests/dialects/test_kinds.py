"""What a value must be is said in a few signs."""

import pytest

from sayso.core.canonical import Json
from sayso.dialects.kinds import choices, kind, members

CRITERIA: dict[str, Json] = {
    "type": "object",
    "properties": {"from": {"type": "string"}, "unread": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}},
    "required": ["from"],
}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string", "maxLength": 20}, "text"),
        ({"type": "integer"}, "whole number"),
        ({"type": "number"}, "number"),
        ({"type": "boolean"}, "true | false"),
        ({"enum": ["left", "right", None]}, '"left" | "right"'),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "whole number"),
        ({"type": "array", "items": {"type": "integer"}}, "[whole number, …]"),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}, "[whole number, whole number]"),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2}, "[whole number, …]"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "object"),
        (CRITERIA, '{"from": text, "unread"?: true | false}'),
    ],
)
def test_a_schema_is_said_in_a_few_signs(schema: dict[str, Json], said: str):
    assert kind(schema) == said


@pytest.mark.req("S0-66", "S1-53")
def test_the_members_of_an_object_are_named_also_where_it_may_be_left_out():
    assert members({"anyOf": [CRITERIA, {"type": "null"}]}) == '{"from": text, "unread"?: true | false}'


def test_what_has_no_named_members_says_nothing_of_them():
    assert members({"type": "object"}) == members({"type": "string"}) == ""


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"enum": ["ON", "OFF"]}, '"ON" | "OFF"'),
        ({"anyOf": [{"enum": ["left", "right"]}, {"type": "null"}]}, '"left" | "right"'),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, ""),
        ({"type": "string"}, ""),
        (CRITERIA, ""),
    ],
)
def test_the_words_of_a_choice_are_said_and_nothing_else(schema: dict[str, Json], said: str):
    assert choices(schema) == said
