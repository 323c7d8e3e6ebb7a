"""The permission that an action would teach: everything fixed but what the person lets vary, and never for some."""

from typing import Any

import pytest
from msgspec.structs import replace

from sayso.core.decision import Verdict
from sayso.core.errors import Refused, SetupError
from sayso.core.grant import VariableArgument
from sayso.core.operation import Operation
from sayso.core.plan import Plan
from sayso.core.schema import Line, Text
from sayso.policy.case import Case
from sayso.policy.grants import could_vary, derive_grant, never, offer_digest, why_not
from tests.policy.given import DELETE, POLICY, a_plan, operation, with_policy
from tests.policy.granted import ARGUMENTS, SERVED, a_case, learnt

ASKED = Verdict("ask", "mode asks", "mode", "mode")


def test_by_itself_everything_is_fixed():
    grant = learnt()

    assert (grant.fixed, grant.varies, grant.policy, grant.home) == (ARGUMENTS, (), POLICY.hash, POLICY.real_own)
    assert (grant.most_uses, grant.handler, grant.uses) == (None, None, 0)
    assert (grant.created, grant.expires) == ("2026-11-21T12:00:00.000Z", "2026-12-21T12:00:00.000Z")
    assert [place.ending for place in grant.scope.places] == [None, None]


def test_only_what_was_named_varies_within_its_bound():
    grant = learnt("source")

    assert grant.fixed == {"destination": "~/Downloads/b.txt"}
    assert grant.varies == (VariableArgument("source", "folder", "/home/ana/Documents", ".txt"),)
    assert [place.ending for place in grant.scope.places] == [".txt", None]


def test_what_is_not_given_yet_has_no_id_and_is_for_as_often_as_wished_by_the_same_handler():
    handled = replace(SERVED, handler="sha256:1")

    offered = derive_grant(a_case(), handled, vary=(), seconds=None, uses=3)

    assert (offered.id, offered.most_uses, offered.handler) == ("", 3, "sha256:1")


def test_both_could_vary():
    assert [one.argument for one in could_vary(a_case())] == ["source", "destination"]


def test_it_holds_as_long_as_wished_and_never_longer_than_the_settings_say():
    def expires(seconds: int | None) -> str:
        return derive_grant(a_case(), SERVED, vary=(), seconds=seconds, uses=None).expires

    assert expires(7 * 86400) == "2026-11-28T12:00:00.000Z"
    assert expires(1) == "2026-11-21T12:00:01.000Z"
    assert expires(30 * 86400) == expires(None)
    for wrong in (30 * 86400 + 1, 0, -1):
        with pytest.raises(SetupError, match="at most 30 days") as said:
            expires(wrong)
        assert said.value.code == "grant.too_long_for"
    with pytest.raises(SetupError, match="at most 90 seconds"):
        derive_grant(a_case(with_policy(grant_expires=90)), SERVED, vary=(), seconds=91, uses=None)


def test_an_argument_that_there_is_not_is_an_error():
    with pytest.raises(SetupError, match="does not take “path”; it takes source, destination") as said:
        learnt("path")

    assert said.value.code == "grant.unknown_argument"


async def _tell(to: Line, body: Text) -> Plan:
    """Tell somebody something."""
    return Plan(f"{to} {body}")


TELL = Operation("thing.tell", "external", "mode", _tell)


@pytest.mark.req("AV-11")
def test_whom_it_is_to_never_varies():
    case = Case(POLICY, TELL, {"to": "ana@example.org", "body": "hello"}, a_plan())

    with pytest.raises(SetupError, match="it says what or whom this is about; what may vary is body") as said:
        learnt("to", case=case)

    assert said.value.code == "grant.fixed"
    assert why_not(learnt("body", case=case), replace(case, arguments={"to": "eve", "body": "hello"}), SERVED)


def test_a_fixed_text_is_kept_up_to_64_kb_in_its_quotes():
    whole = {"to": "a", "body": "x" * (65_536 - 2)}
    case = Case(POLICY, TELL, {**whole, "body": whole["body"] + "x"}, a_plan())

    with pytest.raises(SetupError, match="let it vary") as said:
        learnt(case=case)
    assert said.value.code == "grant.too_long"
    assert learnt("body", case=case).fixed == {"to": "a"}
    assert learnt(case=replace(case, arguments=whole)).fixed == whole


@pytest.mark.parametrize("one", [DELETE, operation("write", "click"), operation("write", "floor")])
def test_none_can_stand_for_what_always_asks(one: Operation):
    wrong = never(Case(with_policy(waive_floor=(one.id,)), one, {}, a_plan()), ASKED)

    assert isinstance(wrong, Refused)
    assert (wrong.code, wrong.rule) == ("grant.not_possible", "grants")
    assert "always asks" in str(wrong)


@pytest.mark.parametrize(
    ("verdict", "because"),
    [
        (None, "nothing was asked about it"),
        (Verdict("allow", "nothing stands against it", "default"), "nothing was asked about it"),
        (Verdict("deny", "no", "roots"), "nothing was asked about it"),
        (Verdict("ask", "text from outside was read", "outside_text", "floor"), "text from outside was read"),
        (Verdict("ask", "you edited this", "edited", "click"), "you edited this"),
    ],
)
def test_none_is_learnt_where_something_else_than_the_mode_asked(verdict: Verdict | None, because: str):
    wrong = never(a_case(), verdict)

    assert isinstance(wrong, Refused)
    assert (wrong.code, wrong.rule) == ("grant.not_possible", "grants")
    assert str(wrong) == f"no standing permission answers what was asked there: {because}"


async def _drop(name: Line) -> Plan:
    """Drop a thing."""
    return Plan(name)


@pytest.mark.req("T-58")
def test_none_is_learnt_from_what_was_found_by_a_part_of_its_name():
    drop = Operation("thing.drop", "destructive", "mode", _drop)

    part = never(Case(POLICY, drop, {"name": "milk"}, a_plan(summary="Drop “Buy milk”")), ASKED)
    whole = never(Case(POLICY, drop, {"name": "milk"}, a_plan(summary="Drop “milk”")), ASKED)

    assert isinstance(part, Refused)
    assert (part.code, part.rule) == ("grant.not_possible", "grants")
    assert "by a part of its name" in str(part)
    assert whole is None


def test_a_yes_is_bound_to_all_of_it_but_its_id_and_when_it_begins():
    grant = learnt("source")
    same = replace(grant, id="g2", created="x", expires="y", uses=3)
    others: list[dict[str, Any]] = [
        {"fixed": {}},
        {"varies": ()},
        {"scope": replace(grant.scope, loses=True)},
        {"scope": replace(grant.scope, places=())},
        {"definition": "d"},
        {"handler": "h"},
        {"home": "h"},
        {"policy": "p"},
        {"operation": "o"},
        {"learnt_from": "do_1"},
        {"most_uses": 1},
    ]

    digests = {offer_digest(replace(grant, **other), None) for other in others}

    assert offer_digest(same, None) == offer_digest(grant, None)
    assert len(digests | {offer_digest(grant, None), offer_digest(grant, 60)}) == len(others) + 2
