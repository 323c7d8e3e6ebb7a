"""What a dialect's own name leaves unsaid, the dialect says; what stands beside a proposal decides nothing."""

import json
from typing import Any

import pytest

from sayso.core.dialect import Dialect
from sayso.core.proposal import Proposal
from sayso.dialects.actions import ACTIONS
from sayso.dialects.base import read
from sayso.dialects.blocks import BLOCKS
from sayso.dialects.commands import COMMANDS
from sayso.dialects.lines import LINES
from sayso.dialects.tools import TOOLS
from tests.dialects.replies import OPERATIONS


def one(dialect: Dialect, text: str) -> Proposal:
    (proposal,) = read(dialect, OPERATIONS, text).proposals
    assert proposal.problem is None
    return proposal


@pytest.mark.req("T-40")
@pytest.mark.parametrize(
    ("dialect", "text", "arguments"),
    [
        (LINES, "OPEN_URL example.org", {"url": "example.org", "browser": "default"}),
        (
            TOOLS,
            '{"name": "browser", "arguments": {"action": "open_url", "url": "example.org"}}',
            {"url": "example.org", "browser": "safari", "new_tab": True},
        ),
        (
            TOOLS,
            '{"name": "browser", "arguments": {"action": "open_url", "url": "example.org", "new_tab": false}}',
            {"url": "example.org", "browser": "safari", "new_tab": False},
        ),
        (
            COMMANDS,
            '{"commands": [{"type": "open_url", "url": "example.org"}]}',
            {"url": "example.org", "browser": "chrome", "new_tab": True},
        ),
    ],
)
def test_each_dialect_opens_an_address_where_its_source_does(dialect: Dialect, text: str, arguments: dict[str, Any]):
    proposal = one(dialect, text)

    assert (proposal.operation, proposal.arguments) == ("url.open", arguments)


@pytest.mark.req("T-47")
@pytest.mark.parametrize(("given", "limit"), [({}, 10), ({"limit": 3}, 3)])
def test_mail_that_is_read_is_unread_mail_of_the_inbox(given: dict[str, Any], limit: int):
    call = {"name": "macos_auto", "arguments": {"action": "mail_read", **given}}

    proposal = one(TOOLS, json.dumps(call))

    assert (proposal.operation, proposal.arguments) == ("mail.inbox", {"include_read": False, "limit": limit})


def in_each_dialect(line: str, name: str, members: dict[str, Any]) -> list[Proposal]:
    call = json.dumps({"name": name, "arguments": members})
    return [one(LINES, line), one(TOOLS, call), one(COMMANDS, json.dumps({"commands": [{"type": name, **members}]}))]


@pytest.mark.req("T-10", "PA-01")
@pytest.mark.parametrize("state", ["ON", "on", "On"])
def test_a_choice_in_any_case_is_one_wish_in_every_dialect(state: str):
    told = in_each_dialect(f"DO_NOT_DISTURB {state}", "focus_set_dnd", {"state": state})

    assert [(it.operation, it.arguments) for it in told] == [("focus.set_dnd", {"state": "ON"})] * 3


@pytest.mark.req("PA-01", "PA-07")
def test_null_is_one_wish_with_leaving_out_in_every_dialect():
    opened = in_each_dialect("OPEN_FILE ~/a", "file_open", {"path": "~/a", "app": None})
    changed = one(
        BLOCKS,
        """```json-action\n{"type": "edit_habit", "habitText": "Run", "newText": "Walk",
      "repeatIntervalHours": null}\n```""",
    )

    assert [(it.operation, it.arguments) for it in opened] == [("file.open", {"path": "~/a"})] * 3
    assert changed.arguments == {"target": "Run", "new_text": "Walk"}


@pytest.mark.req("PA-07")
@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (TOOLS, '{"name": "file_list", "arguments": {"path": "~", "limit": null}}'),
        (TOOLS, '{"name": "macos_auto", "arguments": {"action": "mail_read", "limit": null}}'),
        (COMMANDS, '{"commands": [{"type": "file_list", "path": "~", "limit": null}]}'),
    ],
)
def test_null_is_refused_alike_where_leaving_out_means_a_value(dialect: Dialect, text: str):
    (proposal,) = read(dialect, OPERATIONS, text).proposals

    assert proposal.code == "arguments.type"
    assert (proposal.problem or "").startswith("“limit” must be a whole number")
    assert (proposal.problem or "").endswith(", not null; it may be left out")


@pytest.mark.req("S3-21", "T-73")
def test_of_an_action_the_description_is_kept_and_times_and_sessions_are_not():
    action = {
        "templateId": "brief",
        "label": "Go",
        "description": "Writes to Ana 🎉",
        "sessionId": "session_of_somebody",
        "createdAt": "2020-01-01T00:00:00Z",
        "params": {"to": "Ana"},
    }

    proposal = one(ACTIONS, f"```json\n{json.dumps({'actions': [action]})}\n```")

    assert proposal.description == "Writes to Ana 🎉"
    assert proposal.arguments == {"to": "Ana"}
    told = repr([value for name in Proposal.__struct_fields__ if name != "said" for value in [getattr(proposal, name)]])
    assert "session_of_somebody" not in told
    assert "2020-01-01" not in told
