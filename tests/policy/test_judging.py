"""Judging asks all rules, and admission those that need no plan."""

from itertools import product
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.core.decision import Verdict
from sayso.core.operation import Operation
from sayso.core.plan import Plan
from sayso.policy import rules
from sayso.policy.case import Case, Opinion, Rule, is_stricter, opinions, stricter, strictest
from sayso.policy.grants import Standing, derive_grant
from sayso.policy.rules import ADMITTED, LOOKS_AT_NO_PLAN, REFUSES_BY_PLAN_ALONE, RULES, admit, judge
from sayso.policy.settings import Limits, Policy
from tests.policy.given import (
    APP,
    DELETE,
    MOVE,
    NOTIFY,
    NOW,
    POLICY,
    READ,
    WRITE,
    Nameless,
    Rename,
    Show,
    a_plan,
    operation,
    with_policy,
)

INSIDE = {"path": "~/Documents/x"}
SAFE = with_policy(allowed_operations=("notify.show", "url.open", "clipboard.write"))
ALL = (NOTIFY, READ, WRITE, MOVE, APP, DELETE)
STRICT = (POLICY, with_policy(mode="always"), with_policy(paused=True, strict_apps=True, allowed_operations=()))


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
        (POLICY, READ, {"path": 3}, "policy.error"),
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


@pytest.mark.parametrize("name", sorted(LOOKS_AT_NO_PLAN))
def test_a_rule_that_admission_alone_asks_looks_at_no_plan(name: str):
    class Untouchable:
        """Stands for a plan that nobody may look at."""

        def __getattribute__(self, attribute: str) -> Any:
            raise AssertionError(attribute)

    case = Case(POLICY, DELETE, {"path": "/etc/passwd"}, cast("Plan", Untouchable()))

    RULES[name](case)


@pytest.mark.parametrize("name", sorted(REFUSES_BY_PLAN_ALONE))
def test_a_rule_that_admission_does_without_refuses_nothing_that_has_no_plan(name: str):
    cases = [Case(policy, one, {"path": "/etc/passwd"}) for policy, one in product(STRICT, ALL)]

    assert {said.ruling for case in cases if (said := RULES[name](case))} <= {"ask"}


def test_judging_asks_all_rules_unless_the_arguments_were_admitted_by_the_same_settings():
    paused = with_policy(paused=True)
    plan = a_plan()

    assert judge(paused, NOTIFY, plan, arguments={"title": "x"}).code == "policy.paused"
    assert judge(paused, NOTIFY, plan, arguments={"title": "x"}, admitted=True).ruling == "allow"


