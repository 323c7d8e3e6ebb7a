"""Every operation has its name, keys and form in a dialect, also where the arguments are wrong."""

import json
from collections.abc import Mapping

import pytest

from sayso.core.canonical import Json
from sayso.dialects.commands import COMMANDS
from sayso.dialects.lines import LINES
from sayso.dialects.reading import read
from sayso.dialects.saying import line_of, spoken
from sayso.dialects.tools import TOOLS
from tests.dialects.replies import OPERATIONS

NAMED: list[tuple[str, str, Mapping[str, Json], str]] = [
    ("lines", "file.move", {"source": "a", "destination": "b"}, "MOVE_FILE"),
    ("lines", "app.activate", {"name": "Notes", "launch_if_needed": False}, "ACTIVATE_APP"),
    ("lines", "app.activate", {"name": "Notes", "launch_if_needed": True}, "APP_ACTIVATE"),
    ("lines", "task.add", {}, "TASK_ADD"),
    ("tools", "tab.switch", {"browser": "safari", "index": 0}, "switch_tab"),
    ("tools", "file.move", {}, "file_move"),
    ("blocks", "task.delete", {"target": "x"}, "delete_task"),
    ("blocks", "habit.edit", {}, "edit_habit"),
    ("actions", "template.run", {"anything": 1}, "actions"),
    ("commands", "app.activate", {"name": "Notes", "launch_if_needed": True}, "focus_app"),
    ("commands", "app.activate", {"name": "Notes", "launch_if_needed": False}, "app_activate"),
    ("commands", "tab.close", {"browser": "chrome", "indices": [0]}, "close_tab"),
    ("commands", "tab.close", {"browser": "safari", "indices": [2]}, "tab_close"),
]


@pytest.mark.parametrize(("dialect", "id_", "arguments", "name"), NAMED)
def test_an_operation_has_the_name_that_can_say_its_arguments(
    dialect: str, id_: str, arguments: Mapping[str, Json], name: str
):
    found = spoken(dialect, OPERATIONS[id_], arguments)

    assert found is not None
    assert found.name == name
    assert name in found.form


def test_arguments_have_the_keys_of_the_dialect():
    block = spoken("blocks", OPERATIONS["task.delete"], {"target": "x"})
    tool = spoken("tools", OPERATIONS["tab.switch"], {"index": 1})

    assert block is not None
    assert block.keys == {"target": "taskText"}
    assert tool is not None
    assert tool.keys == {"index": "tab_index"}


@pytest.mark.parametrize("dialect", ["blocks", "actions"])
def test_a_closed_dialect_has_no_words_for_other_operations(dialect: str):
    assert spoken(dialect, OPERATIONS["file.move"], {}) is None


@pytest.mark.parametrize("id_", OPERATIONS)
def test_the_name_of_every_operation_is_one_that_its_dialect_knows(id_: str):
    line = spoken("lines", OPERATIONS[id_], {})
    call = spoken("tools", OPERATIONS[id_], {})
    command = spoken("commands", OPERATIONS[id_], {})

    assert line is not None
    assert call is not None
    assert command is not None
    texts = (
        (LINES, line.name),
        (TOOLS, json.dumps(json.loads(_without_values(call.form)))),
        (COMMANDS, json.dumps({"commands": [{"type": command.name}]})),
    )
    for dialect, text in texts:
        assert [proposal.operation for proposal in read(dialect, OPERATIONS, text).proposals] == [id_], text


def _without_values(form: str) -> str:
    """Cut a form off behind its name or action."""
    start = form.find('"action": ')
    if start < 0:
        return form.partition('"arguments": ')[0] + '"arguments": {}}'
    stop = form.index('"', start + len('"action": "')) + 1
    return form[:stop] + "}}"


def test_a_line_is_told_without_its_long_text():
    written = line_of(OPERATIONS["file.write"], {"path": "~/a.txt", "content": "one\ntwo\n"})
    invalid = line_of(OPERATIONS["file.write"], {"path": 3})

    assert written.startswith("WRITE_FILE ")
    assert "two" not in written
    assert invalid == "WRITE_FILE"
