"""Standing permissions."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import SetupError
from sayso.core.record import Grant
from sayso.policy.grants import covers, proposed, said
from tests.policy.given import DELETE, MOVE, NOW, POLICY, operation

GRANT = Grant(
    id="g1",
    operation="file.move",
    fixed={"source": "~/Downloads/a", "keep": True},
    free=("destination",),
    expires="2026-12-21T12:00:00.000Z",
    created=NOW,
)
ARGUMENTS: dict[str, Any] = {"source": "~/Downloads/a", "keep": True, "destination": "~/Documents/x"}


def test_it_covers_the_operation_with_its_fixed_arguments_and_any_free_one():
    assert covers(GRANT, "file.move", ARGUMENTS, NOW)
    assert covers(GRANT, "file.move", {**ARGUMENTS, "destination": "~/Documents/y"}, NOW)


@pytest.mark.parametrize(
    ("operation_id", "arguments"),
    [
        ("file.copy", ARGUMENTS),
        ("file.move", {**ARGUMENTS, "source": "~/Downloads/b"}),
        ("file.move", {**ARGUMENTS, "source": "~/downloads/a"}),
        ("file.move", {**ARGUMENTS, "keep": 1}),
        ("file.move", {**ARGUMENTS, "more": "x"}),
        ("file.move", {"destination": "~/Documents/x"}),
    ],
)
def test_it_covers_nothing_else(operation_id: str, arguments: dict[str, Any]):
    assert not covers(GRANT, operation_id, arguments, NOW)


@pytest.mark.parametrize("now", ["2026-12-21T12:00:00.000Z", "2026-12-21T13:00:00+00:00", "2027-01-01T00:00:00Z"])
def test_it_expires(now: str):
    assert not covers(GRANT, "file.move", ARGUMENTS, now)


@pytest.mark.parametrize("when", ["", "soon", "2026-12-21", "2026-12-21T12:00:00"])
def test_a_time_that_cannot_be_read_covers_nothing(when: str):
    assert not covers(GRANT, "file.move", ARGUMENTS, when)
    assert not covers(replace(GRANT, expires=when), "file.move", ARGUMENTS, NOW)


def test_a_time_that_is_no_text_covers_nothing():
    nothing: Any = None

    assert not covers(replace(GRANT, expires=nothing), "file.move", ARGUMENTS, NOW)


def test_a_revoked_one_covers_nothing():
    assert not covers(replace(GRANT, revoked=True), "file.move", ARGUMENTS, NOW)


def test_what_is_proposed_is_narrow_and_covers_exactly_what_was_asked():
    arguments = {"source": "~/Documents/a", "destination": "~/Documents/b"}

    grant = proposed(MOVE, arguments, POLICY, NOW)

    assert (grant.fixed, grant.free, grant.policy) == (arguments, (), POLICY.hash)
    assert grant.expires == "2026-12-21T12:00:00.000Z"
    assert covers(grant, "file.move", arguments, NOW)
    assert not covers(grant, "file.move", {**arguments, "destination": "~/Documents/c"}, NOW)


def test_what_may_vary_is_only_what_was_named():
    grant = proposed(MOVE, {"source": "~/a", "destination": "~/b"}, POLICY, NOW, ["destination"])

    assert (grant.fixed, grant.free) == ({"source": "~/a"}, ("destination",))
    assert said(grant) == (
        'file.move without asking where source = "~/a"; destination may be anything, until 2026-12-21T12:00:00.000Z'
    )


@pytest.mark.parametrize("one", [DELETE, operation("write", "click")])
def test_none_can_stand_for_what_always_asks(one: Any):
    with pytest.raises(SetupError, match="always asks") as told:
        proposed(one, {}, POLICY, NOW)

    assert told.value.code == "grant.not_possible"


def test_a_free_argument_that_there_is_not_is_an_error():
    with pytest.raises(SetupError, match="does not take “path”; it takes source, destination") as told:
        proposed(MOVE, {}, POLICY, NOW, ["path"])

    assert told.value.code == "grant.unknown_argument"


def test_a_proposed_one_has_no_name_yet():
    assert proposed(MOVE, {}, POLICY, NOW).id == ""


def test_a_permission_that_fixes_nothing_says_only_what_and_how_long():
    bare = replace(GRANT, fixed={}, free=())
    several = replace(GRANT, fixed={"a": 1, "b": True}, free=("c", "d"))

    assert said(bare) == "file.move without asking, until 2026-12-21T12:00:00.000Z"
    assert said(several) == (
        "file.move without asking where a = 1, b = true; c, d may be anything, until 2026-12-21T12:00:00.000Z"
    )


def test_a_long_value_is_shown_in_part_with_its_length():
    whole, cut = replace(GRANT, fixed={"a": "x" * 198}), replace(GRANT, fixed={"a": "x" * 199})

    assert f'a = "{"x" * 198}";' in said(whole)
    assert f'a = "{"x" * 199}… (201 characters);' in said(cut)


def test_a_moment_without_a_time_zone_gives_no_permission():
    with pytest.raises(ValueError, match="time zone"):
        proposed(MOVE, {}, POLICY, "2026-11-21T12:00:00")


def test_an_hour_elsewhere_is_the_same_hour():
    assert covers(GRANT, "file.move", ARGUMENTS, "2026-12-21T13:59:59+02:00")
    assert not covers(GRANT, "file.move", ARGUMENTS, "2026-12-21T14:00:00+02:00")


@given(st.dictionaries(st.sampled_from(["source", "destination", "more"]), st.sampled_from(["a", "b", 1, True, None])))
def test_one_with_everything_fixed_covers_its_own_arguments_only(arguments: dict[str, Any]):
    fixed = {"source": "a", "destination": "b"}
    grant = replace(GRANT, fixed=fixed, free=())

    assert covers(grant, "file.move", arguments, NOW) is (arguments == fixed)
