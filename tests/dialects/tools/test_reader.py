"""Each call of a document is one proposal, told at its end."""

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


def test_an_action_that_is_not_enabled_is_not_named():
    reader = ToolsReader({"page.text": OPERATIONS["page.text"]})
    reader.feed('{"name": "browser", "arguments": {"action": "tabs"}}')

    (told,) = reader.close()

    assert isinstance(told, Proposed)
    assert told.proposal.problem == "browser needs “action”, one of: get_text, not “tabs”"
