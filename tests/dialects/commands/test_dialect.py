"""The commands contract holds what every dialect must hold, and its cases."""

import json
from typing import Any

import pytest

from sayso.core.dialect import AsksBack
from sayso.core.errors import ProposalError
from sayso.dialects.commands import COMMANDS
from sayso.dialects.reading import read
from sayso.testing.dialects import DialectSuite
from tests.dialects.replies import OPERATIONS, Case, cases, must_read_alike_however_cut, must_read_as


class TestCommands(DialectSuite):
    dialect = COMMANDS
    operations = OPERATIONS
    texts = (
        '{"commands": [{"type": "list_apps"}, {"type": "fly"}], "needs_clarification": false}',
        '\n```json\n{"commands": [{"type": "open_url", "url": "😀"}]}\n``` \n',
        '{"commands": [{"type": "switch_tab"}], "needs_clarification": true, "clarification_reason": "which?"}',
        '{"commands": [',
        "prose",
    )
    wishes = (
        ("file.move", {"source": "/a b", "destination": "~/c"}),
        ("app.activate", {"name": "Notes", "launch_if_needed": True}),
        ("app.activate", {"name": "Notes", "launch_if_needed": False}),
        ("tab.close", {"indices": [2, 5, 8], "browser": "chrome"}),
        ("notify.show", {"title": "t", "message": 'say "hi"', "type": "info"}),
        ("habit.edit", {"target": "run", "interval_hours": 1.5}),
    )
    slow = (
        lambda size: '{"commands": [' + '{"type": "list_apps"}, ' * (size // 23),
        lambda size: '{"commands": [' + ", ".join(['{"type": "fly"}'] * (size // 17)) + "]}",
        lambda size: "[" * size,
        lambda size: '{"a": "' + "\\" * size,
        lambda size: "```" * (size // 3),
    )


@pytest.mark.parametrize("case", cases("commands"))
def test_a_reply_says_what_its_case_says(case: Case):
    must_read_as(case, COMMANDS)
    must_read_alike_however_cut(case, COMMANDS)


@pytest.mark.req("S4-08", "X-01", "T-39")
@pytest.mark.parametrize("id_", OPERATIONS)
def test_every_operation_has_a_form(id_: str):
    names = [line.split('"')[3] for line in COMMANDS.describe([OPERATIONS[id_]]).splitlines() if line.startswith("- {")]

    assert len(names) == 1
    reading = read(COMMANDS, OPERATIONS, json.dumps({"commands": [{"type": names[0]}], "needs_clarification": True}))
    assert [proposal.operation for proposal in reading.proposals] == [id_]


def test_what_does_not_pass_the_door_is_not_written():
    wish: dict[str, Any] = {"source": "x"}

    with pytest.raises(ProposalError):
        COMMANDS.write(OPERATIONS["file.move"], wish)


def test_commands_are_one_object_a_line_each_that_has_no_place_for_words():
    parts = [COMMANDS.write(OPERATIONS["file.delete"], {"path": path}) for path in ("/ä", "/b")]

    assert COMMANDS.remark("a word") == ""
    assert COMMANDS.together(parts) == (
        '{\n  "commands": [\n    {"type": "file_delete", "path": "/ä"},\n    {"type": "file_delete", "path": "/b"}\n'
        '  ],\n  "needs_clarification": false,\n  "clarification_reason": null\n}\n'
    )
    assert json.loads(COMMANDS.together([]))["commands"] == []


@pytest.mark.req("S4-48")
def test_asking_back_names_what_is_in_doubt_and_fills_nothing_in():
    about = [OPERATIONS["tab.switch"], OPERATIONS["task.delete"]]

    text = COMMANDS.clarify("Which “tab”?", about)

    assert isinstance(COMMANDS, AsksBack)
    reading = read(COMMANDS, OPERATIONS, text)
    assert (reading.needs_clarification, reading.clarification_reason) == (True, "Which “tab”?")
    assert [(one.operation, one.arguments, one.problem) for one in reading.proposals] == [
        ("tab.switch", {}, None),
        ("task.delete", {}, None),
    ]
