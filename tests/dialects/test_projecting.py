"""The model is given back each result in the shape of the dialect it wrote in."""

from typing import Any

import pytest

from sayso.dialects.projecting import projected
from tests.dialects.replies import OPERATIONS


def a_row(**members: Any) -> dict[str, Any]:
    done = {
        "operation": "tab.list",
        "arguments": {"browser": "chrome"},
        "state": "done",
        "success": True,
        "message": "Listed 1 tab",
        "error": None,
        "data": {"tabs": [{"index": 1, "title": "Home"}]},
        "text": "1 Home",
        "plan": None,
        "undo": None,
    }
    return {**done, **members}


def failed(state: str = "failed", **members: Any) -> dict[str, Any]:
    return a_row(state=state, success=False, message=None, error="No tab is open", data={}, text=None, **members)


MOVED = a_row(
    operation="file.move",
    arguments={"source": "~/a b", "destination": "~/c"},
    message="Moved file",
    data={},
    text=None,
    plan={"summary": "Move"},
    undo="do_1",
)


@pytest.mark.req("X-03", "T-44")
def test_lines_are_told_command_success_message_and_error():
    told = projected("lines", [MOVED, failed()], OPERATIONS)

    assert told == [
        {"command": 'MOVE_FILE "~/a b" "~/c"', "success": True, "message": "Moved file", "error": None},
        {"command": "TAB_LIST chrome", "success": False, "message": None, "error": "No tab is open"},
    ]


@pytest.mark.req("X-03", "T-44", "S1-32", "S1-33")
def test_a_tool_call_is_answered_with_text():
    told = projected("tools", [a_row(), MOVED, failed(), a_row(text=None)], OPERATIONS)

    assert told == [
        {"success": True, "output": "1 Home", "error": None},
        {"success": True, "output": "Moved file", "error": None},
        {"success": False, "output": None, "error": "No tab is open"},
        {"success": True, "output": '{"tabs": [{"index": 1, "title": "Home"}]}', "error": None},
    ]


@pytest.mark.req("T-44", "T-70")
@pytest.mark.parametrize(
    ("state", "applied", "fails"),
    [
        ("done", True, False),
        ("undone", True, False),
        ("unchanged", False, False),
        ("failed", False, True),
        ("declined", False, True),
        ("waiting", False, False),
        ("unknown", False, False),
        ("planned", False, False),
    ],
)
def test_a_block_is_told_whether_it_was_applied_or_failed_and_its_way_back(state: str, applied: bool, fails: bool):
    row = a_row(operation="task.add", arguments={"text": "Milk"}, state=state, undo="do_7")

    (told,) = projected("blocks", [row], OPERATIONS)

    assert (told["type"], told["applied"], told["failed"], told["undo"]) == ("add_task", applied, fails, "do_7")


@pytest.mark.req("T-44")
def test_an_action_has_data_and_what_follows_only_where_there_is_some():
    run = a_row(operation="template.run", arguments={}, message="Archived 2", data={"n": 2, "refreshInbox": True})

    told = projected("actions", [run, failed(operation="template.run")], OPERATIONS)

    assert told == [
        {"success": True, "message": "Archived 2", "data": {"n": 2}, "refreshInbox": True},
        {"success": False, "message": "No tab is open"},
    ]


@pytest.mark.req("T-44", "S4-51")
def test_each_command_has_a_result_with_its_own_type():
    invalid = failed("invalid", operation=None, arguments={})

    told = projected("commands", [a_row(), MOVED, invalid], OPERATIONS)

    assert [result["type"] for result in told] == ["list_tabs", "file_move", None]
    assert told[0]["data"] == {"tabs": [{"index": 1, "title": "Home"}]}
    assert all(list(result) == ["type", "success", "message", "data", "error"] for result in told)


@pytest.mark.req("S0-59", "S0-61", "T-44")
@pytest.mark.parametrize(
    ("said", "command"),
    [
        ('FLY "x"', 'FLY "x"'),
        ("FLY <<END\na\nEND", "FLY <<END"),
        ("FLY <<END\r\na", "FLY <<END"),
        ("FLY <<END\ra", "FLY <<END"),
        ("", None),
    ],
)
def test_what_no_command_is_known_for_is_given_back_as_the_line_that_was_written(said: str, command: str | None):
    row = failed("invalid", operation=None, arguments={}, said=said)

    (told,) = projected("lines", [row], OPERATIONS)

    assert told == {"command": command, "success": False, "message": None, "error": "No tab is open"}


@pytest.mark.req("T-44", "S0-59")
@pytest.mark.parametrize(
    ("dialect", "said", "error", "type_"),
    [
        ("commands", '{"type": "fly"}', "there is no command “fly”", "fly"),
        ("blocks", '{"type": "fly"}', "there is no type “fly”; there are: add_task", "fly"),
        ("blocks", '{"type": "add_task", "label": 3}', "“label” must be a text", "add_task"),
        ("commands", '{"type": "fly", "text": "and so', "there is no command “fly”; did you mean a?", "fly"),
        ("commands", '{"type": 3}', "“type” must be the name of a command", None),
        ("commands", "{}", "a command needs “type”", None),
    ],
)
def test_what_was_not_understood_keeps_the_type_that_was_written(
    dialect: str, said: str, error: str, type_: str | None
):
    row = failed("invalid", operation=None, arguments={}, said=said) | {"error": error}

    (told,) = projected(dialect, [row], OPERATIONS)

    assert told["type"] == type_


def test_a_chat_reply_has_both_shapes():
    rows = [a_row(operation="task.add", arguments={"text": "x"}), a_row(operation="template.run", arguments={})]

    block, action = projected("auto", rows, OPERATIONS)

    assert block["type"] == "add_task"
    assert "applied" not in action


def test_what_a_dialect_cannot_name_keeps_its_canonical_name():
    (told,) = projected("blocks", [MOVED], OPERATIONS)

    assert told["type"] == "file.move"
