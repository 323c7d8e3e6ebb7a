"""A chat reply may hold json-action blocks and actions on one stream."""

import json

import pytest

from sayso.core.dialect import Dialect, Instances
from sayso.dialects.actions import ACTIONS
from sayso.dialects.blocks import BLOCKS
from sayso.dialects.chat import CHAT
from sayso.dialects.reading import read
from sayso.testing.dialects import DialectSuite
from tests.dialects.replies import OPERATIONS

ENVELOPE = '```json\n{"actions": [{"templateId": "t", "label": "L"}]}\n```'
BLOCK = '```json-action\n{"type": "add_task", "text": "x"}\n```'


class TestChat(DialectSuite):
    dialect = CHAT
    operations = OPERATIONS
    texts = (
        f"A\n\n{BLOCK}\n\nB\n{ENVELOPE}\nC",
        json.dumps({"content": f"hello\n{BLOCK}", "actions": [{"templateId": "t"}]}),
        "```json\n[1]\n```",
        "plain",
    )
    wishes = (("task.add", {"text": "x"}),)
    slow = (lambda size: "```json\n" + "x\n" * (size // 2),)


@pytest.mark.req("T-72", "S2-11", "S2-13")
def test_blocks_and_actions_are_read_on_one_stream_in_their_order():
    reading = read(CHAT, OPERATIONS, f"A\n\n{ENVELOPE}\n\nB\n\n{BLOCK}\n\nC")

    assert reading.text == "A\n\nB\n\nC"
    assert [(one.index, one.operation) for one in reading.proposals] == [(0, "template.run"), (1, "task.add")]


def test_blocks_inside_the_content_of_an_envelope_are_read_too():
    reading = read(CHAT, OPERATIONS, json.dumps({"content": f"hello\n{BLOCK}", "actions": [{"templateId": "t"}]}))

    assert reading.text == "hello"
    assert [one.operation for one in reading.proposals] == ["task.add", "template.run"]
    assert [one.index for one in reading.proposals] == [0, 1]


def test_the_prompt_teaches_both():
    prompt = CHAT.describe(list(OPERATIONS.values()))

    assert "json-action" in prompt
    assert "templateId" in prompt
    assert CHAT.name == "chat"
    assert prompt == f"{BLOCKS.describe(list(OPERATIONS.values()))}\n{ACTIONS.describe(list(OPERATIONS.values()))}"


@pytest.mark.parametrize(("operation", "dialect"), [("template.run", ACTIONS), ("task.add", BLOCKS)])
def test_the_prompt_teaches_nothing_that_is_not_enabled(operation: str, dialect: Dialect):
    enabled = [OPERATIONS[operation]]

    assert CHAT.describe(enabled) == dialect.describe(enabled)
    assert CHAT.describe([]) == ""


def test_blocks_and_actions_of_ones_own_are_written_as_one_reply():
    assert isinstance(CHAT, Instances)
    block = CHAT.write(OPERATIONS["task.add"], {"text": "a"})
    text = CHAT.together([CHAT.remark("left out:\n" + block), block, CHAT.write_instance("t", {"b": 1})])

    first, second = read(CHAT, OPERATIONS, text).proposals

    assert text.index("left out:") < text.index("```json-action")
    assert (first.operation, first.arguments) == ("task.add", {"text": "a"})
    assert (second.template_id, second.arguments, second.label) == ("t", {"b": 1}, None)
