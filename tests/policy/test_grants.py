"""A standing permission covers what is like the action that was done, and nothing that differs in a fixed part."""

import subprocess
import sys
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta
from msgspec.structs import replace

from sayso.core.grant import GrantPath, Scope, VariableArgument
from sayso.core.operation import Operation
from sayso.core.plan import CannotUndo, Change, Fact, Plan, ResultRef, Step
from sayso.core.schema import Ids, Index, Line, Text, UserPath, When
from sayso.policy.case import Case
from sayso.policy.former_definitions import DIGESTS
from sayso.policy.grants import (
    Standing,
    by_part_of_name,
    covering,
    definition,
    derive_bound,
    ending_of,
    further,
    is_beside,
    is_same,
    keeps_within,
    loosen_scope,
    over,
    scope_of,
    site_of,
    variable,
    visible_definition,
    why_not,
)
from tests.policy.given import COPY, DELETE, MOVE, NOW, POLICY, Copy, Rename, Show, a_plan, operation, with_policy
from tests.policy.granted import ARGUMENTS, FROM, SERVED, TO, a_case, a_move, learnt, standing

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


async def _turned_round(kind: Line = "a", *, name: Line) -> Plan:
    return Plan(f"{name} {kind}")


async def _default(name: Line, kind: Line = "b") -> Plan:
    return Plan(f"{name} {kind}")


async def _required(name: Line, kind: Line) -> Plan:
    return Plan(f"{name} {kind}")


async def _longer(name: Long, kind: Line = "a") -> Plan:
    return Plan(f"{name} {kind}")


async def _of_text(name: AnyText, kind: Line = "a") -> Plan:
    return Plan(f"{name} {kind}")


async def _renamed(title: Line, kind: Line = "a") -> Plan:
    return Plan(f"{title} {kind}")


async def _more(name: Line, kind: Line = "a", more: Line = "") -> Plan:
    return Plan(f"{name} {kind} {more}")


async def _titled(members: Titled) -> Plan:
    return Plan(str(members))


async def _plain(members: Plain) -> Plan:
    return Plan(str(members))


_AN_OBJECT = {"type": "object", "additionalProperties": {"type": "string"}}

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
        *(replace(SOME, function=one) for one in (_default, _required, _longer, _of_text, _renamed, _more)),
    ],
)
def test_whatever_is_declared_counts(other: Operation):
    assert not is_same(definition(SOME), other)


@pytest.mark.parametrize("function", [_some, _other_code, _turned_round])
def test_other_code_and_other_words_are_the_same_operation(function: Callable[..., Any]):
    assert is_same(definition(SOME), replace(SOME, function=function))


def test_a_member_that_is_called_like_a_word_of_json_schema_counts():
    titled, plain = (replace(SOME, function=function) for function in (_titled, _plain))

    assert visible_definition(titled)["parameters"] == {
        "members": {"kind": "", "schema": {**_AN_OBJECT, "properties": {"title": {"type": "string"}}}}
    }
    assert visible_definition(plain)["parameters"] == {
        "members": {"kind": "", "schema": {**_AN_OBJECT, "properties": {}}}
    }


def test_it_says_its_version_and_is_the_same_in_every_process():
    code = "import tests.policy.test_grants as here; print(here.definition(here.SOME))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_environ())

    assert run.stdout.strip() == definition(SOME)
    assert definition(SOME).startswith("v1 sha256:")


