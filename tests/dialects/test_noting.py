"""What was not carried out is told to the model, with what to write or do instead."""

from typing import Any

import pytest

from sayso.core.errors import Candidate
from sayso.core.proposal import Proposal
from sayso.dialects.lines import LINES
from sayso.dialects.noting import LONGEST_SAID, notes
from sayso.dialects.reading import Reading, read
from tests.dialects.replies import OPERATIONS


def a_reading(dialect: str, said: str = "MOVE_FILE a b") -> Reading:
    return Reading(dialect, "", (Proposal(0, said),))


def a_row(state: str, code: str | None = None, **members: Any) -> dict[str, Any]:
    row = {"index": 0, "operation": "task.delete", "arguments": {"target": "Mlik"}, "error": "it went wrong"}
    return {**row, "state": state, "code": code, **members}


@pytest.mark.req("X-11")
@pytest.mark.parametrize("state", ["declined", "expired", "refused", "failed", "skipped", "unknown"])
def test_an_end_that_no_spelling_mends_says_what_to_do_next(state: str):
    (note,) = notes(a_reading("lines"), [a_row(state)], OPERATIONS)

    assert (note.kind, note.index, note.said) == (state, 0, "MOVE_FILE a b")
    assert note.sentence.startswith("it went wrong. ")
    assert "propose" in note.sentence.casefold()


@pytest.mark.req("X-11", "X-05")
def test_what_nothing_here_can_do_is_not_to_be_proposed_again():
    (note,) = notes(a_reading("lines"), [a_row("failed", "unavailable")], OPERATIONS)

    assert note.kind == "failed"
    assert note.sentence == "it went wrong. Nothing here can do it. Say so to the person instead of proposing it again."


@pytest.mark.req("X-11")
@pytest.mark.parametrize("state", ["done", "unchanged", "planned", "waiting", "running", "undone"])
def test_what_went_well_or_still_waits_has_no_note(state: str):
    assert notes(a_reading("lines"), [a_row(state)], OPERATIONS) == ()


@pytest.mark.req("X-11", "T-70")
@pytest.mark.parametrize("dialect", ["blocks", "auto"])
def test_what_would_change_nothing_is_told_in_a_chat(dialect: str):
    row = a_row("unchanged", operation="task.edit", error=None, message="The task is already called “Trip”")
    said = '{"type": "edit_task", "taskText": "Trip", "newText": "Trip"}'

    (note,) = notes(a_reading(dialect, said), [row], OPERATIONS)

    assert note.kind == "unchanged"
    assert note.sentence == (
        "The task is already called “Trip”. It would change nothing, and was dropped. Do not propose it again."
    )


@pytest.mark.parametrize("dialect", ["lines", "tools", "commands"])
def test_what_changed_nothing_has_no_note_where_its_result_says_so(dialect: str):
    assert notes(a_reading(dialect), [a_row("unchanged", error=None, message="It is so already")], OPERATIONS) == ()


@pytest.mark.req("S2-44", "T-59")
@pytest.mark.parametrize(("code", "kind"), [("target.not_found", "not_found"), ("target.ambiguous", "ambiguous")])
def test_a_target_is_asked_for_under_the_key_of_the_dialect(code: str, kind: str):
    named = {"candidates": [{"name": "Milk", "id": "t1", "where": "at the top"}]}
    row = a_row("invalid", code, error="No active task matches “Mlik”. Close names: “Milk”.", data=named)

    (block,) = notes(a_reading("blocks"), [row], OPERATIONS)
    (line,) = notes(a_reading("lines"), [row], OPERATIONS)

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
    row = a_row("invalid", "target.ambiguous", error=f"2 tasks match “Mlik”: {shown}.", data=named)

    (note,) = notes(a_reading("blocks"), [row], OPERATIONS)

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
    row = a_row(
        "failed", code, operation="app.quit", arguments={"name": "Mlik"}, error="it is called “Mlik”",
        data={"candidates": data},
    )  # fmt: skip

    (note,) = notes(a_reading("commands"), [row], OPERATIONS)

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
    row = a_row("invalid", "template.not_found", operation="template.run", arguments={}, data=data)

    (note,) = notes(a_reading("actions", '{"templateId": "x"}'), [row], OPERATIONS)

    assert note.kind == "not_found"
    assert says in note.sentence


@pytest.mark.req("S2-46")
def test_malformed_json_keeps_its_place_and_is_written_out_correctly():
    said = "{'type': 'add_task', 'text': 'Milk'}"
    error = "at line 1, column 2: a key stands in single quotes; written correctly it would be {}"
    row = a_row("invalid", "json.malformed", operation=None, arguments={}, error=error)

    (note,) = notes(a_reading("auto", said), [row], OPERATIONS)

    assert note.kind == "malformed"
    assert note.sentence == (
        "at line 1, column 2: a key stands in single quotes. Write this instead:\n"
        '```json-action\n{"type": "add_task", "text": "Milk"}\n```'
    )


def test_a_long_text_is_not_repeated():
    (note,) = notes(a_reading("lines", "x" * 5_000), [a_row("declined")], OPERATIONS)

    assert len(note.said) == LONGEST_SAID + 1
    assert "xxx" not in note.sentence


def test_what_the_dialect_has_no_words_for_gets_no_form():
    row = a_row("invalid", "arguments.type", operation="file.move", arguments={})

    (note,) = notes(a_reading("blocks"), [row], OPERATIONS)

    assert note.sentence == "it went wrong."


def unknown(dialect: str, said: str, error: str) -> str:
    row = a_row("invalid", "command.unknown", operation=None, arguments={}, error=error)
    (note,) = notes(a_reading(dialect, said), [row], OPERATIONS)
    return note.sentence


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
            'Unknown command: UNDELETE_NOTE "x". Of that kind there are: NOTE_CREATE, NOTE_APPEND, NOTE_FIND.',
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
