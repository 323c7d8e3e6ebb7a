"""Calls are found in whatever a model's interface returns."""

import json
from collections.abc import Mapping
from typing import Any, cast

import pytest

from sayso.core.dialect import ProposalEvent, TextEvent
from sayso.core.encoding import Json
from sayso.core.operation import Operation
from sayso.core.proposal import Proposal
from sayso.dialects import vocabulary
from sayso.dialects.base import FeedbackNote, read
from sayso.dialects.tool_schemas import schemas
from sayso.dialects.tools import (
    TOOLS,
    TWO,
    MessageText,
    ParsedCall,
    ToolsReader,
    all_names,
    answer,
    calls,
    own_tool,
    own_tools,
    progress,
    tool_name,
    tool_of,
)
from sayso.testing.dialects import DialectSuite
from tests.dialects.replies import OPERATIONS, Case, cases, must_read_alike_however_cut, must_read_as

ARGUMENTS = {"a": 1}
CONTENTS: list[dict[str, Any]] = [
    {"content": [{"type": "tool_use", "name": "t", "input": {}}]},
    {"content": "hi", "tool_calls": [{"name": "t"}]},
    {"tool_calls": [{"name": "t"}]},
    {"content": "hi"},
]


def found(value: Any) -> list[ParsedCall | MessageText]:
    return list(calls(value, json.dumps(value)))


def call_in(value: Any) -> ParsedCall:
    (call,) = found(value)
    assert isinstance(call, ParsedCall)
    return call


def fault_in(value: Any) -> str:
    """Return why this is no call, as a sentence."""
    problem = call_in(value).problem
    assert problem is not None
    assert problem.code == "call.form"
    return problem.sentence


def must_be_the_call(*values: Any) -> None:
    for call in map(call_in, values):
        assert (call.name, call.arguments, call.problem) == ("t", ARGUMENTS, None)


def proposal_in(text: str, operations: Mapping[str, Operation] = OPERATIONS) -> Proposal:
    (proposal,) = read(TOOLS, operations, text).proposals
    return proposal


@pytest.mark.parametrize(
    "value",
    [
        {"name": "t", "arguments": ARGUMENTS},
        {"name": "t", "arguments": json.dumps(ARGUMENTS)},
        {"name": "t", "input": ARGUMENTS},
        {"type": "tool_use", "id": "1", "name": "t", "input": ARGUMENTS},
        {"function": {"name": "t", "arguments": json.dumps(ARGUMENTS)}},
        {"id": "1", "type": "function", "function": {"name": "t", "arguments": ARGUMENTS}},
        {"type": "function_call", "call_id": "1", "name": "t", "arguments": json.dumps(ARGUMENTS)},
        {"type": "tool_call", "id": "1", "name": "t", "arguments": ARGUMENTS},
    ],
)
def test_each_form_of_a_call_is_the_same_call(value: dict[str, Any]):
    must_be_the_call(value, [value])


@pytest.mark.parametrize(
    "beside",
    [
        {"id": "1", "type": "tool_use", "caller": {"type": "direct"}, "cache_control": {"type": "ephemeral"}},
        {"index": 0, "id": "1", "type": "function"},
        {"type": "function_call", "call_id": "1", "status": "completed"},
        {"_meta": {"progressToken": 1}},
        {"id": None, "call_id": None, "status": None},
        {"_meta": {}},
    ],
)
def test_what_interfaces_write_beside_a_call_decides_nothing(beside: dict[str, Any]):
    call = {"name": "t", "arguments": ARGUMENTS}

    must_be_the_call({**beside, **call}, {**beside, "function": call})


def test_a_call_without_arguments_has_none():
    assert [call_in(one).arguments for one in ({"name": "t"}, {"name": "t", "arguments": ""})] == [{}, {}]