def _environ() -> dict[str, str]:
    return {"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join(sys.path)}


@pytest.mark.req("AV-11")
def test_a_digest_from_before_there_were_versions_stands_for_version_1_of_its_operation():
    former = [digest for digest, name in DIGESTS.items() if name == "file.move"]

    assert [is_same(digest, MOVE) for digest in former] == [True] * 3
    assert [is_same(digest, replace(MOVE, version=2)) for digest in former] == [False] * 3
    assert [is_same(digest, replace(MOVE, id="file.copy")) for digest in former] == [False] * 3


@pytest.mark.parametrize("remembered", ["", "sha256:" + "0a" * 32, "v1", "v2 sha256:" + "0a" * 32])
def test_what_was_never_its_digest_is_not_the_same(remembered: str):
    assert not is_same(remembered, MOVE)


HOME = "/home/ana"


async def _tell(path: UserPath, url: Line, title: Line, to: Line, name: Line) -> Plan:
    """Take paths and lines."""
    return Plan(f"{path}{url}{title}{to}{name}")


async def _other(body: Text, start: When, ids: Ids, index: Index, parts: list[Text]) -> Plan:
    """Take what is no line."""
    return Plan(f"{body}{start}{ids}{index}{parts}")


async def _chosen(subject: Line, label: Literal["title", "x"]) -> Plan:
    """Take a line, and one of a few words."""
    return Plan(f"{subject}{label}")


PARAMETERS = {
    parameter.name: parameter
    for function in (_tell, _other, _chosen)
    for parameter in Operation("thing.do", "write", "mode", function).parameters
}


@pytest.mark.req("AV-11")
@pytest.mark.parametrize(
    ("name", "value", "varies"),
    [
        ("path", "~/Documents/a.pdf", VariableArgument("path", "folder", "/home/ana/Documents", ".pdf")),
        ("path", "/x/y/../a.tar.gz/", VariableArgument("path", "folder", "/x", ".gz")),
        ("path", "~/Documents/README", VariableArgument("path", "folder", "/home/ana/Documents", "")),
        ("path", "~/.profile", VariableArgument("path", "folder", "/home/ana", ".")),
        ("path", "~/.a.toml", VariableArgument("path", "folder", "/home/ana", "..toml")),
        ("path", "/", None),
        ("path", "relative", None),
        ("url", "https://Example.org/a?b", VariableArgument("url", "site", "https://example.org")),
        ("url", "example", None),
        ("title", "Meeting", VariableArgument("title", "any")),
        ("body", "…", VariableArgument("body", "any")),
        ("start", "2026-11-22", VariableArgument("start", "any")),
        ("subject", "About it", VariableArgument("subject", "any")),
        ("label", "x", None),
        ("parts", ["…"], None),
        ("to", "ana@example.org", None),
        ("name", "Mail", None),
        ("ids", ["1"], None),
        ("index", 1, None),
    ],
)
def test_only_what_names_nothing_may_vary_freely_and_recipients_and_names_never(
    name: str, value: Any, varies: VariableArgument | None
):
    assert derive_bound(PARAMETERS[name], value, HOME) == varies


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("https://example.org", "https://example.org"),
        ("https://example.org:443/x", "https://example.org"),
        ("http://example.org:80?x", "http://example.org"),
        ("http://example.org:8080#x", "http://example.org:8080"),
        ("HTTPS://EXAMPLE.ORG/", "https://example.org"),
        ("https://example.org@evil.org/", ""),
        ("https://user:x@example.org/", ""),
        ("https://example.org\\@evil.org/", ""),
        ("https://example.org.evil.org/", "https://example.org.evil.org"),
        ("https://exämple.org/", ""),
        ("https:///x", ""),
        ("javascript:alert(1)", ""),
        ("ftp://example.org/", ""),
        ("https://example.org:port/", ""),
        ("https://example.org .evil.org/", ""),
        ("see https://example.org/", ""),
        ("evil.org?https://example.org/", ""),
        ("http\u017f://example.org/", ""),
        ("https://ban\u212a.example/", ""),
        (" https://example.org/ ", "https://example.org"),
        ("", ""),
    ],
)
def test_a_site_is_scheme_host_and_port_of_a_plain_address(address: str, site: str):
    assert site_of(address) == site


