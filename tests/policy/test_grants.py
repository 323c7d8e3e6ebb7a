"""A standing permission covers what is like the action that was done, and nothing that differs in a fixed part."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.arguments import Line
from sayso.core.operation import Operation
from sayso.core.plan import AsLeft, CannotUndo, Change, Plan
from sayso.policy.grants import Standing, by_part_of_name, covering, over, why_not
from sayso.policy.opinions import Case
from tests.policy.given import COPY, DELETE, MOVE, NOW, POLICY, Copy, Rename, Show, a_plan, operation, with_policy
from tests.policy.granted import ARGUMENTS, FROM, SERVED, TO, a_case, a_move, learnt, standing

NAMES = st.text("ab./~ é", min_size=0, max_size=4)


def test_it_covers_what_was_done():
    assert why_not(learnt(), a_case(), SERVED) is None


@pytest.mark.req("AV-11")
@pytest.mark.parametrize(
    ("case", "why"),
    [
        (a_case(source="~/Documents/c.txt"), "“source” is not as it was"),
        (a_case(source="~/documents/a.txt"), "“source” is not as it was"),
        (a_case(source=["~/Documents/a.txt"]), "“source” is not as it was"),
        (a_case(more="x"), "“more” was not said then"),
        (a_case(plan=a_move("/data/ana/Documents/secret/a.txt")), "leads to another place"),
        (a_case(plan=a_move(destination="/other/b.txt")), "leads to another place"),
        (a_case(plan=a_plan(Copy(FROM, TO))), "more would be done"),
        (a_case(plan=a_plan(Rename(FROM, TO), Rename(FROM, TO))), "more would be done"),
        (a_case(plan=a_move(loses=("“b.txt”",))), "something would be gone after it: “b.txt”"),
        (a_case(plan=a_move(sends=("a page to example.org",))), "something else would leave this machine"),
        (a_case(plan=a_plan(Rename(FROM, TO), Show(app="Mail"))), "more would be done"),
        (a_case(plan=a_move(FROM, TO, AsLeft(FROM, "unchanged", 0, 0))), "of another kind"),
        (a_case(with_policy(real_own="/elsewhere/.sayso")), "another home"),
    ],
)
def test_it_covers_nothing_that_differs(case: Case, why: str):
    assert why in str(why_not(learnt(), case, SERVED))


def test_an_argument_that_was_said_then_must_be_said_now():
    case = replace(a_case(), arguments={"source": ARGUMENTS["source"]})

    assert why_not(learnt(), case, SERVED) == "“destination” is not as it was"
    assert why_not(learnt("destination"), case, SERVED) == "“destination” is not within what may vary"


@pytest.mark.req("AV-11")
def test_another_account_another_handler_and_a_changed_operation_ask_again():
    async def changed(source: str, destination: str) -> Plan:
        """Move a file or folder."""
        return Plan(f"Move “{source}” and more to “{destination}”")

    other = Operation("file.move", "destructive", "mode", changed)
    whys = [
        why_not(learnt(), a_case(), standing(backends={"files": "memory"})),
        why_not(learnt(), a_case(), standing(handler="sha256:1")),
        why_not(learnt(handler="sha256:0"), a_case(), standing(handler="sha256:1")),
        why_not(learnt(), replace(a_case(), operation=other), SERVED),
        why_not(learnt(), replace(a_case(), operation=COPY), SERVED),
    ]

    assert whys == [
        "another account or backend would do it",
        *["file.move was changed since this was given"] * 3,
        "it is for file.move",
    ]


@pytest.mark.parametrize("asks", ["floor", "click"])
def test_what_always_asks_is_never_covered_whatever_a_permission_says(asks: str):
    one = operation("write", asks)
    grant = learnt(operation=one.id, fixed={}, definition="")

    assert why_not(grant, Case(POLICY, one, {}, a_plan()), SERVED) == "thing.do always asks"


def test_a_waived_floor_is_no_way_in():
    policy = with_policy(waive_floor=("file.delete",))
    grant = learnt(operation="file.delete", fixed={"path": "~/Documents/a.txt"})

    assert covering(Case(policy, DELETE, {"path": "~/Documents/a.txt"}, a_plan()), standing(grant)) is None


def test_true_is_not_1():
    grant = learnt(fixed={**ARGUMENTS, "source": True})

    assert why_not(grant, a_case(source=1), SERVED) == "“source” is not as it was"


def test_what_varies_stays_within_its_folder_and_ending():
    grant = learnt("source")

    def covered(source: str, real: str) -> bool:
        return why_not(grant, a_case(None, a_move(real), source=source), SERVED) is None

    assert covered("~/Documents/c.txt", "/data/ana/Documents/c.txt")
    assert covered("/home/ana/Documents/./c.txt", "/data/ana/Documents/c.txt")
    assert not covered("~/Documents/c.sh", "/data/ana/Documents/c.sh")
    assert not covered("~/Documents/c.txt", "/data/ana/Documents/c.sh")
    assert not covered("~/Documents/deep/c.txt", "/data/ana/Documents/deep/c.txt")
    assert not covered("~/Documents/c.txt", "/data/ana/Documents/deep/c.txt")
    assert not covered("~/Documents/../c.txt", "/data/ana/c.txt")
    assert not covered("~/Documents/.c.txt", "/data/ana/Documents/.c.txt")
    assert not covered("~/Documents", "/data/ana/Documents")
    assert not covered("~/Documents/deep/c.txt", "/data/ana/Documents/c.txt")
    assert not covered("~/Documents/c.sh", "/data/ana/Documents/c.txt")


@given(st.dictionaries(st.sampled_from(["source", "destination", "more"]), NAMES | st.sampled_from([1, True, None])))
def test_one_with_everything_fixed_covers_its_own_arguments_only(arguments: dict[str, Any]):
    case = replace(a_case(), arguments=arguments)

    assert (why_not(learnt(), case, SERVED) is None) == (arguments == ARGUMENTS)


@given(NAMES, NAMES, st.sampled_from([(), ("source",), ("destination",), ("source", "destination")]))
def test_a_fixed_argument_never_differs_and_a_varying_one_only_in_its_name(
    source: str, destination: str, vary: tuple[str, ...]
):
    arguments = {"source": f"~/Documents/{source}", "destination": f"~/Downloads/{destination}"}
    plan = a_move(f"/data/ana/Documents/{source}", f"/data/ana/Downloads/{destination}")

    if why_not(learnt(*vary), a_case(None, plan, **arguments), SERVED) is None:
        for name, value in arguments.items():
            if name not in vary:
                assert value == ARGUMENTS[name]
            else:
                last = value.split("/")[-1] if "/." not in value else value.rstrip("/.").split("/")[-1]
                assert last.endswith(".txt")


@given(NAMES, NAMES)
def test_the_more_may_vary_the_more_is_covered(source: str, destination: str):
    arguments = {"source": f"~/Documents/{source}.txt", "destination": f"~/Downloads/{destination}.txt"}
    plan = a_move(f"/data/ana/Documents/{source}.txt", f"/data/ana/Downloads/{destination}.txt")
    case = a_case(None, plan, **arguments)

    narrow, either, other, wide = (
        why_not(learnt(*vary), case, SERVED) is None
        for vary in ((), ("source",), ("destination",), ("source", "destination"))
    )

    assert narrow <= either <= wide
    assert narrow <= other <= wide
    assert narrow == (either and other)


@pytest.mark.req("CR-05")
@pytest.mark.parametrize(
    ("now", "why"),
    [
        (NOW, None),
        ("2026-11-21T11:55:00Z", None),
        ("2026-11-21T11:54:59.999Z", "not begun"),
        ("2026-12-21T11:59:59.999Z", None),
        ("2026-12-21T12:00:00.000Z", "expired"),
        ("2026-12-21T13:00:00+00:00", "expired"),
        ("2027-01-01T00:00:00Z", "expired"),
        ("2026-11-21T11:00:00Z", "not begun"),
        ("", "unreadable"),
        ("soon", "unreadable"),
        ("2026-11-22", "unreadable"),
        ("2026-11-22T12:00:00", "unreadable"),
    ],
)
def test_it_holds_from_when_it_was_given_until_it_expires(now: str, why: str | None):
    assert over(learnt(), POLICY, now) == why
    assert (covering(a_case(), standing(learnt(), now=now)) is None) == (why is not None)


@pytest.mark.parametrize("when", ["", "soon", "2026-12-21", "2026-12-21T12:00:00"])
def test_a_time_that_cannot_be_read_holds_never(when: str):
    assert over(learnt(expires=when), POLICY, NOW) == "unreadable"
    assert over(learnt(created=when), POLICY, NOW) == "unreadable"


def test_a_time_that_is_no_text_holds_never():
    nothing: Any = None

    assert over(learnt(expires=nothing), POLICY, NOW) == "unreadable"
    assert over(learnt(), POLICY, nothing) == "unreadable"


def test_a_time_beyond_all_calendars_holds_never():
    assert over(learnt(created="9999-12-31T00:00:00Z"), POLICY, NOW) == "unreadable"
    assert over(learnt(), with_policy(grant_expires=10**15), NOW) == "unreadable"


def test_without_a_time_nothing_holds():
    assert over(learnt(), POLICY, Standing().now) == "unreadable"


def test_a_setting_that_was_made_shorter_counts_at_once():
    assert over(learnt(), with_policy(grant_expires=3600), "2026-11-21T12:59:59Z") is None
    assert over(learnt(), with_policy(grant_expires=3600), "2026-11-21T13:00:00Z") == "expired"
    assert over(learnt(), with_policy(grant_expires=10**9), "2027-01-01T00:00:00Z") == "expired"


def test_revoked_and_used_up_it_covers_nothing():
    assert over(learnt(revoked=True), POLICY, NOW) == "revoked"
    assert over(learnt(uses=2, most_uses=2), POLICY, NOW) == "used up"
    assert over(learnt(uses=1, most_uses=2), POLICY, NOW) is None
    assert covering(a_case(), standing(learnt(revoked=True), learnt(uses=1, most_uses=1))) is None


def test_the_first_that_holds_and_covers_is_used():
    grants = [learnt(id="g0", revoked=True), learnt(id="g1", operation="file.copy"), learnt(id="g2"), learnt(id="g3")]

    found = covering(a_case(), standing(*grants))

    assert found is not None
    assert found.id == "g2"


def test_under_the_same_mode_other_settings_may_change():
    assert why_not(learnt(), a_case(with_policy(waiting_expires=60)), SERVED) is None


def test_under_a_stricter_mode_only_what_was_given_under_it_holds():
    always = with_policy(mode="always")

    assert why_not(learnt(), a_case(always), SERVED) == (
        "mode “always” was chosen since, or settings were changed under it"
    )
    assert why_not(learnt(case=a_case(always)), a_case(always), SERVED) is None


async def _drop(name: Line) -> Plan:
    """Drop a thing."""
    return Plan(name)


@pytest.mark.parametrize(
    ("plan", "part"),
    [
        (Plan("Drop “milk”"), False),
        (Plan("Drop “Buy milk”"), True),
        (Plan("Drop it", loses=("the note “milk”",)), False),
        (Plan("Drop “Buy milk”", data={"id": "milk"}), False),
        (Plan("Drop “Buy milk”", data={"id": "m1"}), True),
        (Plan("Drop “Buy milk”", data={"ids": ["milk"], "count": 1}), True),
        (Plan("Drop “mil", loses=("k”",)), True),
    ],
)
def test_what_is_taken_away_by_a_part_of_its_name_is_known(plan: Plan, part: bool):
    drop = Operation("thing.drop", "destructive", "mode", _drop)
    plan = replace(plan, changes=(Change(Show(), CannotUndo("gone")),))

    assert by_part_of_name(Case(POLICY, drop, {"name": "milk"}, plan)) is part


def test_only_what_takes_away_is_held_to_the_whole_name():
    write = Operation("thing.drop", "write", "mode", _drop)

    assert not by_part_of_name(Case(POLICY, write, {"name": "milk"}, Plan("Keep “Buy milk”")))
    assert by_part_of_name(Case(POLICY, write, {"name": "milk"}, Plan("Replace “Buy milk”", loses=("it",))))
    assert not by_part_of_name(Case(POLICY, MOVE, ARGUMENTS, a_move()))


@pytest.mark.req("T-58")
def test_a_permission_never_covers_what_is_taken_away_by_a_part_of_its_name():
    drop = Operation("thing.drop", "destructive", "mode", _drop)
    whole = Case(POLICY, drop, {"name": "milk"}, a_plan(Show(), summary="Drop “milk”"))
    grant = learnt(case=whole)

    assert why_not(grant, whole, standing(backends={"desktop": "memory"})) == "another account or backend would do it"
    part = replace(whole, plan=replace(whole.plan, summary="Drop “Buy milk”"))
    assert why_not(grant, part, SERVED) == "it takes away what was found by a part of its name"
