"""Each operation is served by one tool."""

import pytest

from sayso.dialects.tools.naming import TWO, all_names, called, own_tool, own_tools, tool_of
from tests.dialects.replies import OPERATIONS


@pytest.mark.req("S1-01")
def test_the_two_tools_have_ten_and_eleven_actions():
    assert [(tool.name, len(tool.actions.names)) for tool in TWO] == [("macos_auto", 10), ("browser", 11)]


def test_a_tool_is_known_by_its_name():
    assert tool_of("browser") is TWO[1]
    assert tool_of("file_move") is None


def test_an_operation_that_one_of_the_two_serves_has_no_tool_of_its_own():
    assert own_tool("app_open", OPERATIONS) is None
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
    assert called(operation) == name
