"""A reply that is meant as proposals, but lacks what makes it that, is refused with a sentence."""

import json
from typing import Any

import pytest

from sayso.assembly.parts import dialect
from sayso.dialects.base import read
from sayso.dialects.detect import CHAT
from tests.dialects.replies import OPERATIONS

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