@pytest.mark.req("PA-07", "PA-08")
@pytest.mark.parametrize(
    "value",
    [
        3,
        "t",
        {},
        {"role": "assistant"},
        {"content": "hi"},
        {"name": 3},
        {"name": "t", "arguments": 3},
        {"name": "t", "arguments": "[1]"},
        {"name": "t", "arguments": {}, "input": {}},
        {"name": "t", "arguments": {}, "approved": True},
        {"function": {"name": "t", "arguments": {}, "approved": True}},
        {"function": {"name": "t", "arguments": {}}, "approved": True},
        {"name": "t", "arguments": {}, "_meta": 3},
        {"name": "t", "arguments": {}, "_meta": {"progressToken": 1, "approved": True}},
    ],
)
def test_what_is_no_call_says_why(value: Any):
    assert fault_in(value)


@pytest.mark.req("PA-04", "S1-05")
@pytest.mark.parametrize(
    ("role", "whose"), [("user", "“user”"), ("tool", "“tool”"), ("k" * 81, f"“{'k' * 80}”"), (None, "no text")]
)
@pytest.mark.parametrize("rest", CONTENTS)
def test_what_somebody_else_said_holds_no_calls_and_no_text(role: str | None, whose: str, rest: dict[str, Any]):
    value = {"role": role, **rest}
    listed = [{**value, "type": "message"}]

    for one in (value, listed):
        assert fault_in(one).endswith(f"its “role” must be “assistant”, not {whose}")
    assert call_in(value).at == (0, len(json.dumps(value)))
    assert call_in(listed).at == (1, len(json.dumps(listed)) - 1)


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_call_that_says_whose_it_is_is_none(role: str):
    assert fault_in({"role": role, "name": "t", "arguments": ARGUMENTS})


@pytest.mark.req("PA-04", "S1-05")
@pytest.mark.parametrize(
    "kind", ["server_tool_use", "mcp_tool_use", "web_search_tool_result", "mcp_tool_result", "some_tool_result"]
)
def test_what_the_interface_did_by_itself_is_not_done_again(kind: str):
    part = {"type": kind, "name": "t", "input": ARGUMENTS}

    assert found([part]) == found({"role": "assistant", "content": [part]}) == []
    assert fault_in(part)


@pytest.mark.req("PA-04")
@pytest.mark.parametrize("kind", ["tool_result", "mcp_call", "k" * 81])
def test_a_part_of_another_type_is_no_call_and_that_is_said(kind: str):
    for value in ({"type": kind, "name": "t", "arguments": ARGUMENTS}, {"type": kind, "function": {"name": "t"}}):
        for one in (value, [value]):
            assert fault_in(one) == f"“{kind[:80]}” is no type of a call to be done here; leave “type” out"


def test_a_long_key_is_cut_where_it_is_said_again():
    assert fault_in({"name": "t", "k" * 81: 1}) == f"a call has “name” and “arguments”, not “{'k' * 80}”"


def test_text_and_calls_of_a_message_come_in_their_order():
    content: list[dict[str, Any]] = [
        {"type": "text", "text": "a"},
        {"type": "tool_use", "name": "t", "input": {}},
        {"type": "thinking"},
    ]

    assert [type(one) for one in found({"role": "assistant", "content": content})] == [MessageText, ParsedCall]
    assert found({"role": "assistant", "content": "hi"}) == [MessageText("hi")]


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ([{"type": "text", "text": "a"}, {"type": "output_text", "text": "b"}, {"type": "text"}], ["a", "b", ""]),
        (
            [{"type": "message", "content": "a"}, {"type": "message", "content": None}, {"type": "message"}],
            ["a", "", ""],
        ),
        ([{"type": "message", "content": ["a", {"type": "output_text", "text": "b"}, {"type": "x"}]}], ["a", "b", ""]),
        ([{"type": kind, "text": "hm"} for kind in ("thinking", "redacted_thinking", "reasoning")], []),
    ],
)
def test_each_text_of_a_message_is_said_and_its_thinking_is_not(value: Any, texts: list[str]):
    assert found(value) == [MessageText(text) for text in texts]
    assert found({"role": "assistant", "content": value}) == [MessageText(text) for text in texts]


def test_calls_alone_are_a_message_too():
    assert [
        one.name for one in found({"tool_calls": [{"name": "t"}, {"name": "u"}]}) if isinstance(one, ParsedCall)
    ] == ["t", "u"]


