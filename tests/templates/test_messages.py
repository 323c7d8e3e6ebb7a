"""The messages about own actions have exactly the members that the specification names, in its order."""

import json
from pathlib import Path

import pytest
from msgspec import UNSET

from sayso.core.errors import ProposalError
from sayso.core.instances import Instance
from sayso.templates.definition import read_template
from sayso.templates.messages import (
    ActionInstances,
    ActionResult,
    ActionTemplates,
    ErrorMessage,
    ExecuteAction,
    Known,
    decode,
    encode,
    read_request,
    wire_instance,
    wire_result,
    wire_template,
)
from tests.house import ROOT

OFFER = Instance("act_abc123", "session_xyz", "brief", "Go", {"b": 1, "a": "x"}, "2025-01-06T10:30:00.000Z")
SHOWN = (
    '{"instanceId":"act_abc123","templateId":"brief","label":"Go","params":{"b":1,"a":"x"},"style":"primary",'
    '"sessionId":"session_xyz","createdAt":"2025-01-06T10:30:00.000Z"}'
)
BUGS = ROOT / "examples" / "actions" / "forward-bugs-to-engineering.py"


def of_file(file: Path) -> ActionTemplates:
    return ActionTemplates([wire_template(read_template(file.name, file.read_text("utf-8"), {}))])


@pytest.mark.parametrize(
    ("message", "text"),
    [
        pytest.param(
            ActionInstances([wire_instance(OFFER)], "session_xyz"),
            f'{{"type":"action_instances","actions":[{SHOWN}],"sessionId":"session_xyz"}}',
            marks=pytest.mark.req("S3-50", "S3-74"),
        ),
        pytest.param(
            ExecuteAction("act_abc123", "session_xyz"),
            '{"type":"execute_action","instanceId":"act_abc123","sessionId":"session_xyz"}',
            marks=pytest.mark.req("S3-51", "S3-82"),
        ),
        pytest.param(
            ActionResult("act_abc123", wire_result({"success": True, "message": "ok", "data": {"n": 1}}), "s"),
            '{"type":"action_result","instanceId":"act_abc123",'
            '"result":{"success":true,"message":"ok","data":{"n":1}},"sessionId":"s"}',
            marks=pytest.mark.req("S3-75"),
        ),
        pytest.param(
            ErrorMessage("no", "act_1", "s"),
            '{"type":"error","message":"no","instanceId":"act_1","sessionId":"s"}',
            marks=pytest.mark.req("T-91"),
        ),
        (ErrorMessage("no"), '{"type":"error","message":"no"}'),
    ],
)
def test_each_message_is_written_with_its_members_in_order_and_read_back_equal(message: Known, text: str):
    assert encode(message) == text
    assert decode(text) == message


@pytest.mark.req("S3-73")
def test_a_page_is_told_the_config_of_each_action():
    message = of_file(BUGS)

    told = json.loads(encode(message))
    (config,) = told["templates"]
    assert list(told) == ["type", "templates"]
    assert told["type"] == "action_templates"
    assert list(config)[:4] == ["id", "name", "description", "parameterSchema"]
    assert config["parameterSchema"]["required"] == ["emailId", "priority", "affectedFeature"]
    assert config["parameterSchema"]["properties"]["priority"]["enum"][0] == "P0 - Critical"
    assert decode(encode(message)) == message


@pytest.mark.req("S3-76", "T-91")
@pytest.mark.parametrize(
    ("text", "instance", "session"),
    [
        ('{"type": "execute_action", "sessionId": "s"}', UNSET, "s"),
        ('{"type": "execute_action", "instanceId": "act_1"}', "act_1", UNSET),
        ('{"type": "execute_action", "instanceId": "", "sessionId": "s"}', "", "s"),
        ('{"type": "execute_action", "instanceId": "act_1", "sessionId": "s", "approved": true}', "act_1", "s"),
        ('{"type": "execute_actions", "instanceId": "act_1", "sessionId": "s"}', "act_1", "s"),
        ('{"type": "action_result", "instanceId": 7}', UNSET, UNSET),
        ("[1]", UNSET, UNSET),
        ("no", UNSET, UNSET),
        ("[" * 50_000, UNSET, UNSET),
        ("x" * 200_000, UNSET, UNSET),
    ],
)
def test_what_is_malformed_is_answered_with_an_error_that_names_what_it_could_read(
    text: str, instance: object, session: object
):
    answer = read_request(text)

    assert isinstance(answer, ErrorMessage)
    assert (answer.instance_id, answer.session_id) == (instance, session)
    assert len(answer.message) < 400


def test_a_well_formed_request_is_read():
    assert read_request('{"sessionId":"s","instanceId":"act_1","type":"execute_action"}') == ExecuteAction("act_1", "s")


def test_what_is_no_message_at_all_raises():
    with pytest.raises(ProposalError, match="no message about actions"):
        decode("{}")
    with pytest.raises(ProposalError, match="no result of an action"):
        wire_result({"message": "x"})
