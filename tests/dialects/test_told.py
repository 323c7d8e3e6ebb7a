"""What was proposed is written in the words of its dialect."""

import json

import pytest

from sayso.core.errors import ProposalError
from sayso.dialects.actions import ACTIONS
from sayso.dialects.commands import COMMANDS
from sayso.dialects.told import told
from tests.dialects.replies import OPERATIONS


def test_an_action_of_ones_own_is_named_by_its_template():
    run = OPERATIONS["template.run"]

    text = told(ACTIONS, run, {"a": 1}, "t")

    assert json.loads(text.removeprefix("```json\n").removesuffix("\n```")) == {
        "actions": [{"templateId": "t", "params": {"a": 1}}]
    }
    with pytest.raises(ProposalError):
        told(ACTIONS, run, {"a": 1}, None)


@pytest.mark.parametrize("template_id", [None, "t"])
def test_a_dialect_that_names_no_actions_of_ones_own_writes_the_operation(template_id: str | None):
    text = told(COMMANDS, OPERATIONS["file.delete"], {"path": "/a"}, template_id)

    assert json.loads(text)["commands"] == [{"type": "file_delete", "path": "/a"}]