def test_one_call_is_quoted_whole():
    text = ' {"name": "t"}\n'

    assert [one.at for one in calls(json.loads(text), text) if isinstance(one, ParsedCall)] == [(0, len(text))]


def test_each_call_knows_where_it_stands():
    text = '[ {"name": "t"} , {"name": "u"} ]'

    spans = [one.at for one in calls(json.loads(text), text) if isinstance(one, ParsedCall)]

    assert [text[start:end] for start, end in spans] == ['{"name": "t"}', '{"name": "u"}']


@pytest.mark.req("S1-01")
def test_the_two_tools_have_ten_and_eleven_actions():
    assert [(tool.name, len(tool.actions.names)) for tool in TWO] == [("macos_auto", 10), ("browser", 11)]


def test_a_tool_is_known_by_its_name():
    assert tool_of("browser") is TWO[1]
    assert tool_of("file_move") is None


def test_an_operation_that_an_action_of_the_two_can_say_whole_has_no_tool_of_its_own():
    assert own_tool("app_open", OPERATIONS) is None
    assert own_tool("reminder_create", OPERATIONS) is not None
    assert own_tool("file_move", {}) is None
    moved = own_tool("file_move", OPERATIONS)
    assert moved is not None
    assert moved.operation == "file.move"


def test_names_do_not_collide():
    names = all_names(OPERATIONS)

    assert len(names) == len(set(names)) == 2 + len(own_tools(list(OPERATIONS.values())))


@pytest.mark.req("X-11")
@pytest.mark.parametrize(
    ("operation", "name"),
    [
        ("file.delete", "file_delete"),
        ("mail.send", "the action mail_send of macos_auto"),
        ("page.text", "the action get_text of browser"),
    ],
)
def test_an_operation_is_called_by_the_tool_that_serves_it(operation: str, name: str):
    assert tool_name(operation) == name


def test_calls_are_told_at_the_end_and_counted_without_the_texts_between():
    text = '[{"type": "text", "text": "x"}, {"name": "fly"}, {"name": "browser", "input": {"action": "tabs"}}]'
    reader = ToolsReader(OPERATIONS)

    assert reader.feed(text) == []
    said, *told = reader.close()

    assert said == TextEvent("x")
    assert [(one.proposal.index, one.proposal.operation) for one in told if isinstance(one, ProposalEvent)] == [
        (0, None),
        (1, "tab.list"),
    ]


def test_an_unknown_tool_is_answered_with_near_names():
    assert "did you mean file_move" in (proposal_in('{"name": "file_moves", "arguments": {}}').problem or "")


@pytest.mark.req("X-11", "S1-20", "S1-36")
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("note_create", "there is no tool “note_create”; did you mean the action note_create of macos_auto?"),
        (
            "habit_undelete",
            "there is no tool “habit_undelete”; of that kind there are: habit_add, habit_edit, habit_delete, habit_log",
        ),
        ("z" * 81, f"there is no tool “{'z' * 80}”"),
    ],
)
def test_an_unknown_tool_is_answered_with_what_may_be_meant_or_what_there_is(name: str, says: str):
    assert proposal_in(json.dumps({"name": name})).problem == says


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("{'name': 'browser', 'input': {'action': 'tabs'}}", '{"name": "browser", "input": {"action": "tabs"}}'),
        ('[{"name": "browser",}, {"name": "t"}]', '[{"name": "browser"}, {"name": "t"}]'),
        ('[{"name": "browser",}, {"type": "text", "text": "a"}]', ""),
        ('[{"type": "text", "text": "a",}, {"name": "browser"}]', ""),
        ('[{"name": "browser",}, {"tool": 3}]', ""),
        ("{'a': 1}", ""),
        ("[,]", ""),
        ("[ }", ""),
    ],
)
def test_what_would_hold_calls_and_nothing_else_is_shown_as_it_should_be_written(text: str, written: str):
    proposal = proposal_in(text)

    assert (proposal.operation, proposal.line) == (None, 1)
    assert (proposal.problem or "").partition("; written correctly it would be ")[2] == written


