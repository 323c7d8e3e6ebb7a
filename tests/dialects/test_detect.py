"""A chat reply may hold json-action blocks and actions on one stream."""

import json

import pytest

from sayso.core.dialect import CanAskBack, Dialect, WritesInstances
from sayso.dialects.actions import ACTIONS
from sayso.dialects.base import read
from sayso.dialects.blocks import BLOCKS
from sayso.dialects.detect import AUTO, CHAT, find_dialect
from sayso.dialects.lines import LINES
from sayso.testing.dialects import DialectSuite
from tests.dialects.museum import pieces
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
    assert isinstance(CHAT, WritesInstances)
    block = CHAT.write(OPERATIONS["task.add"], {"text": "a"})
    text = CHAT.together([CHAT.remark("left out:\n" + block), block, CHAT.write_instance("t", {"b": 1})])

    first, second = read(CHAT, OPERATIONS, text).proposals

    assert text.index("left out:") < text.index("```json-action")
    assert (first.operation, first.arguments) == ("task.add", {"text": "a"})
    assert (second.template_id, second.arguments, second.label) == ("t", {"b": 1}, None)


COMMANDS = '{"commands": [{"type": "list_apps"}]}'
CALL = '{"name": "macos_auto", "arguments": {"action": "calendar_today"}}'

AUTO_ENVELOPE = '{"actions": [{"templateId": "t", "label": "L"}]}'


class TestAuto(DialectSuite):
    dialect = AUTO
    operations = OPERATIONS
    texts = (
        *(COMMANDS, f"```\n{CALL}\n```", f"A\n{BLOCK}", f"{BLOCK}\nA", "[1] is a list", "`x` y", "``", "```js"),
        f"```json-action x\n{COMMANDS}\n```",
        f"```{'x' * 300}\n{COMMANDS}\n```",
    )
    wishes = (("task.add", {"text": "x"}), ("file.move", {"source": "/a", "destination": "/b"}))
    slow = (lambda size: "{" * size, lambda size: "`" * size, lambda size: "\n" * size, lambda size: "```" + "x" * size)


@pytest.mark.req("T-43", "T-50")
@pytest.mark.parametrize(
    ("text", "dialect", "operations"),
    [
        (CALL, "tools", ["calendar.today"]),
        (f"```json\n{CALL}\n```", "tools", ["calendar.today"]),
        (f"[{CALL}, {CALL}]", "tools", ["calendar.today"] * 2),
        (json.dumps({"role": "assistant", "content": "hi", "tool_calls": []}), "tools", []),
        (json.dumps([{"type": "text", "text": "a"}, {"type": "tool_use", "name": "x", "input": {}}]), "tools", [None]),
        (COMMANDS, "commands", ["app.list"]),
        (f"  ```json\n{COMMANDS}\n```\n", "commands", ["app.list"]),
        ('{"commands": [', "commands", [None]),
        (f"\n {COMMANDS}", "commands", ["app.list"]),
        (f"~~~json\n\n {COMMANDS}\n~~~", "commands", ["app.list"]),
        (f"```json-action x\n{COMMANDS}\n```", "commands", ["app.list"]),
        (f'{{"tool_calls": [{CALL}]}}', "tools", ["calendar.today"]),
        (f'{{"function": {CALL}}}', "tools", ["calendar.today"]),
        *(
            (f'[{CALL}, {{"type": "{kind}"}}]', "tools", ["calendar.today"])
            for kind in ("text", "output_text", "message", "thinking", "redacted_thinking", "reasoning")
        ),
        ('{"role": "assistant", "content": "x"}', "tools", []),
        ('{"name": "x", "input": {}}', "tools", [None]),
        ('{"name": "x", "arguments": {}}', "tools", [None]),
        ('{"arguments": {}, "input": {}}', "auto", []),
        ('{"name": "x"}', "auto", []),
        ('{"role": "user", "content": "x"}', "auto", []),
        ('{"role": "assistant"}', "auto", []),
        (f'{{"role": "user", "content": "", "tool_calls": [{CALL}]}}', "auto", []),
        (f'{{"role": "tool", "tool_calls": [{CALL}]}}', "auto", []),
        (f'{{"role": null, "function": {CALL}}}', "auto", []),
        ('{"role": "user", "name": "x", "arguments": {}}', "auto", []),
        (f'[{CALL}, {{"type": "mcp_tool_result"}}]', "tools", ["calendar.today"]),
        (f'[{CALL}, {{"type": "tool_result"}}]', "auto", []),
        (f"[{CALL}, 3]", "auto", []),
        (f'[{CALL}, {{"type": "other"}}]', "auto", []),
        ("[3]", "auto", []),
        ("[]", "auto", []),
        ('["commands"]', "auto", []),
        ('{"a": {"commands": [', "auto", []),
        ('{"needs_clarification": false, "commands": [],}', "commands", [None]),
        (f"{CALL[:-1]},}}", "tools", [None]),
        ('{"name": "x", "age": 3,}', "auto", []),
        ('{"called": "x", "arguments": {},}', "auto", []),
        ('[{"type": {"x": 1}, "name": "x", "arguments": {}}, {"type": ["text"]}]', "auto", []),
        ('{"type": ["text"], "x": 1, "actions": [{"templateId": "t", "label": "-"}]}', "auto", []),
        ('{"type": {"x": 1}, "arguments": {}}', "tools", [None]),
        (AUTO_ENVELOPE, "actions", ["template.run"]),
        (f"```\n{AUTO_ENVELOPE}\n```", "actions", ["template.run"]),
        (f"Look:\n```json\n{AUTO_ENVELOPE}\n```", "actions", ["template.run"]),
        ('{"content": "c", "actions": [{"templateId": "t"}]}', "actions", ["template.run"]),
        (BLOCK, "blocks", ["task.add"]),
        (f"Look:\n{BLOCK}\n", "blocks", ["task.add"]),
        ("MOVE_FILE ~/a ~/b", "auto", []),
        ('{"a": 1}', "auto", []),
        ("```python\nx = {}\n```", "auto", []),
        ("", "auto", []),
    ],
)
def test_a_reply_tells_its_dialect(text: str, dialect: str, operations: list[str | None]):
    reading = read(AUTO, OPERATIONS, text)

    assert (reading.dialect, [one.operation for one in reading.proposals]) == (dialect, operations)


