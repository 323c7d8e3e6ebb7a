"""An object with named arguments is one proposal in canonical names, or says what is wrong in its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.operation import Problem
from sayso.dialects import vocabulary as names
from sayso.dialects.vocabulary import (
    DROPS_FINAL_NEWLINE,
    LINES,
    Keyed,
    LineCommand,
    Place,
    Vocabulary,
    choices,
    derive_keyed,
    kind,
    members,
    open_name,
    places,
    read_proposal,
    shape,
    unknown,
    usage,
    write_keyed,
)
from sayso.testing.dialects import Counted
from tests.dialects.replies import OPERATIONS

CRITERIA: dict[str, Json] = {
    "type": "object",
    "properties": {"from": {"type": "string"}, "unread": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}},
    "required": ["from"],
}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string", "maxLength": 20}, "text"),
        ({"type": "integer"}, "whole number"),
        ({"type": "number"}, "number"),
        ({"type": "boolean"}, "true | false"),
        ({"enum": ["left", "right", None]}, '"left" | "right"'),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "whole number"),
        ({"type": "array", "items": {"type": "integer"}}, "[whole number, …]"),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}, "[whole number, whole number]"),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2}, "[whole number, …]"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "object"),
        (CRITERIA, '{"from": text, "unread"?: true | false}'),
    ],
)
def test_a_schema_is_said_in_a_few_signs(schema: dict[str, Json], said: str):
    assert kind(schema) == said


@pytest.mark.req("S0-66", "S1-53")
def test_the_members_of_an_object_are_named_also_where_it_may_be_left_out():
    assert members({"anyOf": [CRITERIA, {"type": "null"}]}) == '{"from": text, "unread"?: true | false}'


def test_what_has_no_named_members_says_nothing_of_them():
    assert members({"type": "object"}) == members({"type": "string"}) == ""


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"enum": ["ON", "OFF"]}, '"ON" | "OFF"'),
        ({"anyOf": [{"enum": ["left", "right"]}, {"type": "null"}]}, '"left" | "right"'),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, ""),
        ({"type": "string"}, ""),
        (CRITERIA, ""),
    ],
)
def test_the_words_of_a_choice_are_said_and_nothing_else(schema: dict[str, Json], said: str):
    assert choices(schema) == said


COMMANDS = Vocabulary(names.COMMANDS, "type", open=True)
BLOCKS = Vocabulary(names.BLOCKS, "type")
HERE = Place(0, "{…}")


def read(vocabulary: Vocabulary, name: str, members: dict[str, Json]):
    keyed = vocabulary.find(name, OPERATIONS)
    assert keyed is not None
    return read_proposal(HERE, keyed, members, OPERATIONS)


@pytest.mark.req("T-42")
@pytest.mark.parametrize(
    ("name", "members", "operation", "arguments"),
    [
        ("focus_app", {"app_name": "Notes"}, "app.activate", {"name": "Notes", "launch_if_needed": True}),
        ("switch_tab", {"tab_index": 3.0}, "tab.switch", {"index": 3, "browser": "chrome"}),
        ("open_url", {"url": "x.org"}, "url.open", {"url": "x.org", "browser": "chrome", "new_tab": True}),
        ("task_add", {"text": "Milk"}, "task.add", {"text": "Milk"}),
        ("file_move", {"source": "~/a", "destination": "~/b"}, "file.move", {"source": "~/a", "destination": "~/b"}),
    ],
)
def test_keys_of_the_dialect_become_canonical_names(
    name: str, members: dict[str, Json], operation: str, arguments: dict[str, Json]
):
    proposal = read(COMMANDS, name, members)

    assert (proposal.operation, dict(proposal.arguments), proposal.problem) == (operation, arguments, None)


@pytest.mark.parametrize(
    ("name", "members", "code", "said"),
    [
        ("switch_tab", {}, "arguments.missing", "switch_tab needs “tab_index”"),
        ("switch_tab", {"tab_index": "3"}, "arguments.type", "“tab_index” must be a whole number of at least 1"),
        ("switch_tab", {"index": 3}, "arguments.unknown", "switch_tab does not take “index”; it takes tab_index"),
        ("place_app", {"monitor": 1}, "arguments.missing", "place_app needs “app_name”, and “monitor” must be one of"),
        ("list_apps", {"k" * 81: 1}, "arguments.unknown", f"list_apps does not take “{'k' * 80}”; it takes nothing"),
        ("place_app", {"app_name": "Notes"}, "arguments.missing", "place_app needs “monitor” or “bounds”"),
        ("list_apps", {"approved": True}, "arguments.unknown", "list_apps does not take “approved”; it takes nothing"),
    ],
)
def test_what_is_wrong_is_said_in_the_names_of_the_dialect(name: str, members: dict[str, Json], code: str, said: str):
    proposal = read(COMMANDS, name, members)

    assert (proposal.code, proposal.problem is not None and said in proposal.problem) == (code, True), proposal


def test_what_a_name_needs_one_of_is_not_asked_for_as_long_as_something_else_is_wrong():
    assert read(COMMANDS, "place_app", {}).problem == "place_app needs “app_name”"


def test_what_is_not_understood_keeps_its_place_and_label():
    proposal = unknown(Place(3, "{}", 7), Problem("command.unknown", "no."), "Do it")

    assert (proposal.index, proposal.said, proposal.line, proposal.label) == (3, "{}", 7, "Do it")
    assert (proposal.operation, proposal.problem, proposal.code) == (None, "no.", "command.unknown")


def test_what_is_understood_keeps_its_place_and_label_and_says_what_the_name_takes():
    keyed = COMMANDS.find("switch_tab", OPERATIONS)
    assert keyed is not None

    good = read_proposal(Place(3, "{}", 7), keyed, {"tab_index": 3}, OPERATIONS, "Do it")
    bad = read_proposal(Place(3, "{}", 7), keyed, {"tab_index": "x"}, OPERATIONS, "Do it")

    for one in (good, bad):
        assert (one.index, one.said, one.line, one.label) == (3, "{}", 7, "Do it")
        assert one.given == ("switch_tab", "tab_index")
    assert (good.problem, good.code) == (None, None)
    assert (bad.code, bad.arguments) == ("arguments.type", {"index": "x", "browser": "chrome"})


@pytest.mark.parametrize("name", ["task.add", "taskadd", "TASK_ADD", "task_add_", "task__add"])
def test_a_derived_name_is_known_in_one_spelling(name: str):
    assert COMMANDS.find(name, OPERATIONS) is None


def test_an_argument_that_is_called_like_the_selector_has_the_domain_before_it():
    show = OPERATIONS["notify.show"]

    assert derive_keyed(show, "type").keys["notify_type"] == "type"
    assert derive_keyed(replace(show, id="acme.notify.show"), "type").keys["acme_type"] == "type"
    assert derive_keyed(show, "action").keys["type"] == "type"


def test_a_closed_vocabulary_knows_no_derived_names():
    assert BLOCKS.find("task_add", OPERATIONS) is None
    assert BLOCKS.find("add_task", OPERATIONS) is not None
    assert BLOCKS.find("add_task", {}) is None


def test_a_name_may_take_one_argument_under_two_keys_but_not_twice():
    tool = Vocabulary(names.MACOS_AUTO, "action")

    assert read(tool, "clipboard_write", {"text": "x"}).arguments == {"text": "x"}
    assert read(tool, "clipboard_write", {"body": "x"}).arguments == {"text": "x"}
    assert read(tool, "clipboard_write", {"body": "x", "text": "x"}).code == "arguments.surplus"


@pytest.mark.req("T-45")
def test_a_name_may_bound_a_number_more_narrowly_and_say_what_it_means_left_out():
    tool = Vocabulary(names.MACOS_AUTO, "action")

    assert read(tool, "mail_read", {}).arguments == {"limit": 10, "include_read": False}
    assert [read(tool, "mail_read", {"limit": limit}).problem for limit in (1, 50)] == [None, None]
    for limit in (0, 51):
        assert "“limit” must be a whole number" in (read(tool, "mail_read", {"limit": limit}).problem or "")
    assert read(tool, "mail_read", {"limit": 51}).code == "arguments.type"
    assert read(tool, "mail_read", {"limit": 51}).problem == "“limit” must be a whole number from 1 to 50"


def test_what_is_written_is_read_back():
    keyed = COMMANDS.find("focus_app", OPERATIONS)
    assert keyed is not None
    wish: dict[str, Json] = {"name": "Notes", "launch_if_needed": True}

    members = write_keyed(keyed, OPERATIONS["app.activate"], wish)

    assert members == {"app_name": "Notes"}
    assert read(COMMANDS, "focus_app", members).arguments == wish


@pytest.mark.parametrize(
    ("name", "wish", "code", "said"),
    [
        ("focus_app", {"name": "Notes"}, "dialect.unsayable", "means launch_if_needed True; False has no form here"),
        ("focus_app", {"name": "Notes", "launch_if_needed": False}, "dialect.unsayable", "False has no form here"),
        ("focus_app", {"name": ""}, "arguments.type", "“name” must be a text"),
        ("mail_read", {"include_read": False}, "dialect.unsayable", "mail_read always means limit 10; 50 has no form"),
        ("mail_read", {"include_read": True, "limit": 10}, "dialect.unsayable", "include_read False; True has no form"),
        ("notify", {"title": "a", "message": "b", "sound": "Ping"}, "dialect.unsayable", "notify cannot say “sound”"),
        ("place_app", {"name": "Notes"}, "dialect.unsayable", "place_app takes less than app.place does"),
        (
            "mail_read",
            {"include_read": False, "limit": 51},
            "dialect.unsayable",
            "mail_read takes less than mail.inbox does",
        ),
    ],
)
def test_what_a_name_cannot_say_is_not_written(name: str, wish: dict[str, Json], code: str, said: str):
    keyed = next(one for one in (*names.COMMANDS, *names.MACOS_AUTO) if one.name == name)

    with pytest.raises(ProposalError) as refused:
        write_keyed(keyed, OPERATIONS[keyed.operation], wish)

    assert refused.value.code == code
    assert said in str(refused.value)


def test_how_a_name_is_written_is_told_with_a_word_for_each_value():
    keyed = COMMANDS.find("place_app", OPERATIONS)
    assert keyed is not None

    assert shape(keyed, OPERATIONS["app.place"], "type") == (
        '{"type": "place_app", "app_name": text, "monitor"?: "left" | "main" | "right", '
        '"bounds"?: [whole number, whole number, whole number, whole number], "window"?: text}'
    )


def test_of_two_keys_for_one_argument_the_first_is_told():
    keyed = Keyed("open", "file.open", {"file": "path", "path": "path", "app": "app", "with": "app"})

    assert usage(keyed, OPERATIONS["file.open"]) == "file, app?"


def test_the_keys_of_a_name_are_told_with_what_may_be_left_out():
    assert usage(derive_keyed(OPERATIONS["file.open"]), OPERATIONS["file.open"]) == "path, app?"


@given(st.text(alphabet="a \n", max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=6))
def test_each_object_of_a_text_is_quoted_with_its_number_and_line(text: str, spans: list[tuple[int, int]]):
    spans = [(min(start, len(text)), end) for start, end in spans]

    found = list(places(text, spans, 4, 2))

    wanted = [(text[start:end].strip(), 4 + text[:start].count("\n")) for start, end in spans]
    assert [(one.said, one.line) for one in found] == wanted
    assert [one.index for one in found] == list(range(2, 2 + len(spans)))


@pytest.mark.req("PA-12")
def test_the_lines_of_many_objects_are_counted_once():
    small, large = (cost("{},\n" * count) for count in (500, 4_000))

    assert large[0] < 8 * 2 * small[0]
    assert large[1] < 8 * 2 * max(small[1], 8_000)


def cost(text: str) -> tuple[int, int]:
    spans = [(at, at + 2) for at in range(0, len(text), 4)]
    with Counted() as counted:
        assert sum(1 for _ in places(text, spans, 1)) == len(text) // 4
    return counted.lines, counted.taken


@pytest.mark.parametrize(
    ("vocabulary", "operation", "name"),
    [
        (COMMANDS, "app.quit", "close_app"),
        (COMMANDS, "task.add", "task_add"),
        (BLOCKS, "task.add", "add_task"),
        (BLOCKS, "file.delete", ""),
    ],
)
def test_an_operation_is_called_by_the_name_of_the_source_before_the_derived_one(
    vocabulary: Vocabulary, operation: str, name: str
):
    assert vocabulary.name_of(operation) == name


S0 = """
MOVE_FILE COPY_FILE DELETE_FILE CREATE_FOLDER OPEN_FILE REVEAL_IN_FINDER WRITE_FILE APPEND_FILE WRITE_DOC SEND_EMAIL
OPEN_URL COPY_TO_CLIPBOARD OPEN_APP QUIT_APP ACTIVATE_APP NOTIFY SPEAK SET_VOLUME DO_NOT_DISTURB RUN_SHORTCUT
CREATE_EVENT CREATE_REMINDER
"""


@pytest.mark.req("T-12")
def test_the_union_of_the_lists_of_s0_has_a_name_each():
    assert sorted(command.name for command in LINES) == sorted(S0.split())
    assert len(LINES) == 22


@pytest.mark.parametrize("command", LINES, ids=[command.name for command in LINES])
def test_a_command_gives_each_argument_its_operation_requires(command: LineCommand):
    parameters = {parameter.name: parameter for parameter in OPERATIONS[command.operation].parameters}

    assert {*command.needs, *command.may, *command.fixed} <= parameters.keys()
    assert {name for name, found in parameters.items() if found.required} <= {*command.needs, *command.fixed}
    assert command.body is None or parameters[command.body].kind == "text"


def test_only_texts_that_are_shown_or_said_lose_their_final_newline():
    assert sorted(DROPS_FINAL_NEWLINE) == ["clipboard.write", "notify.show", "shortcut.run", "speech.say"]


def test_an_open_dialect_derives_a_name_from_the_id():
    assert open_name("task.add_subtask") == "task_add_subtask"
