"""How a permission is learnt from an action, what may vary in it, when there is none, and how it is worded."""

from typing import Any, Literal

import pytest
from msgspec.structs import fields, replace

from sayso.core.decision import Verdict
from sayso.core.errors import Refused, SetupError
from sayso.core.grant import Grant, VariableArgument, Wish
from sayso.core.operation import Operation
from sayso.core.plan import Plan
from sayso.core.schema import Ids, Index, Line, Text, UserPath, When
from sayso.policy.case import Case
from sayso.policy.grants import (
    could_vary,
    derive_bound,
    derive_grant,
    ending_of,
    is_beside,
    keeps_within,
    never,
    offer_digest,
    site_of,
    variable,
    why_not,
)
from sayso.policy.wording import reach_words, varies_words, word_grant
from tests.policy.given import (
    ARGUMENTS,
    DELETE,
    HOME,
    POLICY,
    SERVED,
    a_move_case,
    a_plan,
    learnt,
    operation,
    taking,
    with_policy,
)

ASKED = Verdict("ask", "mode asks", "mode", "mode")


def test_by_itself_everything_is_fixed():
    grant = learnt()

    assert (grant.fixed, grant.varies, grant.policy, grant.home) == (ARGUMENTS, (), POLICY.hash, POLICY.real_own)
    assert (grant.most_uses, grant.handler, grant.uses) == (None, None, 0)
    assert (grant.created, grant.expires) == ("2026-11-21T12:00:00.000Z", "2026-12-21T12:00:00.000Z")
    assert [place.ending for place in grant.scope.places] == [None, None]
    assert [one.argument for one in could_vary(a_move_case())] == ["source", "destination"]


def test_only_what_was_named_varies_within_its_bound():
    grant = learnt("source")

    assert grant.fixed == {"destination": "~/Downloads/b.txt"}
    assert grant.varies == (VariableArgument("source", "folder", "/home/ana/Documents", ".txt"),)
    assert [place.ending for place in grant.scope.places] == [".txt", None]


def test_what_is_not_given_yet_has_no_id_and_is_for_as_often_as_wished_by_the_same_handler():
    offered = derive_grant(a_move_case(), replace(SERVED, handler="sha256:1"), vary=(), seconds=None, uses=3)

    assert (offered.id, offered.most_uses, offered.handler) == ("", 3, "sha256:1")


def test_it_holds_as_long_as_wished_and_never_longer_than_the_settings_say():
    def expires(seconds: int | None) -> str:
        return derive_grant(a_move_case(), SERVED, vary=(), seconds=seconds, uses=None).expires

    assert expires(7 * 86400) == "2026-11-28T12:00:00.000Z"
    assert expires(1) == "2026-11-21T12:00:01.000Z"
    assert expires(30 * 86400) == expires(None)
    for wrong in (30 * 86400 + 1, 0, -1):
        with pytest.raises(SetupError, match="at most 30 days") as said:
            expires(wrong)
        assert said.value.code == "grant.too_long_for"
    with pytest.raises(SetupError, match="at most 90 seconds"):
        derive_grant(a_move_case(with_policy(grant_expires=90)), SERVED, vary=(), seconds=91, uses=None)


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
        (Verdict("allow", "nothing speaks against it", "default"), "nothing was asked about it"),
        (Verdict("deny", "no", "roots"), "nothing was asked about it"),
        (Verdict("ask", "text from outside was read", "outside_text", "floor"), "text from outside was read"),
        (Verdict("ask", "you edited this", "edited", "click"), "you edited this"),
    ],
)
def test_none_is_learnt_where_something_else_than_the_mode_asked(verdict: Verdict | None, because: str):
    wrong = never(a_move_case(), verdict)

    assert isinstance(wrong, Refused)
    assert (wrong.code, wrong.rule) == ("grant.not_possible", "grants")
    assert str(wrong) == f"no standing permission covers what was asked there: {because}"


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


MANY = taking(
    path=UserPath, url=Line, title=Line, to=Line, name=Line, subject=Line, body=Text, start=When, ids=Ids, index=Index,
    parts=list[Text], label=Literal["title", "x"],
)  # fmt: skip
PARAMETERS = {one.name: one for one in Operation("thing.do", "write", "mode", MANY).parameters}


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