@pytest.mark.parametrize(
    ("enabled", "action", "says"),
    [("app.list", "z" * 81, f"none here, not “{'z' * 80}”"), ("page.text", "tabs", "get_text, not “tabs”")],
)
def test_only_actions_that_are_enabled_are_named_and_a_long_one_is_cut(enabled: str, action: str, says: str):
    text = json.dumps({"name": "browser", "arguments": {"action": action}})

    assert proposal_in(text, {enabled: OPERATIONS[enabled]}).problem == f"browser needs “action”, one of: {says}"


ALL = list(OPERATIONS.values())


@pytest.mark.req("S1-53", "S1-54", "S1-55", "S1-56", "S1-57")
def test_the_prompt_prefers_the_two_tools_and_says_how_to_use_them():
    prompt = TOOLS.describe(ALL)

    two, own = prompt.index("- macos_auto:"), prompt.index("- file_move(")
    assert prompt.index("Prefer these") < two < prompt.index("- browser:") < own
    assert "ask the person by themselves: go ahead with the call" in prompt
    assert "- Use browser to look things up, fill in forms and take data from pages." in prompt
    assert "- Use macos_auto for reminders, calendar, mail and notes." in prompt
    assert "look at the calendar, then draft the mail, then send it" in prompt


@pytest.mark.req("S1-58", "T-106")
def test_the_prompt_says_what_to_do_about_failures_and_consequences():
    prompt = TOOLS.describe(ALL)

    assert "say so plainly, with the reason that the result gives, and suggest what else" in prompt
    assert "say what it will do" in prompt


@pytest.mark.req("T-12", "T-32")
def test_only_what_is_enabled_is_named():
    few = TOOLS.describe([OPERATIONS["app.open"]])

    assert "open_app: app_name" in few
    assert "browser" not in few
    assert "Then these" not in few
    assert "mail_send" not in few


@pytest.mark.req("S1-53")
def test_the_words_that_an_argument_may_be_are_named():
    lines = TOOLS.describe(ALL).splitlines()

    assert lines[lines.index("- focus_set_dnd(state): Turn do-not-disturb on or off.") + 1] == '  - state: "OFF" | "ON"'
    assert '  - where: "after" | "before" | "below" | "top"' in lines


@pytest.mark.req("T-12", "T-32", "S1-55", "S1-56", "S1-57")
@pytest.mark.parametrize(
    ("known", "purpose", "rules"),
    [
        (["mail.send"], "macos_auto: Use the person's applications: mail.", ["Use macos_auto for mail."]),
        (
            ["calendar.today", "note.create", "mail.compose"],
            "macos_auto: Use the person's applications: calendar, notes.",
            ["Use macos_auto for calendar and notes."],
        ),
        (["app.open"], "macos_auto: Use the person's applications: open them.", []),
        (
            ["calendar.today", "mail.send", "mail.compose"],
            "macos_auto: Use the person's applications: calendar, mail.",
            [
                "Use macos_auto for calendar and mail.",
                "Chain calls naturally: look at the calendar, then draft the mail, then send it.",
            ],
        ),
        (["page.run_js"], "browser: Use the person's web browser.", []),
        (
            ["page.text", "page.click"],
            "browser: Use the person's web browser: read pages, follow links.",
            [
                "Use browser to take data from pages.",
                "Before a click or a form that has consequences, say what it will do.",
            ],
        ),
    ],
)
def test_a_tool_is_used_for_what_is_enabled_and_nothing_else(known: list[str], purpose: str, rules: list[str]):
    said = [OPERATIONS[id_] for id_ in known]
    prompt = TOOLS.describe(said).splitlines()
    everywhere = set(TOOLS.describe([OPERATIONS["file.mkdir"]]).splitlines())

    assert f"- {purpose}" in prompt
    assert str(schemas(said)[0]["description"]).startswith(purpose.partition(": ")[2] + "\n")
    told = [line.removeprefix("- ") for line in prompt[prompt.index("Rules for actions:") :] if line not in everywhere]
    assert [line for line in told if line.startswith(("Use ", "Chain ", "Before "))] == rules


