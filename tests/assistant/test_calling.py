"""Calls are written as the tools dialect reads them, whatever text their arguments are."""

import json

from hypothesis import given
from hypothesis import strategies as st

from sayso.assistant.calling import offered, written
from sayso.core.model import Called
from sayso.dialects.tools import TOOLS
from tests.assistant.prompt.given import OPERATIONS


def test_each_tool_is_offered_with_its_schema():
    tools = {tool.name: tool for tool in offered(OPERATIONS)}

    assert {"macos_auto", "browser", "file_move"} <= tools.keys()
    assert tools["file_move"].parameters["required"] == ["source", "destination"]
    assert tools["file_move"].description


def test_no_calls_are_no_text():
    assert written(()) == ""


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=40)), min_size=1, max_size=4))
def test_every_call_is_read_as_one_proposal_whatever_it_says(made: list[tuple[str, str]]):
    calls = [Called(f"c{n}", name, arguments) for n, (name, arguments) in enumerate(made)]
    reader = TOOLS.reader({})

    events = [*reader.feed(written(calls)), *reader.close()]

    assert len(events) == len(calls)


def test_arguments_stay_the_text_that_the_model_wrote():
    (call,) = json.loads(written([Called("c", "file_read", '{"path": "~/a"')]))

    assert call["function"] == {"name": "file_read", "arguments": '{"path": "~/a"'}
