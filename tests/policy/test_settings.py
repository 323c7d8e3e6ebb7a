"""The settings as one value."""

from typing import Any

import pytest
from msgspec.structs import fields

from sayso.policy.settings import DEFAULT_APPS, Limits, Policy
from tests.policy.given import POLICY, with_policy


@pytest.mark.req("X-16")
def test_the_defaults_are_those_of_the_specification():
    assert (POLICY.mode, POLICY.allowed_operations, POLICY.waive_floor) == ("destructive", ("*",), ())
    assert (POLICY.strict_apps, POLICY.stop_on_error, POLICY.paused) == (False, False, False)
    assert (POLICY.waiting_expires, POLICY.grant_expires, POLICY.undo_keep) == (86_400, 2_592_000, 7_776_000)
    assert (POLICY.undo_bytes, POLICY.audit_keep, POLICY.limits) == (
        2_147_483_648,
        7_776_000,
        Limits(5000, 16_777_216, 8_388_608, 200),
    )
    assert Limits() == Limits(5000, 16_777_216, 8_388_608, 200)
    assert (POLICY.append_missing, POLICY.confirm_destructive_clicks, POLICY.automation) == ("create", False, True)


@pytest.mark.req("T-31")
def test_no_terminal_is_among_the_applications_allowed_from_the_start():
    assert set(DEFAULT_APPS) == {
        "Calendar", "Reminders", "Notes", "Mail", "Finder", "Safari", "Google Chrome", "TextEdit", "Preview", "Music",
    }  # fmt: skip


@pytest.mark.parametrize("name", [field.name for field in fields(Policy)])
def test_every_setting_counts_in_the_hash(name: str):
    other: dict[str, Any] = {name: Limits(waiting=1) if name == "limits" else ("changed",)}

    assert with_policy(**other).hash != POLICY.hash
    assert with_policy().hash == POLICY.hash
