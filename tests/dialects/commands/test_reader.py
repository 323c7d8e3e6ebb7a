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


def test_what_is_named_while_asking_back_keeps_its_place_and_only_the_keys_that_are_known():
    text = '\n{"needs_clarification": true, "commands": [\n{"type": "switch_tab", "tab_index": 3, "tab": 1}]}'

    told, asked = events(text)

    assert isinstance(told, Proposed)
    assert (dict(told.proposal.arguments), told.proposal.line, told.proposal.problem) == ({"index": 3}, 3, None)
    assert told.proposal.given == ("switch_tab",)
    assert asked == Clarification(None)


def test_a_reply_that_cannot_be_read_is_told_of_with_the_reply_as_it_should_be():
    (told,) = events("\n{'commands': [{'type': 'list_apps'},]}")

    assert isinstance(told, Proposed)
    assert (told.proposal.index, told.proposal.line, told.proposal.operation) == (0, 1, None)
    assert (told.proposal.problem or "").endswith(
        '; written correctly it would be {"commands": [{"type": "list_apps"}]}'
    )


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ('{"commands": [{"type": "%s"}]}' % ("z" * 81), "command.unknown", f"there is no command “{'z' * 80}”"),
        ('{"commands": [], "%s": 1}' % ("k" * 81), "document.form", f"it has no key “{'k' * 80}”; it has commands, "),
    ],
)
def test_a_long_name_is_cut_where_it_is_said_again(text: str, code: str, said: str):
    (told,) = events(text)

    assert isinstance(told, Proposed)
    assert told.proposal.code == code
    assert said in (told.proposal.problem or "")


@pytest.mark.req("S4-04", "T-98")
def test_at_most_three_near_types_are_named():
    (told,) = events('{"commands": [{"type": "list_tab"}]}')

    assert isinstance(told, Proposed)
    assert (told.proposal.problem or "").count(" or ") <= 2
    assert "list_tabs" in (told.proposal.problem or "")
