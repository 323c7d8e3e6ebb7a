"""The prompt of the commands contract teaches what is read, and only what may be done."""

import json
from typing import Any

import pytest

from sayso.core.dialect import CanAskBack, Clarification, ProposalEvent
from sayso.core.errors import ProposalError
from sayso.core.proposal import Proposal
from sayso.dialects.base import read
from sayso.dialects.commands import COMMANDS, EXAMPLES, UNCLEAR, CommandsReader, reply
from sayso.testing.dialects import DialectSuite
from tests.dialects.replies import OPERATIONS, Case, cases, must_read_alike_however_cut, must_read_as

PROMPT = COMMANDS.describe(list(OPERATIONS.values()))


@pytest.mark.req("S4-26", "S4-34", "S4-54")
def test_the_prompt_names_types_bounds_and_when_to_open_a_new_tab():
    for name in ("list_apps", "place_app", "close_tab", "activate_preset", "query", "task_add", "file_move"):
        assert f'"type": "{name}"' in PROMPT
    for formula in ("[x, y, x+w/2, y+h]", "[x+w/2, y, x+w, y+h]", "[x, y, x+w, y+h]", "[360, 140, 1560, 940]"):
        assert formula in PROMPT
    assert "switch_tab when the context has a tab" in PROMPT


@pytest.mark.req("T-12", "T-32")
def test_only_what_is_enabled_is_named():
    few = COMMANDS.describe([OPERATIONS["app.list"]])

    assert "list_apps" in few
    for other in ("switch_tab", "place_app", "bounds", "Paths", "open_url"):
        assert other not in few


@pytest.mark.parametrize(("name", "said", "command"), EXAMPLES)
def test_an_example_reads_as_what_it_shows(name: str, said: str, command: str):
    (proposal,) = read(COMMANDS, OPERATIONS, reply(command)).proposals

    assert proposal.problem is None
    assert proposal.given[0] == name
    assert f"{said}\n{reply(command)}" in PROMPT


def test_the_example_of_asking_back_reads_as_a_question():
    reading = read(COMMANDS, OPERATIONS, UNCLEAR[2])

    assert reading.needs_clarification
    assert [proposal.problem for proposal in reading.proposals] == [None]
    assert UNCLEAR[2] in PROMPT


def events(text: str):
    reader = CommandsReader(OPERATIONS)
    assert reader.feed(text) == []
    return reader.close()


def proposal_in(text: str) -> Proposal:
    (told,) = events(text)
    assert isinstance(told, ProposalEvent)
    return told.proposal


def test_nothing_is_told_before_the_end():
    reader = CommandsReader(OPERATIONS)

    told = [reader.feed(letter) for letter in '{"commands": [{"type": "list_apps"}]}']

    assert not any(told)
    assert len(reader.close()) == 1


def test_commands_are_quoted_as_they_came():
    text = '{"commands": [\n  {"type":  "list_apps"},\n  {"type": "list_tabs" }\n]}'

    found = [event.proposal for event in events(text) if isinstance(event, ProposalEvent)]

    assert [(one.index, one.said, one.line) for one in found] == [
        (0, '{"type":  "list_apps"}', 2),
        (1, '{"type": "list_tabs" }', 3),
    ]


@pytest.mark.req("T-95")
def test_a_question_of_the_model_comes_after_what_it_named():
    told = events('{"commands": [{"type": "switch_tab"}], "needs_clarification": true, "clarification_reason": "?"}')

    assert [type(event) for event in told] == [ProposalEvent, Clarification]
    assert told[1] == Clarification("?")


def test_what_is_named_while_asking_back_keeps_its_place_and_only_the_keys_that_are_known():
    text = '\n{"needs_clarification": true, "commands": [\n{"type": "switch_tab", "tab_index": 3, "tab": 1}]}'

    told, asked = events(text)

    assert isinstance(told, ProposalEvent)
    assert (dict(told.proposal.arguments), told.proposal.line, told.proposal.problem) == ({"index": 3}, 3, None)
    assert told.proposal.given == ("switch_tab",)
    assert asked == Clarification(None)


def test_a_reply_that_cannot_be_read_is_told_of_with_the_reply_as_it_should_be():
    told = proposal_in("\n{'commands': [{'type': 'list_apps'},]}")

    assert (told.index, told.line, told.operation) == (0, 1, None)
    assert (told.problem or "").endswith('; written correctly it would be {"commands": [{"type": "list_apps"}]}')


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ('{"commands": [{"type": "%s"}]}' % ("z" * 81), "command.unknown", f"there is no command “{'z' * 80}”"),
        ('{"commands": [], "%s": 1}' % ("k" * 81), "document.form", f"it has no key “{'k' * 80}”; it has commands, "),
    ],
)
def test_a_long_name_is_cut_where_it_is_said_again(text: str, code: str, said: str):
    told = proposal_in(text)

    assert told.code == code
    assert said in (told.problem or "")


@pytest.mark.req("S4-04", "T-98")
def test_at_most_three_near_types_are_named():
    told = proposal_in('{"commands": [{"type": "list_tab"}]}')

    assert (told.problem or "").count(" or ") <= 2
    assert "list_tabs" in (told.problem or "")


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

    assert isinstance(COMMANDS, CanAskBack)
    reading = read(COMMANDS, OPERATIONS, text)
    assert (reading.needs_clarification, reading.clarification_reason) == (True, "Which “tab”?")
    assert [(one.operation, one.arguments, one.problem) for one in reading.proposals] == [
        ("tab.switch", {}, None),
        ("task.delete", {}, None),
    ]
