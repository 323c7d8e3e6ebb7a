"""How far a plan reaches, and in what another one would reach further."""

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from sayso.core.grant import Place, Scope
from sayso.core.plan import AsLeft, CannotUndo, Change, Fact, Plan, Step
from sayso.policy.reach import further, loosened, scope_of
from tests.policy.given import Rename, Show, a_plan
from tests.policy.granted import FROM, TO, a_move

LOCAL = {"files": "local", "desktop": "d"}


@dataclass(frozen=True, slots=True)
class Is(Fact):
    """A thing is of a kind."""

    fact: ClassVar[str] = "is"
    kind: str


@dataclass(frozen=True, slots=True)
class Bare(Fact):
    """Something without a kind is so."""

    fact: ClassVar[str] = "bare"


def test_all_that_a_plan_reaches_is_known():
    plan = a_plan(Rename(FROM, TO), Show(FROM, "Mail"), loses=("x",), sends=("b", "a"))
    first, second = plan.changes
    plan = replace(plan, changes=(replace(first, expects=(Is(FROM, "file"), Bare(TO))), second))

    assert scope_of(plan, {**LOCAL, "mail": "imap"}) == Scope(
        steps=("desktop.open", "file.rename"),
        places=(
            Place("file.rename", "source", FROM),
            Place("file.rename", "destination", TO),
            Place("desktop.open", "path", FROM),
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
    scope = scope_of(a_move(FROM, TO, AsLeft(FROM, "unchanged", 0, 0)), LOCAL)

    assert scope.kinds == ("unchanged as left",)
    assert further(scope, a_move(FROM, TO, AsLeft(FROM, "unchanged", 2, 1)), LOCAL) is None
    assert "of another kind" in str(further(scope, a_move(FROM, TO, AsLeft(FROM, "free", 0, 0)), LOCAL))


@dataclass(frozen=True, slots=True)
class Gather(Step):
    """A step that names several paths and applications at once."""

    step: ClassVar[str] = "file.gather"
    store: ClassVar[str] = "files"
    paths: ClassVar[tuple[str, ...]] = ("sources",)
    apps: ClassVar[tuple[str, ...]] = ("by",)
    sources: tuple[str, ...]
    by: tuple[str, ...] | None = None


def test_each_of_several_paths_and_applications_of_a_step_counts():
    scope = scope_of(a_plan(Gather((FROM, TO), ("Mail", "Notes"))), LOCAL)

    assert scope.places == (Place("file.gather", "sources", FROM), Place("file.gather", "sources", TO))
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
        (a_move(FROM, TO, AsLeft(FROM, "is", 0, 0)), "of another kind"),
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


def test_a_loosened_place_takes_names_beside_it_with_its_ending_and_leaves_the_others():
    scope = loosened(scope_of(a_move(), LOCAL), ["/home/ana/Documents/a.txt"])

    assert scope.places == (
        Place("file.rename", "source", "/data/ana/Documents", ".txt"),
        Place("file.rename", "destination", TO),
    )
    assert further(scope, a_move("/data/ana/Documents/z.txt"), LOCAL) is None
    assert further(scope, a_move("/data/ana/Documents/z.sh"), LOCAL) is not None
    assert further(scope, a_move("/data/ana/Documents/d/z.txt"), LOCAL) is not None
    assert further(scope, a_move("/data/ana/Documents/z.txt", "/data/ana/Downloads/z.txt"), LOCAL) is not None


def test_a_place_at_the_top_of_the_disk_is_loosened_too():
    scope = loosened(scope_of(a_move("/a.txt"), LOCAL), ["/a.txt"])

    assert further(scope, a_move("/b.txt"), LOCAL) is None
    assert further(scope, a_move("/c/b.txt"), LOCAL) is not None
