"""The rules that look at no path."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

from sayso.core.plan import Step
from sayso.policy.opinions import Case, Rule
from sayso.policy.settings import Limits
from sayso.policy.switches import allows, known, paused, switched_off, too_long, too_many
from tests.policy.given import MOVE, NOTIFY, POLICY, Nameless, a_case, a_plan, operation, with_policy


def code(rule: Rule, case: Case) -> str | None:
    """Return the stable word a rule says no with."""
    opinion = rule(case)
    return opinion.code if opinion and opinion.ruling == "deny" else None


@pytest.mark.req("T-53")
def test_the_brake_stops_everything_and_says_how_to_go_on():
    opinion = paused(a_case(policy=with_policy(paused=True)))

    assert opinion
    assert (opinion.ruling, opinion.code) == ("deny", "policy.paused")
    assert "sayso resume" in opinion.because
    assert paused(a_case()) is None


@pytest.mark.parametrize(
    ("allowed", "runs"),
    [
        (("*",), True),
        (("file.move",), True),
        (("file.*",), True),
        (("notify.show", "file.m*"), True),
        (("*&file.*&*.move",), True),
        (("file.*&*.delete",), False),
        (("notify.show",), False),
        (("FILE.MOVE",), False),
        (("",), False),
        ((), False),
    ],
)
@pytest.mark.req("T-32", "S0-79")
def test_only_allowed_operations_run_and_an_empty_list_allows_nothing(allowed: tuple[str, ...], runs: bool):
    policy = with_policy(allowed_operations=allowed)

    assert allows(policy, "file.move") is runs
    assert code(switched_off, a_case(MOVE, policy=policy)) == (None if runs else "policy.operation_off")


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_run_up_to_the_limit_is_admitted(at_once: int):
    assert code(too_many, Case(with_policy(limits=Limits(actions_per_run=3)), NOTIFY, at_once=at_once)) is None


def test_an_action_that_is_judged_by_itself_counts_as_one():
    assert code(too_many, Case(with_policy(limits=Limits(actions_per_run=1)), NOTIFY)) is None


def test_one_action_too_many_refuses_the_whole_run():
    assert code(too_many, Case(with_policy(limits=Limits(actions_per_run=3)), NOTIFY, at_once=4)) == "limit.actions"


@pytest.mark.parametrize(
    ("value", "size"), [("é" * 5, 10), ("x" * 10, 10), (["x" * 6], 10), ({"a": 1234}, 10), (1234567890, 10)]
)
def test_an_argument_is_measured_in_bytes(value: Any, size: int):
    fits = with_policy(limits=Limits(argument_bytes=size))
    tight = with_policy(limits=Limits(argument_bytes=size - 1))

    assert code(too_long, a_case(policy=fits, message=value)) is None
    assert code(too_long, a_case(policy=tight, message=value)) == "limit.argument"


@pytest.mark.parametrize(
    ("case", "named"),
    [
        (a_case(operation(kind="harmless")), "a kind that nobody here knows: “harmless”"),
        (a_case(operation(asks="never")), "an approval rule that nobody here knows: “never”"),
        (a_case(replace(operation(), reach="moon")), "a reach that nobody here knows: “moon”"),
        (a_case(policy=with_policy(mode="sometimes")), "a mode that nobody here knows: “sometimes”"),
        (
            a_case(plan=a_plan(on_failure="shrug")),
            "a way to go on after a failure that nobody here knows: “shrug”",
        ),
        (a_case(plan=a_plan(Nameless())), "a step that nobody here knows: Nameless"),
    ],
    ids=["kind", "asks", "reach", "mode", "on_failure", "step"],
)
def test_words_that_nobody_knows_are_refused_and_named(case: Case, named: str):
    opinion = known(case)

    assert opinion
    assert (opinion.ruling, opinion.code) == ("deny", "policy.unknown")
    assert opinion.because == f"{case.operation.id} has {named}"


def test_a_step_lacks_a_name_or_a_store_and_an_operation_its_reach():
    @dataclass(frozen=True, slots=True)
    class Storeless(Step):
        step: ClassVar[str] = "thing.do"

    @dataclass(frozen=True, slots=True)
    class Unnamed(Step):
        store: ClassVar[str] = "things"

    assert code(known, a_case(plan=a_plan(Storeless()))) == "policy.unknown"
    assert code(known, a_case(plan=a_plan(Unnamed()))) == "policy.unknown"
    assert code(known, a_case(replace(MOVE, reach="anywhere"))) == "policy.unknown"
    assert code(known, a_case(replace(MOVE, reach="home"), a_plan(on_failure="go on"))) is None


@pytest.mark.parametrize("mode", ["always", "destructive", "never"])
def test_the_modes_of_the_specification_are_known(mode: str):
    assert known(a_case(policy=with_policy(mode=mode))) is None


def test_half_of_a_character_pair_is_measured_too():
    tight = with_policy(limits=Limits(argument_bytes=2))

    assert code(too_long, a_case(policy=tight, message="\ud800")) == "limit.argument"


@pytest.mark.parametrize("kind", ["read", "write", "destructive", "external"])
@pytest.mark.parametrize("asks", ["none", "mode", "floor", "click"])
def test_the_words_of_the_specification_are_known(kind: str, asks: str):
    assert known(a_case(operation(kind, asks), policy=POLICY)) is None
