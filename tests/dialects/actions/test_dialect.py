"""Envelopes of actions hold what every dialect must hold, and their cases."""

import json

import pytest

from sayso.core.dialect import Instances
from sayso.core.errors import ProposalError
from sayso.dialects.actions import ACTIONS
from sayso.dialects.actions.describing import SAMPLE, fenced
from sayso.dialects.actions.dialect import write_instance
from sayso.dialects.reading import read
from sayso.testing.dialects import DialectSuite
from tests.dialects.replies import OPERATIONS, Case, cases, must_read_alike_however_cut, must_read_as

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
        lambda size: '{"actions": [ ' * (size // 14),
    )


@pytest.mark.parametrize("case", cases("actions"))
def test_a_reply_says_what_its_case_says(case: Case):
    must_read_as(case, ACTIONS)
    must_read_alike_however_cut(case, ACTIONS)


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


def test_an_instance_without_a_label_is_read_as_its_template_and_parameters():
    assert isinstance(ACTIONS, Instances)
    text = ACTIONS.together([ACTIONS.remark("a word"), *(ACTIONS.write_instance(id_, {"a": 1}) for id_ in "tu")])

    reading = read(ACTIONS, OPERATIONS, text)

    assert [(one.template_id, one.arguments, one.label, one.problem) for one in reading.proposals] == [
        ("t", {"a": 1}, None, None),
        ("u", {"a": 1}, None, None),
    ]
    assert reading.text.strip() == "a word"