def test_a_rule_put_in_place_of_another_is_asked_at_admission_and_at_judging(monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []

    def noted(name: str) -> Rule:
        return lambda _: asked.append(name)

    monkeypatch.setattr(rules, "RULES", {name: noted(name) for name in RULES})

    admit(POLICY, NOTIFY, {})
    judge(POLICY, NOTIFY, a_plan(), arguments={}, admitted=True)

    assert set(asked) == set(RULES)


@pytest.mark.req("PA-09", "S0-83")
@pytest.mark.parametrize(
    ("policy", "operation", "at_once", "code"),
    [
        *((with_policy(limits=Limits(actions_per_run=50)), NOTIFY, n, "limit.actions") for n in (51, 1001, 100_001)),
        (with_policy(limits=Limits(actions_per_run=50)), NOTIFY, 50, None),
        (SAFE, NOTIFY, 1, None),
        (SAFE, READ, 1, "policy.operation_off"),
    ],
)
def test_a_run_over_the_limit_is_refused_whole_and_the_safe_set_allows_no_other_operation(
    policy: Policy, operation: Operation, at_once: int, code: str | None
):
    verdict = admit(policy, operation, {"title": "x"} if operation is NOTIFY else INSIDE, at_once=at_once)

    assert (verdict and verdict.code) == code


def test_a_run_counts_as_one_action_where_nobody_says_otherwise():
    assert admit(with_policy(limits=Limits(actions_per_run=1)), NOTIFY, {"title": "x"}) is None
    assert admit(with_policy(limits=Limits(actions_per_run=0)), NOTIFY, {"title": "x"}) is not None


def test_every_rule_is_asked_and_has_its_name():
    assert list(RULES) == [
        "paused", "allowed_operations", "actions_per_run", "argument_bytes", "known",
        "roots", "resolved_roots", "denied_names", "own_home", "own_program", "root_itself",
        "app_name", "allowed_apps",
        "floor", "click", "warning", "outside_text", "program", "mode",
    ]  # fmt: skip


def test_what_nothing_stands_against_is_allowed_by_name():
    expected = Verdict("allow", "nothing speaks against it", "default", "none", "", None)

    assert expected == ADMITTED


FROM, TO = "/data/ana/Documents/a", "/data/ana/Documents/b"
ARGUMENTS = {"source": "~/Documents/a", "destination": "~/Documents/b"}
PLAN = a_plan(Rename(FROM, TO), summary="Move “~/Documents/a” to “~/Documents/b”")
SERVED = Standing((), NOW, {"files": "local", "desktop": "local"})
GRANT = replace(
    derive_grant(Case(POLICY, MOVE, ARGUMENTS, PLAN), SERVED, vary=(), seconds=None, uses=None),
    id="g1",
)

KINDS = ("read", "write", "destructive", "external", "unheard of")
ASKS = ("none", "mode", "floor", "click", "unheard of")
MODES = ("always", "destructive", "never", "unheard of")
PLANS = st.builds(
    a_plan,
    st.sampled_from(
        [Show(), Show(FROM), Show("/etc/x"), Rename(FROM, TO), Rename("x", TO), Show(app="Terminal"), Nameless()]
    ),
    loses=st.sampled_from([(), ("x",)]),
    sends=st.sampled_from([(), ("x",)]),
    asks=st.booleans(),
)
POLICIES = st.builds(
    with_policy,
    mode=st.sampled_from(MODES),
    paused=st.booleans(),
    strict_apps=st.booleans(),
    allowed_operations=st.sampled_from([("*",), (), ("thing.*",)]),
    waive_floor=st.sampled_from([(), ("thing.do",)]),
)
Seen = tuple[str, ...]
SEEN = st.sampled_from([(), ("tabs",), ("recent_files", "page.text")])
OPERATIONS = st.builds(operation, st.sampled_from(KINDS), st.sampled_from(ASKS))


def judged(operation: Operation = MOVE, plan: Plan = PLAN, policy: Policy = POLICY, **words: Any) -> Verdict:
    """Judge with nothing special."""
    standing = replace(SERVED, grants=words.pop("grants", ()), now=words.pop("now", NOW))
    given_words: dict[str, Any] = {"arguments": ARGUMENTS if operation is MOVE else {}}
    return judge(policy, operation, plan, standing=standing, **{**given_words, **words})


@pytest.mark.parametrize(("kind", "asks", "mode"), list(product(KINDS, ASKS, MODES)))
def test_every_kind_rule_and_mode_has_one_ruling_and_unknown_is_refused(kind: str, asks: str, mode: str):
    verdict = judged(operation(kind, asks), a_plan(), with_policy(mode=mode))

    assert verdict.ruling in {"allow", "ask", "deny"}
    assert (verdict.ruling == "deny") is ("unheard of" in {kind, asks, mode})
    assert verdict.because
    assert verdict.rule


@given(POLICIES, OPERATIONS, PLANS, SEEN)
@pytest.mark.req("T-111")
def test_judging_is_total_repeats_itself_and_is_only_made_stricter_by_text_from_outside(
    policy: Policy, one: Operation, plan: Plan, exposed: Seen
):
    verdict, clean = judged(one, plan, policy, exposed=exposed), judged(one, plan, policy)

    assert verdict.ruling in {"allow", "ask", "deny"}
    assert (verdict.code != "") is (verdict.ruling == "deny")
    assert (verdict.level != "none") is (verdict.ruling == "ask")
    assert judged(one, plan, replace(policy), exposed=exposed) == verdict
    assert stricter(verdict, clean) is verdict


@given(POLICIES, OPERATIONS, PLANS, SEEN, st.sampled_from(["allow", "ask", "deny", "fail", None]))
def test_adding_a_rule_never_loosens(policy: Policy, one: Operation, plan: Plan, exposed: Seen, ruling: Any):
    def added(case: Case) -> Opinion | None:
        if ruling == "fail":
            raise RuntimeError
        return Opinion(ruling, "because", "mode" if ruling == "ask" else "none") if ruling else None

    case = Case(policy, one, {}, plan, exposed)

    before = strictest(opinions(RULES, case), ADMITTED)
    after = strictest(opinions({"added": added, **RULES}, case), ADMITTED)

    assert not is_stricter(before, after)


@given(POLICIES, OPERATIONS, PLANS, SEEN, st.permutations(list(RULES)))
def test_the_order_of_rules_does_not_matter(
    policy: Policy, one: Operation, plan: Plan, exposed: Seen, order: list[str]
):
    case = Case(policy, one, {}, plan, exposed)

    ordered = strictest(opinions(RULES, case), ADMITTED)
    shuffled = strictest(opinions({name: RULES[name] for name in order}, case), ADMITTED)

    assert (ordered.ruling, ordered.level) == (shuffled.ruling, shuffled.level)


@pytest.mark.parametrize(
    "changed",
    [
        {"paused": True},
        {"allowed_operations": ("notify.show",)},
        {"roots": ("/home/ana/Downloads",), "real_roots": ("/data/ana/Downloads",)},
    ],
)
def test_at_the_claim_a_brake_a_switch_or_a_root_that_is_gone_is_seen(changed: dict[str, Any]):
    then = judged()

    now = judged(policy=with_policy(**changed))

    assert now.ruling == "deny"
    assert is_stricter(now, then)


@pytest.mark.req("S0-81", "T-33")
def test_a_notification_and_reads_run_unasked_and_a_move_is_asked_about():
    read = [judged(READ, Plan("Read"), with_policy(mode=name), arguments=INSIDE).ruling for name in MODES[:3]]

    assert read == ["allow"] * 3
    assert judged(NOTIFY, a_plan(), arguments={"title": "x"}).ruling == "allow"
    assert (judged().ruling, judged().level) == ("ask", "mode")


def test_a_plan_without_changes_is_allowed_once_its_paths_pass():
    assert judged(DELETE, Plan("It is there already"), arguments=INSIDE).ruling == "allow"
    assert judged(DELETE, Plan("It is there already"), arguments={"path": "/etc/x"}).ruling == "deny"


@pytest.mark.parametrize(
    ("mode", "ruling", "level"),
    [("always", "ask", "mode"), ("destructive", "ask", "mode"), ("never", "allow", "none")],
)
def test_a_waived_floor_is_left_to_the_mode(mode: str, ruling: str, level: str):
    policy = with_policy(mode=mode, waive_floor=("file.delete",))

    verdict = judged(DELETE, a_plan(Show(FROM)), policy, arguments=INSIDE)

    assert (verdict.ruling, verdict.level) == (ruling, level)


def test_a_standing_permission_answers_a_mode_question():
    verdict = judged(grants=[GRANT])

    assert (verdict.ruling, verdict.level, verdict.approved_by) == ("allow", "none", "grant:g1")
    assert verdict.rule == "grants"
    assert "Move “~/Documents/a”" in verdict.because


@pytest.mark.parametrize(
    "words",
    [
        {"plan": replace(PLAN, asks=True, warns=("another name",))},
        {"plan": replace(PLAN, sends=("x",)), "exposed": ("tabs",)},
        {"policy": with_policy(paused=True)},
        {"arguments": {**ARGUMENTS, "destination": "~/Documents/c"}},
        {"now": "2027-01-01T00:00:00Z"},
        {"now": ""},
    ],
)
def test_it_answers_nothing_else(words: dict[str, Any]):
    verdict = judged(**words, grants=[GRANT])

    assert verdict.ruling != "allow"
    assert verdict.approved_by is None


@pytest.mark.parametrize("asks", ["floor", "click"])
def test_it_never_answers_floor_or_click(asks: str):
    one = operation("write", asks)

    assert judged(one, a_plan(), grants=[replace(GRANT, operation=one.id, fixed={})]).ruling == "ask"


def test_whoever_turns_to_always_is_asked_again():
    policy = with_policy(mode="always")

    assert judged(policy=policy, grants=[GRANT]).ruling == "ask"
    assert judged(policy=policy, grants=[replace(GRANT, policy=policy.hash)]).ruling == "allow"


def test_a_damaged_permission_is_a_no():
    damaged: Any = replace(GRANT, fixed={"source": object(), "destination": "x"})

    verdict = judged(grants=[damaged])

    assert (verdict.code, verdict.rule) == ("policy.error", "grants")
