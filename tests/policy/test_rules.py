"""All rules, and the admission before anything is looked at."""

from typing import Any

import pytest

from sayso.core.operation import Operation
from sayso.core.verdict import Verdict
from sayso.policy.rules import ADMITTED, RULES, admit
from sayso.policy.settings import Limits, Policy
from tests.policy.given import APP, DELETE, MOVE, NOTIFY, POLICY, READ, WRITE, with_policy

INSIDE = {"path": "~/Documents/x"}


@pytest.mark.parametrize(
    ("policy", "operation", "arguments", "code"),
    [
        (with_policy(paused=True), NOTIFY, {"title": "x"}, "policy.paused"),
        (with_policy(allowed_operations=()), NOTIFY, {"title": "x"}, "policy.operation_off"),
        (with_policy(limits=Limits(argument_bytes=2)), NOTIFY, {"title": "xxx"}, "limit.argument"),
        (POLICY, READ, {"path": "/etc/passwd"}, "path.outside_roots"),
        (POLICY, READ, {"path": "~/Documents/.ssh/x"}, "path.denied_name"),
        (with_policy(roots=("/home/ana",)), READ, {"path": "~/.sayso/sayso.db"}, "path.own_home"),
        (POLICY, DELETE, {"path": "~/Documents"}, "path.is_root"),
        (with_policy(strict_apps=True), APP, {"name": "Terminal"}, "app.not_allowed"),
        (POLICY, APP, {"name": "../Terminal"}, "app.name"),
    ],
)
@pytest.mark.req("T-32", "T-21", "T-31", "FS-10", "FS-11")
def test_what_can_be_refused_is_refused_before_anything_is_looked_at(
    policy: Policy, operation: Operation, arguments: dict[str, Any], code: str
):
    verdict = admit(policy, operation, arguments)

    assert verdict
    assert (verdict.ruling, verdict.code) == ("deny", code)
    assert verdict.rule in RULES


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        (NOTIFY, {"title": "x"}),
        (READ, INSIDE),
        (DELETE, INSIDE),
        (WRITE, {**INSIDE, "content": "x"}),
        (MOVE, {"source": "~/Documents/x", "destination": "~/Downloads/x"}),
        (APP, {"name": "Terminal"}),
    ],
)
def test_what_is_at_most_asked_about_is_admitted(operation: Operation, arguments: dict[str, Any]):
    assert admit(POLICY, operation, arguments) is None


@pytest.mark.req("PA-09")
def test_a_run_over_the_limit_is_refused_whole():
    policy = with_policy(limits=Limits(actions_per_run=50))

    codes = {
        getattr(admit(policy, NOTIFY, {"title": "x"}, at_once=count), "code", None) for count in (51, 1001, 100_001)
    }

    assert codes == {"limit.actions"}
    assert admit(policy, NOTIFY, {"title": "x"}, at_once=50) is None


@pytest.mark.req("S0-83")
def test_the_safe_set_allows_three_operations_and_no_other():
    policy = with_policy(allowed_operations=("notify.show", "url.open", "clipboard.write"))

    assert admit(policy, NOTIFY, {"title": "x"}) is None
    assert admit(policy, READ, INSIDE) is not None


def test_a_run_counts_as_one_action_where_nobody_says_otherwise():
    assert admit(with_policy(limits=Limits(actions_per_run=1)), NOTIFY, {"title": "x"}) is None
    assert admit(with_policy(limits=Limits(actions_per_run=0)), NOTIFY, {"title": "x"}) is not None


def test_every_rule_is_asked_and_has_its_name():
    assert list(RULES) == [
        "paused", "allowed_operations", "actions_per_run", "argument_bytes", "known",
        "roots", "resolved_roots", "denied_names", "own_home", "own_program", "root_itself",
        "app_name", "allowed_apps",
        "floor", "click", "warning", "outside_text", "mode",
    ]  # fmt: skip


def test_what_nothing_stands_against_is_allowed_by_name():
    expected = Verdict("allow", "nothing stands against it", "default", "none", "", None)

    assert expected == ADMITTED


def test_an_argument_of_the_wrong_kind_is_a_no_and_not_a_crash():
    verdict = admit(POLICY, READ, {"path": 3})

    assert verdict
    assert verdict.code == "policy.error"
