"""A standing permission covers what is like the action that was done, and nothing that differs in a fixed part."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta
from msgspec.structs import replace

from sayso.assembly.parts import PROVIDERS
from sayso.core.grant import GrantPath, Scope
from sayso.core.operation import Operation
from sayso.core.plan import NOTHING, CannotUndo, Change, Fact, Plan, Reach, ResultRef, Step
from sayso.core.schema import Line
from sayso.policy.case import Case
from sayso.policy.former_definitions import DIGESTS
from sayso.policy.grants import (
    Standing,
    by_part_of_name,
    covering,
    definition,
    further,
    is_same,
    loosen_scope,
    over,
    scope_of,
    visible_definition,
    why_not,
)
from sayso.runtime.registry import catalogue
from tests.policy.given import (
    ARGUMENTS,
    COPY,
    DELETE,
    FROM,
    MOVE,
    NOW,
    POLICY,
    SERVED,
    TO,
    Copy,
    Rename,
    Show,
    a_move,
    a_move_case,
    a_plan,
    learnt,
    operation,
    standing,
    taking,
    with_policy,
)

Long = Annotated[str, Meta(min_length=1, max_length=4000, description="One line of text.", extra={"kind": "line"})]

Reworded = Annotated[str, Meta(min_length=1, max_length=2000, description="A line.", extra={"kind": "line"})]

AnyText = Annotated[str, Meta(min_length=1, max_length=2000, extra={"kind": "text"})]

Titled = Annotated[dict[str, str], Meta(extra_json_schema={"properties": {"title": {"type": "string"}}})]

Plain = Annotated[dict[str, str], Meta(extra_json_schema={"properties": {}, "title": "Plain"})]


async def _some(name: Line, kind: Line = "a") -> Plan:
    """Do a thing."""
    return Plan(f"{name} {kind}")


async def _other_code(name: Reworded, kind: Line = "a") -> Plan:
    """Do a thing, in other words."""
    return Plan("".join(part for part in (name, " ", kind)))


SOME = Operation("thing.do", "write", "mode", _some)


@pytest.mark.req("AV-11")
@pytest.mark.parametrize(
    "other",
    [
        replace(SOME, id="thing.done"),
        replace(SOME, kind="destructive"),
        replace(SOME, asks="none"),
        replace(SOME, outside=True),
        replace(SOME, reach="home"),
        replace(SOME, version=2),
        replace(SOME, function=taking(name=Line, kind=(Line, "b"))),
        replace(SOME, function=taking(name=Line, kind=Line)),
        replace(SOME, function=taking(name=Long, kind=(Line, "a"))),
        replace(SOME, function=taking(name=AnyText, kind=(Line, "a"))),
        replace(SOME, function=taking(title=Line, kind=(Line, "a"))),
        replace(SOME, function=taking(name=Line, kind=(Line, "a"), more=(Line, ""))),
    ],
)
def test_whatever_is_declared_counts(other: Operation):
    assert not is_same(definition(SOME), other)


@pytest.mark.parametrize("function", [_some, _other_code, taking(kind=(Line, "a"), name=Line)])
def test_other_code_and_other_words_are_the_same_operation(function: Callable[..., Any]):
    assert is_same(definition(SOME), replace(SOME, function=function))


@pytest.mark.parametrize(
    ("hint", "properties"), [(Titled, {"title": {"type": "string"}}), (Plain, {})], ids=["titled", "plain"]
)
def test_a_member_that_is_called_like_a_word_of_json_schema_counts(hint: Any, properties: dict[str, object]):
    found = visible_definition(replace(SOME, function=taking(members=hint)))["parameters"]

    schema = {"type": "object", "additionalProperties": {"type": "string"}, "properties": properties}
    assert found == {"members": {"kind": "", "schema": schema}}


def test_it_says_its_version_and_is_the_same_in_every_process():
    code = "import tests.policy.test_grants as here; print(here.definition(here.SOME))"
    environ = {"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ)

    assert run.stdout.strip() == definition(SOME)
    assert definition(SOME).startswith("v1 sha256:")


@pytest.mark.req("AV-11")
def test_a_digest_from_before_there_were_versions_stands_for_version_1_of_its_operation():
    former = [digest for digest, name in DIGESTS.items() if name == "file.move"]

    for one in (replace(MOVE, version=2), replace(MOVE, id="file.copy")):
        assert [(is_same(digest, MOVE), is_same(digest, one)) for digest in former] == [(True, False)] * 3
    for never in ("", "sha256:" + "0a" * 32, "v1", "v2 sha256:" + "0a" * 32):
        assert not is_same(never, MOVE)


def test_each_shipped_operation_of_then_has_one_digest_for_each_python():
    counted = Counter(DIGESTS.values())

    assert set(counted.values()) == {3}
    assert counted.keys() <= catalogue(PROVIDERS).keys()
    assert all(len(digest.removeprefix("sha256:")) == 64 for digest in DIGESTS)


LOCAL = {"files": "local", "desktop": "d"}


class Is(Fact, frozen=True):
    """A thing is of a kind."""

    fact: ClassVar[str] = "is"
    owner: ClassVar[str] = "files"
    kind: str


class Bare(Fact, frozen=True):
    """Something without a kind is so."""

    fact: ClassVar[str] = "bare"
    owner: ClassVar[str] = "files"


def test_all_that_a_plan_reaches_is_known():
    plan = a_plan(Rename(FROM, TO), Show(FROM, "Mail"), loses=("x",), sends=("b", "a"))
    first, second = plan.changes
    plan = replace(plan, changes=(replace(first, expects=(Is(FROM, "file"), Bare(TO))), second))

    assert scope_of(plan, {**LOCAL, "mail": "imap"}) == Scope(
        steps=("desktop.open", "file.rename"),
        places=(
            GrantPath("file.rename", "source", FROM),
            GrantPath("file.rename", "destination", TO),
            GrantPath("desktop.open", "path", FROM),
        ),
        apps=("Mail",),
        sends=("a", "b"),
        kinds=("bare", "is file"),
        loses=True,
        changes=2,
        backends=LOCAL,
    )


def test_what_took_something_away_then_may_do_so_again():
    scope = scope_of(a_move(loses=("x",)), LOCAL)

    assert further(scope, a_move(loses=("y",)), LOCAL) is None
    assert further(scope, a_move(), LOCAL) is None


def test_what_was_found_as_another_step_left_it_is_so_again_and_not_otherwise():
    scope = scope_of(a_move(FROM, TO, ResultRef(FROM, "unchanged", 0, 0)), LOCAL)

    assert scope.kinds == ("unchanged as left",)
    assert further(scope, a_move(FROM, TO, ResultRef(FROM, "unchanged", 2, 1)), LOCAL) is None
    assert "of another kind" in str(further(scope, a_move(FROM, TO, ResultRef(FROM, "free", 0, 0)), LOCAL))


class Gather(Step, frozen=True):
    """A step that names several paths and applications at once."""

    step: ClassVar[str] = "file.gather"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "files"
    paths: ClassVar[tuple[str, ...]] = ("sources",)
    apps: ClassVar[tuple[str, ...]] = ("by",)
    sources: tuple[str, ...]
    by: tuple[str, ...] | None = None


def test_each_of_several_paths_and_applications_of_a_step_counts():
    scope = scope_of(a_plan(Gather((FROM, TO), ("Mail", "Notes"))), LOCAL)

    assert scope.places == (GrantPath("file.gather", "sources", FROM), GrantPath("file.gather", "sources", TO))
    assert scope.apps == ("Mail", "Notes")
    assert "another place" in str(further(scope, a_plan(Gather((FROM, "/etc/x"), ("Mail",))), LOCAL))
    assert "another application" in str(further(scope, a_plan(Gather((FROM,), ("Mail", "Terminal"))), LOCAL))


@pytest.mark.req("AV-11")
@pytest.mark.parametrize(
    ("plan", "why"),
    [
        (a_move(FROM, TO, Is(FROM, "file")), None),
        (a_move(FROM, TO), None),
        (a_move(FROM, TO, Is(FROM, "folder")), "of another kind"),
        (a_move(FROM, TO, ResultRef(FROM, "is", 0, 0)), "of another kind"),
        (a_move(FROM, TO, Bare(FROM)), "of another kind"),
        (a_move(FROM, "/elsewhere/b.txt"), "another place, “/elsewhere/b.txt”"),
        (a_move(TO, FROM), "another place"),
        (a_move(loses=("x",)), "gone after it: x"),
        (a_move(sends=("x",)), "leave this machine"),
        (Plan("nothing"), None),
    ],
)
def test_what_reaches_further_is_told(plan: Plan, why: str | None):
    scope = scope_of(a_move(FROM, TO, Is(FROM, "file")), LOCAL)

    found = further(scope, plan, LOCAL)

    assert found is None if why is None else why in str(found)


def test_more_recipients_and_other_apps_reach_further():
    plan = replace(a_plan(Show(app="Mail")), sends=("a letter to ana@example.org",))
    scope = scope_of(plan, LOCAL)

    more = replace(plan, sends=(*plan.sends, "a letter to eve@example.org"))
    other = replace(plan, changes=(Change(Show(app="Notes"), CannotUndo("no")),))
    twice = replace(plan, changes=plan.changes * 2)

    assert further(scope, plan, LOCAL) is None
    assert further(scope, replace(plan, sends=()), LOCAL) is None
    assert "somebody else" in str(further(scope, more, LOCAL))
    assert further(scope, other, LOCAL) == "another application is meant"
    assert "more would be done" in str(further(scope, twice, LOCAL))
    assert "another account" in str(further(scope, plan, {"desktop": "e"}))


@pytest.mark.parametrize(
    ("loose", "source", "destination", "covered"),
    [
        (FROM, "/data/ana/Documents/z.txt", TO, True),
        (FROM, "/data/ana/Documents/z.sh", TO, False),
        (FROM, "/data/ana/Documents/d/z.txt", TO, False),
        (FROM, "/data/ana/Documents/z.txt", "/data/ana/Downloads/z.txt", False),
        ("/a.txt", "/b.txt", TO, True),
        ("/a.txt", "/c/b.txt", TO, False),
    ],
)
def test_a_loosened_place_takes_names_beside_it_with_its_ending_and_leaves_the_others(
    loose: str, source: str, destination: str, covered: bool
):
    scope = loosen_scope(scope_of(a_move(loose), LOCAL), [loose.replace("/data/", "/home/")])

    folder = loose.rpartition("/")[0] or "/"
    assert scope.places == (
        GrantPath("file.rename", "source", folder, ".txt"),
        GrantPath("file.rename", "destination", TO),
    )
    assert (further(scope, a_move(source, destination), LOCAL) is None) is covered


NAMES = st.text("ab./~ é", min_size=0, max_size=4)


def test_it_covers_what_was_done():
    assert why_not(learnt(), a_move_case(), SERVED) is None


@pytest.mark.req("AV-11")
@pytest.mark.parametrize(
    ("case", "why"),
    [
        (a_move_case(source="~/Documents/c.txt"), "“source” is not as it was"),
        (a_move_case(source="~/documents/a.txt"), "“source” is not as it was"),
        (a_move_case(source=["~/Documents/a.txt"]), "“source” is not as it was"),
        (a_move_case(more="x"), "“more” was not given then"),
        (a_move_case(plan=a_move("/data/ana/Documents/secret/a.txt")), "leads to another place"),
        (a_move_case(plan=a_move(destination="/other/b.txt")), "leads to another place"),
        (a_move_case(plan=a_plan(Copy(FROM, TO))), "more would be done"),
        (a_move_case(plan=a_plan(Rename(FROM, TO), Rename(FROM, TO))), "more would be done"),
        (a_move_case(plan=a_move(loses=("“b.txt”",))), "something would be gone after it: “b.txt”"),
        (a_move_case(plan=a_move(sends=("a page to example.org",))), "something else would leave this machine"),
        (a_move_case(plan=a_plan(Rename(FROM, TO), Show(app="Mail"))), "more would be done"),
        (a_move_case(plan=a_move(FROM, TO, ResultRef(FROM, "unchanged", 0, 0))), "of another kind"),
        (a_move_case(with_policy(real_own="/elsewhere/.sayso")), "another home"),
    ],
)
def test_it_covers_nothing_that_differs(case: Case, why: str):
    assert why in str(why_not(learnt(), case, SERVED))


def test_an_argument_that_was_said_then_must_be_said_now():
    case = replace(a_move_case(), arguments={"source": ARGUMENTS["source"]})

    assert why_not(learnt(), case, SERVED) == "“destination” is not as it was"
    assert why_not(learnt("destination"), case, SERVED) == "“destination” is not within what may vary"


@pytest.mark.req("AV-11")
def test_another_account_another_handler_and_a_changed_operation_ask_again():
    async def changed(source: str, destination: str) -> Plan:
        """Move a file or folder."""
        return Plan(f"Move “{source}” and more to “{destination}”")

    other = Operation("file.move", "destructive", "mode", changed)
    whys = [
        why_not(learnt(), a_move_case(), standing(backends={"files": "memory"})),
        why_not(learnt(), a_move_case(), standing(handler="sha256:1")),
        why_not(learnt(handler="sha256:0"), a_move_case(), standing(handler="sha256:1")),
        why_not(learnt(), replace(a_move_case(), operation=other), SERVED),
        why_not(learnt(), replace(a_move_case(), operation=COPY), SERVED),
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

    assert why_not(grant, a_move_case(source=1), SERVED) == "“source” is not as it was"


@pytest.mark.parametrize(
    ("source", "real", "covered"),
    [
        ("~/Documents/c.txt", "Documents/c.txt", True),
        ("/home/ana/Documents/./c.txt", "Documents/c.txt", True),
        ("~/Documents/c.sh", "Documents/c.sh", False),
        ("~/Documents/c.txt", "Documents/c.sh", False),
        ("~/Documents/c.sh", "Documents/c.txt", False),
        ("~/Documents/deep/c.txt", "Documents/deep/c.txt", False),
        ("~/Documents/c.txt", "Documents/deep/c.txt", False),
        ("~/Documents/deep/c.txt", "Documents/c.txt", False),
        ("~/Documents/../c.txt", "c.txt", False),
        ("~/Documents/.c.txt", "Documents/.c.txt", False),
        ("~/Documents", "Documents", False),
    ],
)
def test_what_varies_stays_within_its_folder_and_ending(source: str, real: str, covered: bool):
    case = a_move_case(POLICY, a_move(f"/data/ana/{real}"), source=source)

    assert (why_not(learnt("source"), case, SERVED) is None) is covered


@given(st.dictionaries(st.sampled_from(["source", "destination", "more"]), NAMES | st.sampled_from([1, True, None])))
def test_one_with_everything_fixed_covers_its_own_arguments_only(arguments: dict[str, Any]):
    case = replace(a_move_case(), arguments=arguments)

    assert (why_not(learnt(), case, SERVED) is None) == (arguments == ARGUMENTS)


@given(NAMES, NAMES, st.sampled_from([(), ("source",), ("destination",), ("source", "destination")]))
def test_a_fixed_argument_never_differs_and_a_varying_one_only_in_its_name(
    source: str, destination: str, vary: tuple[str, ...]
):
    arguments = {"source": f"~/Documents/{source}", "destination": f"~/Downloads/{destination}"}
    plan = a_move(f"/data/ana/Documents/{source}", f"/data/ana/Downloads/{destination}")

    if why_not(learnt(*vary), a_move_case(POLICY, plan, **arguments), SERVED) is None:
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
    case = a_move_case(POLICY, plan, **arguments)

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
    assert (covering(a_move_case(), standing(learnt(), now=now)) is None) == (why is not None)


def test_a_time_that_cannot_be_read_or_lies_beyond_all_calendars_holds_never():
    nothing: Any = None

    for when in ("", "soon", "2026-12-21", "2026-12-21T12:00:00"):
        assert over(learnt(expires=when), POLICY, NOW) == over(learnt(created=when), POLICY, NOW) == "unreadable"
    assert over(learnt(expires=nothing), POLICY, NOW) == over(learnt(), POLICY, nothing) == "unreadable"
    assert over(learnt(created="9999-12-31T00:00:00Z"), POLICY, NOW) == "unreadable"
    assert over(learnt(), with_policy(grant_expires=10**15), NOW) == "unreadable"
    assert over(learnt(), POLICY, Standing().now) == "unreadable"


@pytest.mark.parametrize(
    ("seconds", "now", "why"),
    [
        (3600, "2026-11-21T12:59:59Z", None),
        (3600, "2026-11-21T13:00:00Z", "expired"),
        (10**9, "2027-01-01T00:00:00Z", "expired"),
    ],
)
def test_a_setting_that_was_made_shorter_counts_at_once(seconds: int, now: str, why: str | None):
    assert over(learnt(), with_policy(grant_expires=seconds), now) == why


def test_revoked_and_used_up_it_covers_nothing():
    assert over(learnt(revoked=True), POLICY, NOW) == "revoked"
    assert over(learnt(uses=2, most_uses=2), POLICY, NOW) == "used up"
    assert over(learnt(uses=1, most_uses=2), POLICY, NOW) is None
    assert covering(a_move_case(), standing(learnt(revoked=True), learnt(uses=1, most_uses=1))) is None


def test_the_first_that_holds_and_covers_is_used():
    grants = [learnt(id="g0", revoked=True), learnt(id="g1", operation="file.copy"), learnt(id="g2"), learnt(id="g3")]

    found = covering(a_move_case(), standing(*grants))

    assert found is not None
    assert found.id == "g2"


def test_under_the_same_mode_other_settings_may_change():
    assert why_not(learnt(), a_move_case(with_policy(waiting_expires=60)), SERVED) is None


def test_under_a_stricter_mode_only_what_was_given_under_it_holds():
    always = with_policy(mode="always")

    assert why_not(learnt(), a_move_case(always), SERVED) == (
        "mode “always” was chosen since, or settings were changed under it"
    )
    assert why_not(learnt(case=a_move_case(always)), a_move_case(always), SERVED) is None


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
    assert why_not(grant, part, SERVED) == "it takes away something that was found by a part of its name"
