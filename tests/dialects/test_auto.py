"""A free reply is read in the dialect it is written in; plain text is never run."""

import json

import pytest

from sayso.core.dialect import AsksBack
from sayso.dialects.auto import AUTO
from sayso.dialects.reading import read
from sayso.testing.dialects import DialectSuite
from tests.dialects.replies import OPERATIONS

COMMANDS = '{"commands": [{"type": "list_apps"}]}'
CALL = '{"name": "macos_auto", "arguments": {"action": "calendar_today"}}'
ENVELOPE = '{"actions": [{"templateId": "t", "label": "L"}]}'
BLOCK = '```json-action\n{"type": "add_task", "text": "x"}\n```'


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
        (ENVELOPE, "actions", ["template.run"]),
        (f"```\n{ENVELOPE}\n```", "actions", ["template.run"]),
        (f"Look:\n```json\n{ENVELOPE}\n```", "actions", ["template.run"]),
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
    assert isinstance(AUTO, AsksBack)

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
