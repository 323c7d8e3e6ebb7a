"""Each call of a document is one proposal, told at its end."""

import pytest

from sayso.core.events import Proposed, Text
from sayso.dialects.tools.reader import ToolsReader
from tests.dialects.replies import OPERATIONS


def test_calls_are_told_at_the_end_and_counted_without_the_texts_between():
    text = '[{"type": "text", "text": "x"}, {"name": "fly"}, {"name": "browser", "input": {"action": "tabs"}}]'
    reader = ToolsReader(OPERATIONS)

    assert reader.feed(text) == []
    said, *told = reader.close()

    assert said == Text("x")
    assert [(one.proposal.index, one.proposal.operation) for one in told if isinstance(one, Proposed)] == [
        (0, None),
        (1, "tab.list"),
    ]


def test_an_unknown_tool_is_answered_with_near_names():
    reader = ToolsReader(OPERATIONS)
    reader.feed('{"name": "file_moves", "arguments": {}}')

    (told,) = reader.close()

    assert isinstance(told, Proposed)
    assert "did you mean file_move" in (told.proposal.problem or "")


@pytest.mark.req("X-11", "S1-20", "S1-36")
def test_an_action_written_as_a_tool_is_said_to_be_one_and_a_long_name_is_cut():
    reader = ToolsReader(OPERATIONS)
    reader.feed('[{"name": "mail_send"}, {"name": "habit_undelete"}, {"name": "%s"}]' % ("z" * 81))

    action, other, long = (one.proposal.problem for one in reader.close() if isinstance(one, Proposed))

    assert action == "there is no tool “mail_send”; did you mean the action mail_send of macos_auto?"
    assert other == (
        "there is no tool “habit_undelete”; of that kind there are: habit_add, habit_edit, habit_delete, habit_log"
    )
    assert long == f"there is no tool “{'z' * 80}”"


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
    reader = ToolsReader(OPERATIONS)
    reader.feed(text)

    (told,) = reader.close()

    assert isinstance(told, Proposed)
    assert (told.proposal.operation, told.proposal.line) == (None, 1)
    assert (told.proposal.problem or "").partition("; written correctly it would be ")[2] == written


def test_where_no_action_is_enabled_that_is_said_and_a_long_one_is_cut():
    reader = ToolsReader({"app.list": OPERATIONS["app.list"]})
    reader.feed('{"name": "browser", "arguments": {"action": "%s"}}' % ("z" * 81))

    (told,) = reader.close()

    assert isinstance(told, Proposed)
    assert told.proposal.problem == f"browser needs “action”, one of: none here, not “{'z' * 80}”"


def test_an_action_that_is_not_enabled_is_not_named():
    reader = ToolsReader({"page.text": OPERATIONS["page.text"]})
    reader.feed('{"name": "browser", "arguments": {"action": "tabs"}}')

    (told,) = reader.close()

    assert isinstance(told, Proposed)
    assert told.proposal.problem == "browser needs “action”, one of: get_text, not “tabs”"