def test_what_stands_beside_has_a_name_directly_in_the_folder_with_the_same_ending():
    assert is_beside("/a/x", "/a", "")
    for path in ("/a/.x", "/a/x.y", "/a/", "/a/b/x", "/x"):
        assert not is_beside(path, "/a", "")


@pytest.mark.parametrize(
    ("name", "ending"),
    [("a.txt", ".txt"), ("a.tar.gz", ".gz"), ("a", ""), (".a", "."), (".a.toml", "..toml"), ("..a", "."), ("...", ".")],
)
def test_an_ending_is_what_follows_the_last_dot_and_a_dot_in_front_stands_before_it(name: str, ending: str):
    assert ending_of(f"/a/{name}") == ending


def test_what_could_vary_is_named_by_argument():
    found = variable(PARAMETERS, {"path": "~/a.b", "to": "x", "unheard_of": "y"}, HOME)

    assert list(found) == ["path"]


def test_one_sentence_says_all_of_it():
    assert word_grant(learnt("destination", most_uses=5), "") == (
        'file.move without asking where source = "~/Documents/a.txt", destination is any name ending in “.txt” '
        "directly in “/home/ana/Downloads”, until 2026-12-21T12:00:00.000Z, 5 times at most"
    )


def test_without_arguments_there_is_nothing_to_say_of_them():
    grant = learnt(fixed={}, most_uses=1)

    assert word_grant(grant, "") == "file.move without asking, until 2026-12-21T12:00:00.000Z, once"
    assert word_grant(replace(grant, most_uses=None), "") == "file.move without asking, until 2026-12-21T12:00:00.000Z"


def test_a_long_value_is_shortened_with_its_length():
    whole, longer = '"' + "x" * 198 + '"', '"' + "x" * 199

    assert f" content = {whole}, until" in word_grant(learnt(fixed={"content": "x" * 198}), "")
    assert f" content = {longer}… (201 characters), until" in word_grant(learnt(fixed={"content": "x" * 199}), "")
    assert f" content = {longer}… (1,002 characters), until" in word_grant(learnt(fixed={"content": "x" * 1000}), "")


@pytest.mark.parametrize(
    ("varies", "words"),
    [
        (VariableArgument("a", "folder", "/home/ana/D", ".pdf"), "any name ending in “.pdf” directly in “~/D”"),
        (VariableArgument("a", "folder", "/home/ana", ""), "any name without an ending directly in “~”"),
        (
            VariableArgument("a", "folder", "/home/anabel", "."),
            "any name with a dot in front, without an ending, directly in “/home/anabel”",
        ),
        (
            VariableArgument("a", "folder", "/x", "..toml"),
            "any name with a dot in front, ending in “.toml”, directly in “/x”",
        ),
        (VariableArgument("a", "site", "https://example.org"), "any address of https://example.org"),
        (VariableArgument("a", "any"), "anything"),
    ],
)
def test_what_may_vary_is_said_with_its_bound(varies: VariableArgument, words: str):
    assert varies_words(varies, "/home/ana") == words


def test_what_must_be_as_it_was_is_said():
    grant = learnt()
    scope = replace(grant.scope, apps=("Mail",), sends=("a letter",), loses=True, kinds=("free", "unchanged file"))

    assert reach_words(grant)[-1] == "nothing may be replaced by it"
    assert reach_words(replace(grant, scope=scope)) == [
        "the same operation in this home, files by local",
        "only with “Mail”",
        "sends nothing but: a letter",
        "what is there is a file, as it was then",
        "it may replace or take away what stands there",
    ]
    assert reach_words(replace(grant, scope=replace(scope, backends={})))[0] == "the same operation in this home"


def test_as_it_is_given_it_was_never_used_holds_and_cannot_be_widened_in_place():
    grant = Grant("grant_1", "file.move", {}, "2026-12-21T12:00:00Z", "2026-11-21T12:00:00Z")

    assert (grant.uses, grant.last_used, grant.revoked, grant.varies) == (0, None, False, ())
    assert (Wish("do_1").vary, Wish("do_1").seconds, Wish("do_1").uses) == ((), None, None)
    for field in fields(Grant):
        with pytest.raises(AttributeError):
            setattr(grant, field.name, None)