class TestTools(DialectSuite):
    dialect = TOOLS
    operations = OPERATIONS
    texts = (
        '{"name": "macos_auto", "arguments": {"action": "open_app", "app_name": "😀"}}',
        '[{"name": "browser", "arguments": {"action": "tabs"}}, {"name": "fly"}]',
        '```json\n{"role": "assistant", "content": "hello", "tool_calls": []}\n```',
        '{"name": ',
        "prose",
    )
    wishes = (
        ("file.move", {"source": "/a b", "destination": "~/c"}),
        ("app.open", {"name": "Notes"}),
        ("tab.switch", {"index": 2, "browser": "safari"}),
        ("notify.show", {"title": "t", "message": 'say "hi"'}),
        ("mail.inbox", {"limit": 3, "include_read": False}),
        ("habit.edit", {"target": "run", "interval_hours": 1.5}),
    )
    slow = (
        lambda size: "[" + '{"name": "fly"}, ' * (size // 17),
        lambda size: "[" + ", ".join(['{"name": "fly"}'] * (size // 17)) + "]",
        lambda size: "[" * size,
        lambda size: '{"name": "macos_auto", "arguments": "' + "{" * size + '"}',
    )


@pytest.mark.parametrize("case", cases("tools"))
def test_a_call_says_what_its_case_says(case: Case):
    must_read_as(case, TOOLS)
    must_read_alike_however_cut(case, TOOLS)


@pytest.mark.req("S1-01", "S1-34", "X-01", "T-39")
@pytest.mark.parametrize("id_", OPERATIONS)
def test_every_operation_is_an_action_of_a_tool_or_a_tool_of_its_own(id_: str):
    by_action = [keyed.name for keyed in (*vocabulary.MACOS_AUTO, *vocabulary.BROWSER) if keyed.operation == id_]
    call = json.dumps({"name": id_.replace(".", "_"), "arguments": {}})

    (own,) = read(TOOLS, OPERATIONS, call).proposals

    assert by_action or own.operation == id_


@pytest.mark.parametrize("id_", OPERATIONS)
def test_each_argument_of_each_operation_has_a_tool_that_takes_any_value_of_it(id_: str):
    schema = {str(one["name"]): cast("dict[str, Any]", one["input_schema"]) for one in schemas([OPERATIONS[id_]])}
    own = own_tool(id_.replace(".", "_"), OPERATIONS)
    actions = [keyed for keyed in (*vocabulary.MACOS_AUTO, *vocabulary.BROWSER) if keyed.operation == id_]
    wanted = {parameter.name for parameter in OPERATIONS[id_].parameters}

    whole = [one for one in actions if not (one.fixed or one.within) and wanted <= set(one.keys.values())]
    assert bool(whole) is (own is None)
    assert own is None or set(schema[own.name].get("properties", {})) == wanted


@pytest.mark.parametrize(
    ("operation", "arguments", "written"),
    [
        ("url.open", {"url": "x.org", "browser": "chrome"}, "url_open"),
        ("url.open", {"url": "x.org", "browser": "safari", "new_tab": True}, "browser"),
        ("url.open", {"url": "x.org"}, "url_open"),
        ("notify.show", {"title": "t", "message": "m", "sound": "ping"}, "notify_show"),
        ("mail.inbox", {"limit": 3}, "mail_inbox"),
        ("reminder.create", {"title": "bins", "repeat": "weekly", "due": "2030-01-07 08:00"}, "reminder_create"),
        ("reminder.create", {"title": "tea", "in_minutes": 5}, "reminder_create"),
        ("reminder.create", {"title": "tea"}, "macos_auto"),
    ],
)
def test_what_an_action_cannot_say_is_written_with_the_operations_own_tool(
    operation: str, arguments: dict[str, Json], written: str
):
    said = TOOLS.write(OPERATIONS[operation], arguments)

    (one,) = read(TOOLS, OPERATIONS, said).proposals
    assert (one.operation, one.problem) == (operation, None)
    assert arguments.items() <= one.arguments.items()
    assert json.loads(said)["name"] == written
    meant = TOOLS.words(OPERATIONS[operation], arguments)
    assert meant is not None
    assert meant.name == json.loads(said)["arguments"].get("action", written)


def test_calls_and_words_to_a_person_are_one_list_a_line_each():
    words = TOOLS.remark("“a”\n\nb\n")

    assert TOOLS.together([words, '{"name": "t"}', '{"name": "u"}']) == (
        '[\n  {"type": "text", "text": "“a”"},\n  {"type": "text", "text": ""},\n  {"type": "text", "text": "b"},\n'
        '  {"name": "t"},\n  {"name": "u"}\n]\n'
    )


NOTE = FeedbackNote("failed", 0, "", "It is not there. Look first.")


@pytest.mark.req("S1-32", "S1-33")
@pytest.mark.parametrize(
    ("state", "given", "note", "says"),
    [
        ("done", {"success": True, "output": "Moved file"}, None, "Moved file"),
        ("done", {"success": True, "output": ""}, None, ""),
        ("failed", {"success": False, "error": "It is not there"}, NOTE, NOTE.sentence),
        ("refused", {"success": False, "error": "No"}, None, "No"),
    ],
)
def test_it_is_what_was_done_or_what_to_do_next(
    state: str, given: dict[str, Any], note: FeedbackNote | None, says: str
):
    assert answer({"state": state, "id": "do_1"}, given, note) == says


def test_what_waits_is_not_to_be_called_again():
    said = answer({"state": "waiting", "id": "do_1"}, {"success": False, "error": "waiting for your decision"}, None)

    assert said == (
        "The person has not decided yet (do_1), and nothing has been done. Do not call it again; you will be told."
    )


@pytest.mark.req("S1-59", "S1-60")
@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("macos_auto", {"action": "calendar_today"}, "macOS: calendar today"),
        ("macos_auto", {"action": "mail_send", "to": "ana@example.org"}, "macOS: mail send"),
        ("browser", {"action": "get_text"}, "Safari: get text"),
        ("browser", {"action": "run_js", "js_code": "1"}, "Safari: run js"),
        ("macos_auto", {"action": "no_such_thing"}, "macOS: no such thing"),
        ("browser", {}, "Safari"),
        ("browser", {"action": ["tabs"]}, "Safari"),
        ("file_move", {"source": "a"}, "Move or rename a file or folder"),
        ("their_own_tool", {}, "their own tool"),
    ],
)
def test_a_call_is_put_into_words(tool: str, arguments: dict[str, Any], says: str):
    assert progress(tool, arguments, OPERATIONS, "darwin") == says


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("macos_auto", {"action": "calendar_today"}, OPERATIONS["calendar.today"].summary),
        ("macos_auto", {"action": "mail_send", "to": "ana@example.org"}, OPERATIONS["mail.send"].summary),
        ("browser", {"action": "get_text"}, OPERATIONS["page.text"].summary),
        ("macos_auto", {"action": "no_such_thing"}, "no such thing"),
        ("browser", {}, "Use the person's web browser"),
        ("browser", {"action": ["tabs"]}, "Use the person's web browser"),
        ("file_move", {"source": "a"}, "Move or rename a file or folder"),
        ("file_delete", {"path": "a"}, "Delete a file or folder"),
    ],
)
def test_elsewhere_than_on_a_mac_a_call_is_called_by_its_operation(tool: str, arguments: dict[str, Any], says: str):
    assert progress(tool, arguments, OPERATIONS, "linux") == says


@pytest.mark.req("S1-59")
def test_what_the_model_wrote_stays_one_short_line():
    said = progress("macos_auto", {"action": "open\n\x1b[31mapp\u202e" + "_x" * 500}, OPERATIONS, "darwin")

    assert said.startswith("macOS: open [31mapp x x")
    assert said.isprintable()
    assert len(said) <= len("macOS: ") + 80
