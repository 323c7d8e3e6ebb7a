"""A proposal under a name that there is not is written under that of the operation it means, its keys by meaning."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from sayso.core.operation import Problem
from sayso.core.proposal import Proposal
from sayso.dialects.base import read
from sayso.dialects.feedback import write_corrected
from sayso.dialects.json import LONGEST
from tests.dialects.replies import NOTE_NAMES, OPERATIONS, answering


def ids(dialect: str, said: str) -> list[str]:
    return [one.id for one in answering(dialect).find_meant(said, OPERATIONS)]


@pytest.mark.req("X-11")
@pytest.mark.parametrize(
    ("dialect", "said", "found"),
    [
        ("lines", "DELETE_TASK x", ["task.delete"]),
        ("lines", "delete x", []),
        ("commands", '{"type": "task_done"}', ["task.complete"]),
        ("blocks", '{"type": "task_done"}', ["task.complete"]),
        ("tools", '{"name": "file_get"}', ["file.read", "file.list"]),
        ("tools", '{"type": "function", "function": {"name": "task_done", "arguments": "{}"}}', ["task.complete"]),
        ("tools", '{"name": "browser", "arguments": {"action": "open_app"}}', ["app.open"]),
        ("tools", '{"name": "browser", "arguments": {}}', []),
        ("tools", '{"name": "browser", "arguments": {"action": 3}}', []),
        ("tools", '[{"name": "task_done"}, {"name": "task_done"}]', []),
        ("tools", "3", []),
        ("commands", "3", []),
        ("commands", '{"type": ["task_done"]}', []),
        ("commands", "{", []),
    ],
)
def test_what_a_proposal_means_is_found_by_its_name(dialect: str, said: str, found: list[str]):
    assert ids(dialect, said) == found


@pytest.mark.parametrize(
    ("dialect", "operation", "members", "written"),
    [
        ("commands", "app.open", {"app_name": "N"}, [{"type": "app_open", "name": "N"}]),
        (
            "commands",
            "app.quit",
            {"name": "N"},
            [{"type": "close_app", "app_name": "N"}, {"type": "app_quit", "name": "N"}],
        ),
        (
            "blocks",
            "task.edit",
            {"target": "a", "new_text": "b"},
            [{"type": "edit_task", "taskText": "a", "newText": "b"}],
        ),
        ("blocks", "task.delete", {"strange": 1}, [{"type": "delete_task", "strange": 1}]),
        ("blocks", "file.delete", {"path": "~/a"}, []),
        ("tools", "file.delete", {"path": "~/a"}, [{"name": "file_delete", "arguments": {"path": "~/a"}}]),
        (
            "tools",
            "notify.show",
            {"title": "a", "message": "b"},
            [
                {"name": "macos_auto", "arguments": {"action": "notify", "title": "a", "body": "b"}},
                {"name": "notify_show", "arguments": {"title": "a", "message": "b"}},
            ],
        ),
        (
            "tools",
            "clipboard.write",
            {"text": "a"},
            [{"name": "macos_auto", "arguments": {"action": "clipboard_write", "text": "a"}}],
        ),
    ],
)
def test_a_proposal_is_written_under_each_name_with_its_keys(
    dialect: str, operation: str, members: dict[str, Any], written: list[dict[str, Any]]
):
    said = {"name": "x", "arguments": members} if dialect == "tools" else {"type": "x", **members}

    found = list(answering(dialect).with_other_names(json.dumps(said), OPERATIONS[operation]))

    assert [json.loads(one) for one in found] == written


def test_a_line_keeps_what_stands_behind_its_name():
    assert list(answering("lines").with_other_names('DELETE_FILE_ "DELETE_FILE_"  b', OPERATIONS["task.add"])) == [
        'TASK_ADD "DELETE_FILE_"  b'
    ]


def test_a_line_is_told_what_there_is():
    assert answering("lines").suggest("NOTE_FLY x", OPERATIONS) == f"Of that kind there are: {NOTE_NAMES}."
    assert answering("lines").suggest("FLY x", OPERATIONS) == ""


CALL = '{"name": "browser", "arguments": {"action": "%s", "%s": 2}}'


@pytest.mark.parametrize(
    ("dialect", "said", "meant"),
    [
        ("lines", "CREATE FOLDER ~/a", "CREATE_FOLDER ~/a"),
        ("lines", "CREATE_FOLDR ~/a", "CREATE_FOLDER ~/a"),
        ("lines", 'CREATE_FOLDER "~/a', 'CREATE_FOLDER "~/a"'),
        ("tools", CALL % ("switch_tabs", "tab_index"), CALL % ("switch_tab", "tab_index")),
        ("tools", CALL % ("switch_tab", "index"), CALL % ("switch_tab", "tab_index")),
        ("tools", '{"name": "file_mkdir", "arguments": {"path": "~/a"}', None),
        ("lines", 'DELETE_TASK "x"', 'TASK_DELETE "x"'),
        ("lines", "FILE_GET ~/a", "FILE_READ ~/a"),
    ],
)
def test_what_was_meant_is_written_out(dialect: str, said: str, meant: str | None):
    (wrong,) = read(answering(dialect), OPERATIONS, said).proposals

    found = write_corrected(answering(dialect), said, problem_of(wrong), OPERATIONS)

    assert found == (meant or said + "}")


def call(name: str, /, **arguments: Any) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def command(name: str, /, **members: Any) -> str:
    return json.dumps({"type": name, **members})


@pytest.mark.req("X-11", "S2-46")
@pytest.mark.parametrize(
    ("dialect", "said", "meant"),
    [
        ("tools", call("file_get", path="~/a"), call("file_read", path="~/a")),
        ("tools", call("task_done", target="x"), call("task_complete", target="x")),
        ("tools", call("delete_file", path="~/a"), call("file_delete", path="~/a")),
        ("tools", call("reminder_add", title="tea"), call("macos_auto", action="reminder_add", title="tea")),
        ("tools", call("notify", title="a", message="b"), call("macos_auto", action="notify", title="a", body="b")),
        ("tools", call("open_app", name="Mail"), call("macos_auto", action="open_app", app_name="Mail")),
        ("tools", call("get_text"), call("browser", action="get_text")),
        ("tools", call("clipboard_read"), call("macos_auto", action="clipboard_read")),
        ("tools", call("macos_auto", action="get_text"), call("browser", action="get_text")),
        ("tools", call("browser", action="file_read", path="~/a"), call("file_read", path="~/a")),
        ("commands", command("task_tick", target="x"), command("task_complete", target="x")),
        ("commands", command("task_undone", target="x"), command("task_reopen", target="x")),
        ("commands", command("habit_complete", habitText="x"), command("habit_log", target="x")),
        ("commands", command("open_app", app_name="Notes"), command("app_open", name="Notes")),
        ("commands", command("task_rename", taskText="a", newText="b"), command("task_edit", target="a", new_text="b")),
        ("blocks", command("task_done", target="x", label="Do"), command("complete_task", taskText="x", label="Do")),
    ],
)  # fmt: skip
def test_what_is_offered_is_written_under_the_name_that_was_meant(dialect: str, said: str, meant: str):
    assert meant in offered(dialect, said)


@pytest.mark.req("X-11", "S2-46")
@pytest.mark.parametrize(
    ("dialect", "said"),
    [
        ("tools", call("task_get", target="x")),
        ("tools", call("file_undelete", path="~/a")),
        ("tools", call("task_done", target="x", extra=1)),
        ("tools", call("note_append", title="a")),
        ("tools", json.dumps([{"name": "file_get"}, {"name": "file_get"}])),
        ("tools", "[]"),
        ("commands", command("file_select", path="~/a")),
        ("commands", command("file_undelete", path="~/a")),
        ("commands", '{"type": 3}'),
        ("blocks", command("undelete_task", taskText="x")),
        ("lines", 'UNDELETE_FILE "~/a"'),
        ("lines", 'TASK_FLY "a"'),
    ],
)
def test_nothing_of_another_meaning_is_offered(dialect: str, said: str):
    assert offered(dialect, said) == ""


@pytest.mark.req("X-11")
def test_of_several_that_may_be_meant_and_can_be_said_nothing_is_offered_unless_all_are_reads():
    operations = {
        "file.read": replace(OPERATIONS["file.read"], kind="destructive"),
        "file.list": OPERATIONS["file.list"],
    }
    said = call("file_get", path="~/a")
    error = Problem("command.unknown", "there is no tool “file_get”; did you mean file_read or file_list?")

    assert write_corrected(answering("tools"), said, error, OPERATIONS) == call("file_read", path="~/a")
    assert write_corrected(answering("tools"), said, error, operations) == ""


@pytest.mark.req("X-11")
def test_only_a_name_that_there_is_not_is_written_otherwise():
    wrong = Problem("arguments.invalid", "it went wrong")

    assert write_corrected(answering("tools"), call("file_get", path="~/a"), wrong, OPERATIONS) == ""


def problem_of(wrong: Proposal) -> Problem:
    return Problem(wrong.code or "", wrong.problem or "")


def offered(dialect: str, said: str) -> str:
    (wrong, *_) = read(answering(dialect), OPERATIONS, WHOLE.get(dialect, "%s") % said).proposals or [Proposal(0, said)]
    return write_corrected(answering(dialect), said, problem_of(wrong), OPERATIONS)


WHOLE = {"blocks": "```json-action\n%s\n```", "commands": '{"commands": [%s]}'}


@pytest.mark.parametrize(
    ("dialect", "said"),
    [
        ("lines", "FLY ~/a"),
        ("tools", '{"name": "fly", "arguments": {}}'),
        ("tools", '{"name": "file_mkdir", "arguments": {"one": 1, "two": 2}}'),
        ("tools", "{" * (LONGEST + 1)),
    ],
)
def test_nothing_is_offered_where_nothing_is_sure(dialect: str, said: str):
    (wrong,) = read(answering(dialect), OPERATIONS, said).proposals

    assert write_corrected(answering(dialect), said, problem_of(wrong), OPERATIONS) == ""
