"""The commands contract is read as a whole, and each command is quoted where it stands."""

import pytest

from sayso.core.events import Clarification, Proposed
from sayso.dialects.commands.reader import CommandsReader
from tests.dialects.replies import OPERATIONS


def events(text: str):
    reader = CommandsReader(OPERATIONS)
    assert reader.feed(text) == []
    return reader.close()


def test_nothing_is_told_before_the_end():
    reader = CommandsReader(OPERATIONS)

    told = [reader.feed(letter) for letter in '{"commands": [{"type": "list_apps"}]}']

    assert not any(told)
    assert len(reader.close()) == 1


def test_commands_are_quoted_as_they_came():
    text = '{"commands": [\n  {"type":  "list_apps"},\n  {"type": "list_tabs" }\n]}'

    found = [event.proposal for event in events(text) if isinstance(event, Proposed)]

    assert [(one.index, one.said, one.line) for one in found] == [
        (0, '{"type":  "list_apps"}', 2),
        (1, '{"type": "list_tabs" }', 3),
    ]


@pytest.mark.req("S4-13", "T-95")
def test_a_question_of_the_model_comes_after_what_it_named():
    told = events('{"commands": [{"type": "switch_tab"}], "needs_clarification": true, "clarification_reason": "?"}')

    assert [type(event) for event in told] == [Proposed, Clarification]
    assert told[1] == Clarification("?")


@pytest.mark.req("S4-04", "T-98")
def test_at_most_three_near_types_are_named():
    (told,) = events('{"commands": [{"type": "list_tab"}]}')

    assert isinstance(told, Proposed)
    assert (told.proposal.problem or "").count(" or ") <= 2
    assert "list_tabs" in (told.proposal.problem or "")
