"""What may vary of an argument, and within what: names beside a name, addresses of a site, texts that name nothing."""

from dataclasses import replace
from typing import Any, Literal

import pytest

from sayso.core.arguments import Ids, Index, Line, Text, UserPath, When
from sayso.core.grant import Varies
from sayso.core.operation import Operation
from sayso.core.plan import Plan
from sayso.policy.varying import bound, ending_of, is_beside, keeps_within, site_of, variable

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
        ("path", "~/Documents/a.pdf", Varies("path", "folder", "/home/ana/Documents", ".pdf")),
        ("path", "/x/y/../a.tar.gz/", Varies("path", "folder", "/x", ".gz")),
        ("path", "~/Documents/README", Varies("path", "folder", "/home/ana/Documents", "")),
        ("path", "~/.profile", Varies("path", "folder", "/home/ana", ".")),
        ("path", "~/.a.toml", Varies("path", "folder", "/home/ana", "..toml")),
        ("path", "/", None),
        ("path", "relative", None),
        ("url", "https://Example.org/a?b", Varies("url", "site", "https://example.org")),
        ("url", "example", None),
        ("title", "Meeting", Varies("title", "any")),
        ("body", "…", Varies("body", "any")),
        ("start", "2026-11-22", Varies("start", "any")),
        ("subject", "About it", Varies("subject", "any")),
        ("label", "x", None),
        ("parts", ["…"], None),
        ("to", "ana@example.org", None),
        ("name", "Mail", None),
        ("ids", ["1"], None),
        ("index", 1, None),
    ],
)
def test_only_what_names_nothing_may_vary_freely_and_recipients_and_names_never(
    name: str, value: Any, varies: Varies | None
):
    assert bound(PARAMETERS[name], value, HOME) == varies


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
        (Varies("path", "folder", "/home/ana", ".a"), "~/x.a", True),
        (Varies("path", "folder", "/home/ana", ".a"), "~/x.A", False),
        (Varies("path", "folder", "/home/ana", ".a"), "~/x.a/..", False),
        (Varies("path", "folder", "/home/ana", ""), "~", False),
        (Varies("path", "folder", "/", ""), "/x", True),
        (Varies("path", "folder", "", ""), "relative", False),
        (Varies("path", "folder", "/home/ana", ".a"), None, False),
        (Varies("url", "site", "https://example.org"), "https://example.org/x", True),
        (Varies("url", "site", "https://example.org"), "http://example.org/x", False),
        (Varies("url", "site", ""), "nothing", False),
        (Varies("body", "any"), "", True),
        (Varies("body", "any"), 1, False),
        (Varies("body", "any"), None, False),
    ],
)
def test_a_value_keeps_within_what_may_vary(varies: Varies, value: Any, keeps: bool):
    assert keeps_within(varies, value, HOME) is keeps


def test_a_word_out_of_a_few_is_chosen_and_never_varies_whatever_it_is_called():
    titled = replace(PARAMETERS["label"], name="title")

    assert bound(titled, "x", HOME) is None


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
