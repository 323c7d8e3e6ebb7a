"""One opinion per rule, the strictest as the verdict; and the settings, which are one value."""

from typing import Any

import pytest
from msgspec.structs import fields

from sayso.core.decision import Verdict
from sayso.core.plan import Plan
from sayso.policy.case import Rules, ask, deny, is_stricter, opinions, stricter, strictest
from sayso.policy.settings import DEFAULT_APPS, Limits, Policy
from tests.policy.given import POLICY, a_case, a_plan, with_policy

ALLOW = Verdict("allow", "nothing speaks against it", "default")
MODE = Verdict("ask", "mode", "mode", "mode")
CLICK = Verdict("ask", "click", "click", "click")
FLOOR = Verdict("ask", "floor", "floor", "floor")
DENY = Verdict("deny", "no", "paused", "none", "policy.paused")
ORDER = [ALLOW, MODE, CLICK, FLOOR, DENY]


@pytest.mark.parametrize("low", range(5))
@pytest.mark.parametrize("high", range(5))
def test_deny_is_stricter_than_ask_and_ask_than_allow(low: int, high: int):
    assert is_stricter(ORDER[high], ORDER[low]) is (high > low)
    assert stricter(ORDER[low], ORDER[high]) is ORDER[max(low, high)]


def test_a_word_that_nobody_knows_is_stricter_than_all_that_are_known():
    words: list[Any] = ["unheard of", "XX"]

    for word in words:
        assert is_stricter(Verdict(word, "?", "?"), DENY)
        assert is_stricter(Verdict("ask", "?", "?", word), FLOOR)
        assert not is_stricter(Verdict("ask", "?", "?", word), DENY)


def test_a_question_that_says_not_what_answers_it_is_the_mildest():
    bare = Verdict("ask", "really?", "bare")

    assert is_stricter(MODE, bare)
    assert is_stricter(bare, ALLOW)


def test_of_equals_the_first_holds():
    other = Verdict("deny", "another", "other", "none", "x")

    assert strictest([DENY, other], ALLOW) is DENY
    assert strictest([], ALLOW) is ALLOW


def test_a_permission_that_is_gone_makes_the_answer_stricter():
    granted = Verdict("allow", "g1", "grants", "none", "", "grant:g1")

    assert is_stricter(MODE, granted)
    assert not is_stricter(granted, MODE)


def test_each_rule_says_its_name_and_silence_is_silence():
    rules: Rules = {
        "one": lambda _: deny("no", "x.y"),
        "two": lambda _: None,
        "three": lambda _: ask("really?", "mode"),
    }

    said = opinions(rules, a_case())

    assert said == [Verdict("deny", "no", "one", "none", "x.y"), Verdict("ask", "really?", "three", "mode")]


def test_a_rule_that_fails_says_no_by_name_and_tells_nothing_of_what_it_saw():
    def broken(case: object) -> None:
        raise KeyError("secret")

    (said,) = opinions({"broken": broken}, a_case())

    assert (said.ruling, said.rule, said.code, said.level) == ("deny", "broken", "policy.error", "none")
    assert said.because == "the rule “broken” could not be applied (KeyError), so this is refused"


def test_a_plan_does_nothing_only_when_it_changes_loses_and_sends_nothing():
    nothing, loses, sends = Plan("It is so"), Plan("", loses=("a",)), Plan("", sends=("a",))

    assert a_case(plan=nothing).does_nothing
    assert not a_case(plan=loses).does_nothing
    assert not a_case(plan=sends).does_nothing
    assert not a_case(plan=a_plan()).does_nothing


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
