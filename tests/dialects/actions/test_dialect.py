"""Envelopes of actions hold what every dialect must hold, and their cases."""

import json

import pytest

from sayso.core.errors import ProposalError
from sayso.dialects.actions import ACTIONS
from sayso.dialects.actions.describing import SAMPLE, fenced
from sayso.dialects.actions.dialect import write_instance
from sayso.dialects.reading import read
from sayso.testing.dialects import DialectSuite
from tests.dialects.replies import OPERATIONS, Case, cases, must_read_alike_however_cut, must_read_as

PROMPT = ACTIONS.describe(list(OPERATIONS.values()))
ONE = {"templateId": "t", "label": "L", "params": {"a": 1}, "style": "danger"}


class TestActions(DialectSuite):
    dialect = ACTIONS
    operations = OPERATIONS
    texts = (
        f"A\n\n```json\n{json.dumps({'actions': [ONE]})}\n```\n\nB",
        json.dumps({"content": "hello 😀", "actions": [ONE, {"templateId": 3}]}),
        json.dumps({"type": "actions", "actions": [ONE]}),
        '```json\n{"a": 1}\n```\nB',
        "{ not json",
    )
    wishes = ()
    slow = (
        lambda size: "```json\n" + "{" * size,
        lambda size: '```json\n{"actions": [{"templateId": "t"}]}\n```\n' * (size // 50),
        lambda size: "{" * size,
    )


@pytest.mark.parametrize("case", cases("actions"))
def test_a_reply_says_what_its_case_says(case: Case):
    must_read_as(case, ACTIONS)
    must_read_alike_however_cut(case, ACTIONS)


@pytest.mark.req("S3-84", "S3-86", "S3-87", "S3-88", "S3-89")
def test_the_prompt_gives_the_form_and_the_first_guidelines():
    assert fenced(SAMPLE) in PROMPT
    for words in (
        "highly specific",
        "not “Send email”",
        "rich context",
        "primary for the main recommendation",
        "danger",
    ):
        assert words in PROMPT
    assert "Match the template to the operation" in PROMPT


@pytest.mark.req("S3-90", "S3-91")
def test_the_prompt_gives_the_last_guidelines():
    assert "Give all required parameters" in PROMPT
    assert "made for this person" in PROMPT


def test_the_example_of_the_prompt_reads_as_an_action():
    (proposal,) = read(ACTIONS, OPERATIONS, fenced(SAMPLE)).proposals

    assert (proposal.problem, proposal.template_id) == (None, "send_payment_reminder_acme")


def test_an_instance_is_written_as_it_is_read():
    (proposal,) = read(ACTIONS, OPERATIONS, write_instance("t", {"a": 1}, "L", "danger")).proposals

    assert (proposal.template_id, proposal.arguments, proposal.label, proposal.style) == ("t", {"a": 1}, "L", "danger")


def test_no_other_operation_is_an_action():
    with pytest.raises(ProposalError):
        ACTIONS.write(OPERATIONS["file.move"], {"source": "/a", "destination": "/b"})
    assert ACTIONS.describe([OPERATIONS["file.move"]]) == ""


@pytest.mark.req("T-12")
def test_where_own_actions_are_not_enabled_none_is_offered():
    (proposal,) = read(ACTIONS, {}, fenced(SAMPLE)).proposals

    assert (proposal.operation, proposal.code) == (None, "command.unknown")