@pytest.mark.parametrize(
    ("varies", "value", "keeps"),
    [
        (VariableArgument("path", "folder", "/home/ana", ".a"), "~/x.a", True),
        (VariableArgument("path", "folder", "/home/ana", ".a"), "~/x.A", False),
        (VariableArgument("path", "folder", "/home/ana", ".a"), "~/x.a/..", False),
        (VariableArgument("path", "folder", "/home/ana", ""), "~", False),
        (VariableArgument("path", "folder", "/", ""), "/x", True),
        (VariableArgument("path", "folder", "", ""), "relative", False),
        (VariableArgument("path", "folder", "/home/ana", ".a"), None, False),
        (VariableArgument("url", "site", "https://example.org"), "https://example.org/x", True),
        (VariableArgument("url", "site", "https://example.org"), "http://example.org/x", False),
        (VariableArgument("url", "site", ""), "nothing", False),
        (VariableArgument("body", "any"), "", True),
        (VariableArgument("body", "any"), 1, False),
        (VariableArgument("body", "any"), None, False),
    ],
)
def test_a_value_keeps_within_what_may_vary(varies: VariableArgument, value: Any, keeps: bool):
    assert keeps_within(varies, value, HOME) is keeps


def test_a_word_out_of_a_few_is_chosen_and_never_varies_whatever_it_is_called():
    titled = replace(PARAMETERS["label"], name="title")

    assert derive_bound(titled, "x", HOME) is None


@pytest.mark.parametrize(
    ("path", "beside"),
    [("/a/x", True), ("/a/.x", False), ("/a/x.y", False), ("/a/", False), ("/a/b/x", False), ("/x", False)],
)
def test_what_stands_beside_has_a_name_directly_in_the_folder_with_the_same_ending(path: str, beside: bool):
    assert is_beside(path, "/a", "") is beside


@pytest.mark.parametrize(
    ("name", "ending"),
    [("a.txt", ".txt"), ("a.tar.gz", ".gz"), ("a", ""), (".a", "."), (".a.toml", "..toml"), ("..a", "."), ("...", ".")],
)
def test_an_ending_is_what_follows_the_last_dot_and_a_dot_in_front_stands_before_it(name: str, ending: str):
    assert ending_of(f"/a/{name}") == ending


def test_what_could_vary_is_named_by_argument():
    found = variable(PARAMETERS, {"path": "~/a.b", "to": "x", "unheard_of": "y"}, HOME)

    assert list(found) == ["path"]


LOCAL = {"files": "local", "desktop": "d"}


class Is(Fact, frozen=True):
    """A thing is of a kind."""

    fact: ClassVar[str] = "is"
    kind: str


class Bare(Fact, frozen=True):
    """Something without a kind is so."""

    fact: ClassVar[str] = "bare"


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


def test_a_loosened_place_takes_names_beside_it_with_its_ending_and_leaves_the_others():
    scope = loosen_scope(scope_of(a_move(), LOCAL), ["/home/ana/Documents/a.txt"])

    assert scope.places == (
        GrantPath("file.rename", "source", "/data/ana/Documents", ".txt"),
        GrantPath("file.rename", "destination", TO),
    )
    assert further(scope, a_move("/data/ana/Documents/z.txt"), LOCAL) is None
    assert further(scope, a_move("/data/ana/Documents/z.sh"), LOCAL) is not None
    assert further(scope, a_move("/data/ana/Documents/d/z.txt"), LOCAL) is not None
    assert further(scope, a_move("/data/ana/Documents/z.txt", "/data/ana/Downloads/z.txt"), LOCAL) is not None


def test_a_place_at_the_top_of_the_disk_is_loosened_too():
    scope = loosen_scope(scope_of(a_move("/a.txt"), LOCAL), ["/a.txt"])

    assert further(scope, a_move("/b.txt"), LOCAL) is None
    assert further(scope, a_move("/c/b.txt"), LOCAL) is not None


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
        (a_case(plan=a_move(FROM, TO, ResultRef(FROM, "unchanged", 0, 0))), "of another kind"),
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
