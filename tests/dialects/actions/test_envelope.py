"""An envelope of actions is known for one, and anything else is left for the person to see."""

import json
from typing import Any

import pytest

from sayso.core.events import Proposed
from sayso.dialects.actions.envelope import read_document, read_fence
from sayso.dialects.fences import Block
from tests.dialects.replies import OPERATIONS

ONE = {"templateId": "t", "label": "L"}


@pytest.mark.req("T-72")
@pytest.mark.parametrize(
    "value",
    [{"actions": [ONE]}, {"type": "actions", "actions": [ONE]}, {"content": "c", "actions": [ONE]}, {"actions": []}],
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
        {"actions": [{"type": "add_task"}]},
        {"type": "other", "actions": [ONE]},
        {"actions": [ONE], "approved": True},
        {"commands": []},
        [ONE],
        "x",
    ],
)
def test_anything_else_is_not(value: object):
    assert read_document(json.dumps(value), OPERATIONS) is None
    assert read_fence(Block("json", json.dumps(value), "", closed=True, line=1), 0, OPERATIONS) is None


def test_broken_json_is_taken_for_an_envelope_only_where_it_looks_like_one():
    assert read_document('{"actions": [{"templateId": "t",}]}', OPERATIONS) is not None
    assert read_document('{"a": 1,}', OPERATIONS) is None


def test_each_action_is_quoted_with_its_line():
    content = json.dumps({"actions": [ONE, ONE]}, indent=1)

    events = read_fence(Block("json", content, "", closed=True, line=10), 0, OPERATIONS)

    found = [event.proposal for event in events or [] if isinstance(event, Proposed)]
    assert [json.loads(one.said) for one in found] == [ONE, ONE]
    assert [one.line for one in found] == [12, 16]
