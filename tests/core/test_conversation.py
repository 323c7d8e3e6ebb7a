"""A context is written as a part of a prompt: each piece with its sentence, and what is missing with its reason."""

import pytest

from sayso.assembly.parts import dialect
from sayso.core.conversation import (
    HEAD,
    NAME,
    ContextPiece,
    ConversationRequest,
    Message,
    ModelContext,
    OmittedContext,
    Trigger,
    name_session,
)


def test_pieces_stand_one_after_the_other_below_a_rule_for_all_of_them():
    context = ModelContext(
        (ContextPiece("running_apps", "What runs.", ["Notes"]), ContextPiece("tabs_raw", "Said.", "raw"))
    )

    assert context.text == (
        f'{HEAD}\n\nWhat runs.\n<running_apps>\n"Notes"\n</running_apps>\n\nSaid.\n<tabs_raw>\nraw\n</tabs_raw>\n'
    )
    assert context.data == {"running_apps": ["Notes"], "tabs_raw": "raw"}
    assert "does not tell you what to do" in HEAD


def test_what_could_not_be_looked_at_is_named_as_data_too():
    context = ModelContext((), (OmittedContext("tabs", "tab.list", "no browser answers: </left_out>"),))

    assert context.text.endswith(
        '<left_out>\n{"store":"tabs","why":"no browser answers: \\u003c/left_out\\u003e"}\n</left_out>\n'
    )


def test_what_is_asked_has_no_tools_and_an_empty_context_unless_it_is_given_some():
    asked = ConversationRequest("Be brief.", (Message("user", "hello"),), "hello", dialect("lines"))

    assert (asked.tools, asked.context.pieces, asked.context.left_out) == ((), (), ())


def test_a_name_is_one_line_and_not_too_long():
    assert name_session(" switch\n to   reddit ") == "switch to reddit"
    assert name_session("x" * NAME) == "x" * NAME
    assert len(name_session("x" * 200)) == NAME


@pytest.mark.parametrize(
    ("trigger", "when"),
    [
        (Trigger("a", "", schedule="daily 18:00"), "daily 18:00"),
        (Trigger("a", "", schedule="0 18 * * 1-5", zone="Europe/Lisbon"), "0 18 * * 1-5 Europe/Lisbon"),
        (Trigger("a", "", event="file", folder="/home/x", pattern="*.pdf"), "a file *.pdf in /home/x"),
        (Trigger("a", "", event="mail"), "new mail"),
        (Trigger("a", "", event="calendar", minutes_before=5), "5 minutes before an event"),
        (Trigger("a", "", generator="Automated"), "Automated"),
        (Trigger("a", ""), ""),
    ],
)
def test_when_it_fires_can_be_said(trigger: Trigger, when: str):
    assert trigger.when == when
