"""An envelope of actions is known for one, and anything else is left for the person to see."""

import json
from typing import Any

import pytest

from sayso.core.events import Proposed, Warned
from sayso.dialects.actions.envelope import read_document, read_fence
from sayso.dialects.fences import Block
from tests.dialects.replies import OPERATIONS

ONE = {"templateId": "t", "label": "L"}


@pytest.mark.req("T-72")
@pytest.mark.parametrize(
    "value",
    [
        {"actions": [ONE]},
        {"type": "actions", "actions": [ONE]},
        {"content": "c", "actions": [ONE]},
        {"type": "actions", "content": "c", "actions": [3, ONE]},
        {"actions": []},
        {"type": "actions", "content": "c", "actions": []},
    ],
)
def test_each_envelope_is_taken(value: dict[str, Any]):
    found = read_document(json.dumps(value), OPERATIONS)

    assert found is not None
    assert (found[0], len(found[1])) == (value.get("content", ""), len(value["actions"]))


@pytest.mark.parametrize(
    "value",
    [
        {"actions": 3},
        {"actions": ["x"]},
        {"actions": [3, None, "templateId"]},
        {"actions": [{"type": "add_task"}]},
        {"type": "other", "actions": [ONE]},
        {"actions": [], "approved": True},
        {"commands": []},
        [ONE],
        "x",
    ],
)
def test_anything_else_is_not(value: object):
    assert read_document(json.dumps(value), OPERATIONS) is None
    assert read_fence(Block("json", json.dumps(value), "", closed=True, line=1), 0, OPERATIONS) is None


@pytest.mark.req("PA-08", "T-72")
def test_what_an_envelope_may_not_say_is_refused_with_each_of_its_actions():
    found = read_document(json.dumps({"actions": [ONE, ONE], "approved": True}), OPERATIONS)

    assert found is not None
    proposals = [event.proposal for event in found[1] if isinstance(event, Proposed)]
    assert [(one.code, one.operation) for one in proposals] == [("arguments.unknown", None)] * 2
    assert proposals[0].problem == "nothing stands beside “actions” but “content” and “type”, not “approved”"


def test_a_long_name_beside_the_actions_is_cut_where_it_is_named():
    found = read_document(json.dumps({"actions": [ONE], "k" * 81: 1}), OPERATIONS)

    assert found is not None
    assert isinstance(found[1][0], Proposed)
    assert (found[1][0].proposal.problem or "").endswith(f"not “{'k' * 80}”")


def test_broken_json_is_taken_for_an_envelope_only_where_it_looks_like_one():
    assert read_document('{"actions": [{"templateId": "t",}]}', OPERATIONS) is not None
    assert read_document('{"a": 1,}', OPERATIONS) is None
    assert read_document('{"actions": [{"template": "t",}]}', OPERATIONS) is None
    assert read_document('{"templateId": "t", "actions": [1,]}', OPERATIONS) is None
    assert read_document('{"templateId": "t", "a": [1,]}', OPERATIONS) is None


def test_an_object_on_its_own_begins_on_the_first_line_and_shows_nothing_when_it_is_broken():
    for text in ('{"actions": [{"templateId": "t"}]}', '{"actions": [{"templateId": "t",}]}'):
        found = read_document(text, OPERATIONS)

        assert found is not None
        assert isinstance(found[1][0], Proposed)
        assert (found[0], found[1][0].proposal.index, found[1][0].proposal.line) == ("", 0, 1)


def test_an_action_names_its_template_as_what_was_said():
    events = read_fence(Block("json", json.dumps({"actions": [ONE]}), "", closed=True, line=1), 0, OPERATIONS)

    assert [event.proposal.given for event in events or [] if isinstance(event, Proposed)] == [("t",)]


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"style": "s" * 81}, f"not “{'s' * 80}”"),
        ({"k" * 81: 1}, f"an action has no “{'k' * 80}”"),
        ({"style": ["primary"]}, "“style” must be one of primary, secondary, danger, not “['primary']”"),
    ],
)
def test_what_is_not_known_is_named_and_cut_where_it_is_long(members: dict[str, Any], said: str):
    found = read_document(json.dumps({"actions": [{"templateId": "t", **members}]}), OPERATIONS)

    assert found is not None
    proposed = found[1][0]
    assert isinstance(proposed, Proposed)
    told = [event.sentence for event in found[1] if isinstance(event, Warned)] or [proposed.proposal.problem or ""]
    assert said in told[0]
    assert proposed.proposal.style is None


def test_each_action_is_quoted_with_its_line():
    content = json.dumps({"actions": [ONE, ONE]}, indent=1)

    events = read_fence(Block("json", content, "", closed=True, line=10), 0, OPERATIONS)

    found = [event.proposal for event in events or [] if isinstance(event, Proposed)]
    assert [json.loads(one.said) for one in found] == [ONE, ONE]
    assert [one.line for one in found] == [12, 16]
