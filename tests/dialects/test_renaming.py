"""A proposal under a name that there is not is written under that of the operation it means, its keys by meaning."""

import json
from typing import Any

import pytest

from sayso.dialects.renaming import meant, near, renamed
from tests.dialects.replies import OPERATIONS


def ids(dialect: str, said: str) -> list[str]:
    return [one.id for one in meant(dialect, said, OPERATIONS)]


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
            [{"name": "macos_auto", "arguments": {"action": "notify", "title": "a", "body": "b"}}],
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

    found = list(renamed(dialect, json.dumps(said), OPERATIONS[operation]))

    assert [json.loads(one) for one in found] == written


def test_a_line_keeps_what_stands_behind_its_name():
    assert list(renamed("lines", 'DELETE_FILE_ "DELETE_FILE_"  b', OPERATIONS["task.add"])) == [
        'TASK_ADD "DELETE_FILE_"  b'
    ]


def test_a_line_is_told_what_there_is():
    assert near("NOTE_FLY x", OPERATIONS) == "Of that kind there are: NOTE_CREATE, NOTE_APPEND, NOTE_FIND."
    assert near("FLY x", OPERATIONS) == ""
