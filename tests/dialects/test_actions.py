"""An envelope of actions is known for one, and anything else is left for the person to see."""

import json
from typing import Any

import pytest

from sayso.core.dialect import ProposalEvent, WarningEvent, WritesInstances
from sayso.core.errors import ProposalError
from sayso.dialects.actions import ACTIONS, SAMPLE, fence_json, read_document, read_fence, write_instance
from sayso.dialects.base import read
from sayso.dialects.fences import FencedBlock
from sayso.testing.dialects import DialectSuite
from tests.dialects.replies import OPERATIONS, Case, cases, must_read_alike_however_cut, must_read_as

ONE = {"templateId": "t", "label": "L"}


@pytest.mark.req("T-72")
@pytest.mark.parametrize(
    "value",
    [
        {"actions": [ONE]},
        {"type": "actions", "actions": [ONE]},
        {"content": "c", "actions": [ONE]},
        {"type": "actions", "content": "c", "actions": [3, ONE]},
        {"actions": []},
        {"type": "actions", "content": "c", "actions": []},
    ],
)
def test_each_envelope_is_taken(value: dict[str, Any]):
    found = read_document(json.dumps(value), OPERATIONS)

    assert found is not None
    assert (found[0], len(found[1])) == (value.get("content", ""), len(value["actions"]))


@pytest.mark.parametrize(
    "value",
    [
        {"actions": 3},
        {"actions": ["x"]},
        {"actions": [3, None, "templateId"]},
        {"actions": [{"type": "add_task"}]},
        {"type": "other", "actions": [ONE]},
        {"actions": [], "approved": True},
        {"commands": []},
        [ONE],
        "x",
    ],
)
def test_anything_else_is_not(value: object):
    assert read_document(json.dumps(value), OPERATIONS) is None
    assert read_fence(FencedBlock("json", json.dumps(value), "", closed=True, line=1), 0, OPERATIONS) is None


@pytest.mark.req("PA-08", "T-72")
def test_what_an_envelope_may_not_say_is_refused_with_each_of_its_actions():
    found = read_document(json.dumps({"actions": [ONE, ONE], "approved": True}), OPERATIONS)

    assert found is not None
    proposals = [event.proposal for event in found[1] if isinstance(event, ProposalEvent)]
    assert [(one.code, one.operation) for one in proposals] == [("arguments.unknown", None)] * 2
    assert proposals[0].problem == "beside “actions” only “content” and “type” may stand, not “approved”"


def test_a_long_name_beside_the_actions_is_cut_where_it_is_named():
    found = read_document(json.dumps({"actions": [ONE], "k" * 81: 1}), OPERATIONS)

    assert found is not None
    assert isinstance(found[1][0], ProposalEvent)
    assert (found[1][0].proposal.problem or "").endswith(f"not “{'k' * 80}”")


def test_broken_json_is_taken_for_an_envelope_only_where_it_looks_like_one():
    assert read_document('{"actions": [{"templateId": "t",}]}', OPERATIONS) is not None
    assert read_document('{"a": 1,}', OPERATIONS) is None
    assert read_document('{"actions": [{"template": "t",}]}', OPERATIONS) is None
    assert read_document('{"templateId": "t", "actions": [1,]}', OPERATIONS) is None
    assert read_document('{"templateId": "t", "a": [1,]}', OPERATIONS) is None


def test_an_object_on_its_own_begins_on_the_first_line_and_shows_nothing_when_it_is_broken():
    for text in ('{"actions": [{"templateId": "t"}]}', '{"actions": [{"templateId": "t",}]}'):
        found = read_document(text, OPERATIONS)

        assert found is not None
        assert isinstance(found[1][0], ProposalEvent)
        assert (found[0], found[1][0].proposal.index, found[1][0].proposal.line) == ("", 0, 1)


def test_an_action_names_its_template_as_what_was_said():
    events = read_fence(FencedBlock("json", json.dumps({"actions": [ONE]}), "", closed=True, line=1), 0, OPERATIONS)

    assert [event.proposal.given for event in events or [] if isinstance(event, ProposalEvent)] == [("t",)]


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"style": "s" * 81}, f"not “{'s' * 80}”"),
        ({"k" * 81: 1}, f"an action has no “{'k' * 80}”"),
        ({"style": ["primary"]}, "“style” must be one of primary, secondary, danger, not “['primary']”"),
    ],
)
def test_what_is_not_known_is_named_and_cut_where_it_is_long(members: dict[str, Any], said: str):
    found = read_document(json.dumps({"actions": [{"templateId": "t", **members}]}), OPERATIONS)

    assert found is not None
    proposed = found[1][0]
    assert isinstance(proposed, ProposalEvent)
    told = [event.sentence for event in found[1] if isinstance(event, WarningEvent)] or [
        proposed.proposal.problem or ""
    ]
    assert said in told[0]
    assert proposed.proposal.style is None


def test_each_action_is_quoted_with_its_line():
    content = json.dumps({"actions": [ONE, ONE]}, indent=1)

    events = read_fence(FencedBlock("json", content, "", closed=True, line=10), 0, OPERATIONS)

    found = [event.proposal for event in events or [] if isinstance(event, ProposalEvent)]
    assert [json.loads(one.said) for one in found] == [ONE, ONE]
    assert [one.line for one in found] == [12, 16]


PROMPT = ACTIONS.describe(list(OPERATIONS.values()))


@pytest.mark.req("S3-84", "S3-86", "S3-87", "S3-88", "S3-89")
def test_the_prompt_gives_the_form_and_the_first_guidelines():
    assert fence_json(SAMPLE) in PROMPT
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
    (proposal,) = read(ACTIONS, OPERATIONS, fence_json(SAMPLE)).proposals

    assert (proposal.problem, proposal.template_id) == (None, "send_payment_reminder_acme")


DIALECT_ONE = {"templateId": "t", "label": "L", "params": {"a": 1}, "style": "danger"}


class TestActions(DialectSuite):
    dialect = ACTIONS
    operations = OPERATIONS
    texts = (
        f"A\n\n```json\n{json.dumps({'actions': [DIALECT_ONE]})}\n```\n\nB",
        json.dumps({"content": "hello 😀", "actions": [DIALECT_ONE, {"templateId": 3}]}),
        json.dumps({"type": "actions", "actions": [DIALECT_ONE]}),
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
    (proposal,) = read(ACTIONS, {}, fence_json(SAMPLE)).proposals

    assert (proposal.operation, proposal.code) == (None, "command.unknown")


def test_an_instance_without_a_label_is_read_as_its_template_and_parameters():
    assert isinstance(ACTIONS, WritesInstances)
    text = ACTIONS.together([ACTIONS.remark("a word"), *(ACTIONS.write_instance(id_, {"a": 1}) for id_ in "tu")])

    reading = read(ACTIONS, OPERATIONS, text)

    assert [(one.template_id, one.arguments, one.label, one.problem) for one in reading.proposals] == [
        ("t", {"a": 1}, None, None),
        ("u", {"a": 1}, None, None),
    ]
    assert reading.text.strip() == "a word"