@pytest.mark.req("T-43")
def test_plain_text_is_shown_and_never_run():
    text = "Run this:\n\nDELETE_FILE ~/a\n\n```\nDELETE_FILE ~/a\n```"

    reading = read(AUTO, OPERATIONS, text)

    assert (reading.text, reading.proposals) == (text, ())


def test_its_prompt_is_that_of_a_chat():
    assert AUTO.name == "auto"
    assert "json-action" in AUTO.describe(list(OPERATIONS.values()))


def test_it_writes_one_object_which_has_no_place_for_words():
    moved = AUTO.write(OPERATIONS["file.move"], {"source": "/a", "destination": "/b"})
    added = AUTO.write(OPERATIONS["task.add"], {"text": "x"})

    reading = read(AUTO, OPERATIONS, AUTO.together([moved, added]))

    assert AUTO.remark("left out:\n" + moved) == ""
    assert (reading.dialect, [one.operation for one in reading.proposals]) == ("commands", ["file.move", "task.add"])


def test_what_it_asks_back_is_known_again_as_a_question():
    assert isinstance(AUTO, CanAskBack)

    reading = read(AUTO, OPERATIONS, AUTO.clarify("Which?", [OPERATIONS["task.delete"]]))

    assert (reading.dialect, reading.clarification_reason) == ("commands", "Which?")
    assert [one.operation for one in reading.proposals] == ["task.delete"]


@pytest.mark.parametrize(
    ("start", "at_once"),
    [
        ("Hi", True),
        ("```py\nprint", True),
        ("~~~\nx", True),
        ("`x` y", True),
        ("``x", True),
        (BLOCK + "\n", True),
        (f"```{'x' * 253}", True),
        (f"```{'x' * 252}", False),
        ("```json", False),
        ("```json\n", False),
        ("```json\n\n{", False),
        ("~~~\n[", False),
        ("{", False),
        (" \n[", False),
        ("", False),
    ],
)
def test_a_reply_is_held_only_while_it_may_be_one_document(start: str, at_once: bool):
    reader = AUTO.reader(OPERATIONS)

    assert bool(reader.feed(start)) is at_once


def test_a_chat_reply_is_shown_as_it_comes():
    reader = AUTO.reader(OPERATIONS)

    assert [len(reader.feed(piece)) for piece in ("Sure", ", I", " can")] == [1, 1, 1]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SPEAK x\nFLY y\n# z\n", "lines"),
        ("```\nSPEAK x\n```", "lines"),
        ("# No action needed", "lines"),
        ("", "lines"),
        (f"Look:\n{BLOCK}", "auto"),
        (ENVELOPE, "auto"),
        ('{"commands": []}', "auto"),
        ('{"name": "macos_auto", "arguments": {}}', "auto"),
        ("FLY x", None),
        ("Sure:\nSPEAK x", None),
        ("I did it.\nSPEAK x", None),
        (f"SPEAK x\nWRITE_FILE /a <<END\n{BLOCK}\nEND", None),
        ("[1]", None),
    ],
)
def test_a_text_shows_its_dialect_or_nothing_is_guessed(text: str, found: str | None):
    assert find_dialect(text, OPERATIONS) == found


def test_no_reply_is_taken_for_one_of_another_dialect():
    wrong: list[str] = []
    for piece in pieces():
        found = find_dialect(piece.reply, OPERATIONS)
        if found is not None and (found == "lines") != (piece.dialect == "lines"):
            said = read({"auto": AUTO, "lines": LINES}[found], OPERATIONS, piece.reply)
            wrong += [piece.id] if said.proposals else []

    assert wrong == []
