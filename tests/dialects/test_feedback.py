"""Every operation has its name, keys and form in a dialect, also where the arguments are wrong."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from sayso.core.encoding import Json
from sayso.core.errors import Candidate
from sayso.core.proposal import Proposal
from sayso.dialects.base import FeedbackNote, Reading, read
from sayso.dialects.commands import COMMANDS
from sayso.dialects.feedback import LONGEST_SAID, notes, project_rows
from sayso.dialects.lines import LINES
from sayso.dialects.lines.dialect import line_of
from sayso.dialects.tools import TOOLS
from tests.dialects.replies import NOTE_NAMES, OPERATIONS, answering

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
    found = answering(dialect).words(OPERATIONS[id_], arguments)

    assert found is not None
    assert found.name == name
    assert name in found.form


def test_arguments_have_the_keys_of_the_dialect():
    block = answering("blocks").words(OPERATIONS["task.delete"], {"target": "x"})
    tool = answering("tools").words(OPERATIONS["tab.switch"], {"index": 1, "browser": "safari"})

    assert block is not None
    assert block.keys == {"target": "taskText"}
    assert tool is not None
    assert tool.keys == {"index": "tab_index"}


@pytest.mark.parametrize("dialect", ["blocks", "actions"])
def test_a_closed_dialect_has_no_words_for_other_operations(dialect: str):
    assert answering(dialect).words(OPERATIONS["file.move"], {}) is None


@pytest.mark.parametrize("id_", OPERATIONS)
def test_the_name_of_every_operation_is_one_that_its_dialect_knows(id_: str):
    line = answering("lines").words(OPERATIONS[id_], {})
    call = answering("tools").words(OPERATIONS[id_], {})
    command = answering("commands").words(OPERATIONS[id_], {})

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
    told = project_rows(answering("lines"), [MOVED, failed()], OPERATIONS)

    assert told == [
        {"command": 'MOVE_FILE "~/a b" "~/c"', "success": True, "message": "Moved file", "error": None},
        {"command": "TAB_LIST chrome", "success": False, "message": None, "error": "No tab is open"},
    ]


@pytest.mark.req("X-03", "T-44", "S1-32", "S1-33")
def test_a_tool_call_is_answered_with_text():
    told = project_rows(answering("tools"), [a_row(), MOVED, failed(), a_row(text=None)], OPERATIONS)

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

    (told,) = project_rows(answering("blocks"), [row], OPERATIONS)

    assert (told["type"], told["applied"], told["failed"], told["undo"]) == ("add_task", applied, fails, "do_7")


@pytest.mark.req("T-44")
def test_an_action_has_data_and_what_follows_only_where_there_is_some():
    run = a_row(operation="template.run", arguments={}, message="Archived 2", data={"n": 2, "refreshInbox": True})

    told = project_rows(answering("actions"), [run, failed(operation="template.run")], OPERATIONS)

    assert told == [
        {"success": True, "message": "Archived 2", "data": {"n": 2}, "refreshInbox": True},
        {"success": False, "message": "No tab is open"},
    ]


@pytest.mark.req("T-44", "S4-51")
def test_each_command_has_a_result_with_its_own_type():
    invalid = failed("invalid", operation=None, arguments={})

    told = project_rows(answering("commands"), [a_row(), MOVED, invalid], OPERATIONS)

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

    (told,) = project_rows(answering("lines"), [row], OPERATIONS)

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

    (told,) = project_rows(answering(dialect), [row], OPERATIONS)

    assert told["type"] == type_


def test_a_chat_reply_has_both_shapes():
    rows = [a_row(operation="task.add", arguments={"text": "x"}), a_row(operation="template.run", arguments={})]

    block, action = project_rows(answering("auto"), rows, OPERATIONS)

    assert block["type"] == "add_task"
    assert "applied" not in action


def test_what_a_dialect_cannot_name_keeps_its_canonical_name():
    (told,) = project_rows(answering("blocks"), [MOVED], OPERATIONS)

    assert told["type"] == "file.move"


def a_reading(dialect: str, said: str = "MOVE_FILE a b") -> Reading:
    return Reading(dialect, "", (Proposal(0, said),))


def a_row_noting(state: str, code: str | None = None, **members: Any) -> dict[str, Any]:
    row = {"index": 0, "operation": "task.delete", "arguments": {"target": "Mlik"}, "error": "it went wrong"}
    return {**row, "state": state, "code": code, **members}


def note_of(dialect: str, row: dict[str, Any], said: str = "MOVE_FILE a b") -> FeedbackNote:
    (note,) = notes(answering(dialect), a_reading(dialect, said), [row], OPERATIONS)
    return note


@pytest.mark.req("X-11")
@pytest.mark.parametrize("state", ["declined", "expired", "refused", "failed", "skipped", "unknown"])
def test_an_end_that_no_spelling_mends_says_what_to_do_next(state: str):
    note = note_of("lines", a_row_noting(state))

    assert (note.kind, note.index, note.said) == (state, 0, "MOVE_FILE a b")
    assert note.sentence.startswith("it went wrong. ")
    assert "propose" in note.sentence.casefold()


@pytest.mark.req("X-11", "X-05")
def test_what_nothing_here_can_do_is_not_to_be_proposed_again():
    note = note_of("lines", a_row_noting("failed", "unavailable"))

    assert note.kind == "failed"
    assert note.sentence == "it went wrong. Nothing here can do it. Say so to the person instead of proposing it again."


@pytest.mark.req("X-11")
@pytest.mark.parametrize("state", ["done", "unchanged", "planned", "waiting", "running", "undone"])
def test_what_went_well_or_still_waits_has_no_note(state: str):
    assert notes(answering("lines"), a_reading("lines"), [a_row_noting(state)], OPERATIONS) == ()


@pytest.mark.req("X-11", "T-70")
@pytest.mark.parametrize("dialect", ["blocks", "auto"])
def test_what_would_change_nothing_is_told_in_a_chat(dialect: str):
    row = a_row_noting("unchanged", operation="task.edit", error=None, message="The task is already called “Trip”")
    said = '{"type": "edit_task", "taskText": "Trip", "newText": "Trip"}'

    note = note_of(dialect, row, said)

    assert note.kind == "unchanged"
    assert note.sentence == (
        "The task is already called “Trip”. It would change nothing, and was dropped. Do not propose it again."
    )


@pytest.mark.parametrize("dialect", ["lines", "tools", "commands"])
def test_what_changed_nothing_has_no_note_where_its_result_says_so(dialect: str):
    row = a_row_noting("unchanged", error=None, message="It is so already")

    assert notes(answering(dialect), a_reading(dialect), [row], OPERATIONS) == ()


@pytest.mark.req("S2-44", "T-59")
@pytest.mark.parametrize(("code", "kind"), [("target.not_found", "not_found"), ("target.ambiguous", "ambiguous")])
def test_a_target_is_asked_for_under_the_key_of_the_dialect(code: str, kind: str):
    named = {"candidates": [{"name": "Milk", "id": "t1", "where": "at the top"}]}
    row = a_row_noting("invalid", code, error="No active task matches “Mlik”. Close names: “Milk”.", data=named)

    block = note_of("blocks", row)
    line = note_of("lines", row)

    assert block.kind == kind
    assert block.candidates == (Candidate("Milk", "t1", "at the top"),)
    assert "“Milk”" in block.sentence
    assert "as “taskText”" in block.sentence
    assert block.sentence.endswith('{"type": "delete_task", "taskText": text}')
    assert line.sentence.endswith('TASK_DELETE "target"')


@pytest.mark.req("T-59", "X-11")
@pytest.mark.parametrize(
    ("shown", "by"),
    [
        ("“Milk” (id t1), “Milk” (id t2)", "by its id: "),
        ("“Milk” (id t1), “Milkmaid”", "by its id where one is given, else by its exact text: "),
        ("“Milk”, “Milkmaid”", "letter for letter: "),
    ],
)
def test_a_candidate_is_to_be_named_by_the_id_that_the_sentence_gives(shown: str, by: str):
    named = {"candidates": [{"name": "Milk", "id": "t1", "where": ""}, {"name": "Milk", "id": "t2", "where": ""}]}
    row = a_row_noting("invalid", "target.ambiguous", error=f"2 tasks match “Mlik”: {shown}.", data=named)

    note = note_of("blocks", row)

    assert f"with one of those as “taskText”, {by}" in note.sentence


@pytest.mark.parametrize(
    ("code", "data", "says"),
    [
        (
            "app.unknown",
            [{"name": "Notes", "id": "", "where": ""}],
            "with one of those as “app_name”, letter for letter",
        ),
        ("app.unknown", [], "Look at what is there before you propose it again."),
        ("app.ambiguous", [{"name": "Notes", "id": "", "where": "a.desktop"}], "it is called “Mlik”."),
    ],
)
def test_only_what_was_named_is_offered_and_only_what_can_be_written(code: str, data: list[Any], says: str):
    row = a_row_noting(
        "failed", code, operation="app.quit", arguments={"name": "Mlik"}, error="it is called “Mlik”",
        data={"candidates": data},
    )  # fmt: skip

    note = note_of("commands", row)

    assert says in note.sentence
    assert ("Write it again" in note.sentence) is ("letter" in says)


@pytest.mark.req("T-78", "X-11")
@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({}, "Write it again once there is one: "),
        ({"candidates": [{"name": "brief", "id": "", "where": ""}]}, "with one of those as “templateId”: "),
    ],
)
def test_an_action_that_is_not_there_is_asked_for_under_its_key(data: dict[str, Any], says: str):
    row = a_row_noting("invalid", "template.not_found", operation="template.run", arguments={}, data=data)

    note = note_of("actions", row, '{"templateId": "x"}')

    assert note.kind == "not_found"
    assert says in note.sentence


@pytest.mark.req("S2-46")
def test_malformed_json_keeps_its_place_and_is_written_out_correctly():
    said = "{'type': 'add_task', 'text': 'Milk'}"
    error = "at line 1, column 2: a key stands in single quotes; written correctly it would be {}"
    row = a_row_noting("invalid", "json.malformed", operation=None, arguments={}, error=error)

    note = note_of("auto", row, said)

    assert note.kind == "malformed"
    assert note.sentence == (
        "at line 1, column 2: a key stands in single quotes. Write this instead:\n"
        '```json-action\n{"type": "add_task", "text": "Milk"}\n```'
    )


@pytest.mark.parametrize("dialect", ["lines", "blocks", "tools"])
def test_why_the_person_said_no_is_told_as_their_words(dialect: str):
    said_no = "you said no: “put it on ““Ana's”” list: that one”"

    note = note_of(dialect, a_row_noting("declined", "declined.because", error=said_no), "x" * 5_000)

    assert note.kind == "declined"
    assert len(note.said) <= LONGEST_SAID + 1
    assert note.sentence == (
        "The person said no, and wrote why: “put it on ““Ana's”” list: that one”. "
        "Propose only what fits these words, and this again only if they ask for it."
    )


def test_a_long_text_is_not_repeated():
    note = note_of("lines", a_row_noting("declined"), "x" * 5_000)

    assert len(note.said) == LONGEST_SAID + 1
    assert "xxx" not in note.sentence


def test_what_the_dialect_has_no_words_for_gets_no_form():
    row = a_row_noting("invalid", "arguments.type", operation="file.move", arguments={})

    note = note_of("blocks", row)

    assert note.sentence == "it went wrong."


def unknown(dialect: str, said: str, error: str) -> str:
    row = a_row_noting("invalid", "command.unknown", operation=None, arguments={}, error=error)
    return note_of(dialect, row, said).sentence


@pytest.mark.req("X-11", "S2-46")
def test_a_name_of_known_meaning_is_answered_with_what_to_write():
    call = '{"name": "mail_send", "arguments": %s}'
    error = "there is no tool “mail_send”; did you mean the action mail_send of macos_auto?"
    whole = '{"to": "a@x.org", "subject": "s", "body": "b"}'

    assert unknown("tools", call % whole, error) == (
        f'{error} Write this instead:\n{{"name": "macos_auto", "arguments": {{"action": "mail_send", {whole[1:]}}}'
    )
    assert unknown("tools", call % "{}", error) == (
        f"{error} Write it again: "
        '{"name": "macos_auto", "arguments": {"action": "mail_send", "to": text, "subject": text, "body": text}}'
    )


@pytest.mark.req("X-11", "S2-46")
@pytest.mark.parametrize(
    ("said", "says"),
    [
        ("FILE_GET", "Unknown command: FILE_GET. Did you mean FILE_READ or FILE_LIST?"),
        ("DELETE_TASK", 'Unknown command: DELETE_TASK. Write it again: TASK_DELETE "target"'),
        (
            'UNDELETE_NOTE "x"',
            f'Unknown command: UNDELETE_NOTE "x". Of that kind there are: {NOTE_NAMES}.',
        ),
        ('FLY "x"', 'Unknown command: FLY "x".'),
    ],
)
def test_an_unknown_line_is_answered_with_what_may_be_meant_or_what_there_is(said: str, says: str):
    assert unknown("lines", said, f"Unknown command: {said}") == says


@pytest.mark.req("X-11")
def test_where_several_may_be_meant_they_are_named_and_none_is_written_out():
    error = "there is no command “note_x”; did you mean a or b?"

    assert unknown("commands", '{"type": "file_get"}', error) == error


@pytest.mark.req("S0-61", "X-11")
@pytest.mark.parametrize(("length", "quoted"), [(200, "x" * 200), (201, "x" * 200 + "…"), (5_000, "x" * 200 + "…")])
def test_of_a_long_line_the_beginning_is_repeated_once(length: int, quoted: str):
    said = "x" * length
    error = read(LINES, OPERATIONS, said).proposals[0].problem or ""

    assert unknown("lines", said, error) == f"Unknown command: {quoted}."
