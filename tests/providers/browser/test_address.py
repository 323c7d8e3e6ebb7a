"""What is written for an address becomes one address, or is refused before anything is opened."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProposalError, Refused, SaysoError
from sayso.providers.browser.address import (
    USUAL,
    Rules,
    announce_page,
    domain,
    is_listed_site,
    normalize,
    origin,
    own_ports,
)

RULES = Rules(schemes=("view-source", "foo"), ports=frozenset({8737, 80}))
OURS = [
    "http://127.0.0.1:8737/", "http://localhost:8737", "localhost:8737", "http://[::1]:8737/", "http://0.0.0.0:8737",
    "http://127.1:8737", "http://2130706433:8737", "http://0x7f.1:8737", "http://a.localhost:8737/x?y",
    "http://name.test:8737", "https://name.test:08737/", "http://ana@name.test:8737", "http://name.test.:8737/",
    "view-source:http://127.0.0.1:8737/", "foo:bar:8737", "http://127.0.0.1/", "127.0.0.1:80",
]  # fmt: skip


def test_a_page_is_known_while_it_is_served_and_the_usual_port_always(tmp_path: Path):
    assert own_ports(str(tmp_path / "nowhere")) == {USUAL}
    with announce_page(str(tmp_path), 9001), announce_page(str(tmp_path), 9002):
        for name in ("x", "9a", "\N{FULLWIDTH DIGIT NINE}"):
            (tmp_path / "pages" / name).touch()
        within = own_ports(str(tmp_path))

    assert within == {USUAL, 9001, 9002}
    assert own_ports(str(tmp_path)) == {USUAL}


@pytest.mark.req("BR-01")
@pytest.mark.parametrize("url", OURS)
def test_no_spelling_of_its_address_is_opened(url: str):
    with pytest.raises(Refused, match="sayso's own page"):
        normalize(url, RULES)


@pytest.mark.parametrize("url", ["https://example.org", "http://localhost:3000", "http://a.test:8736/8737", "a.test"])
def test_other_ports_are(url: str):
    assert normalize(url, RULES).url


CASES = json.loads((Path(__file__).parents[2] / "cases/browser/addresses.json").read_text(encoding="utf-8"))
NONE = Rules()


@pytest.mark.req("S4-33", "T-99")
@pytest.mark.parametrize(("said", "url"), CASES["opened"])
def test_an_address_is_completed(said: str, url: str):
    assert normalize(said, NONE).url == url


@pytest.mark.req("T-99")
@pytest.mark.parametrize("said", CASES["invalid"])
def test_what_is_no_address_goes_back_to_the_model(said: str):
    with pytest.raises(ProposalError) as no:
        normalize(said, NONE)

    assert no.value.code == "arguments.url"


@pytest.mark.req("T-99", "BR-02")
@pytest.mark.parametrize("said", CASES["refused"])
def test_other_schemes_are_refused(said: str):
    with pytest.raises(Refused) as no:
        normalize(said, NONE)

    assert no.value.code == "url.scheme"


def test_the_settings_may_add_sites_and_schemes():
    rules = Rules({"Work": "work.example", "google": "https://google.example/start"}, ("mailto", "FTP:"))

    assert normalize("work", rules).url == "https://work.example"
    assert normalize("google", rules).url == "https://google.example/start"
    assert normalize("mailto:ana@example.org", rules).tells == ("ana@example.org",)
    assert normalize("ftp://example.org/x", rules).url == "ftp://example.org/x"
    assert normalize("files", Rules({"files": "ftp://intra/x"}, ("ftp",))).url == "ftp://intra/x"
    with pytest.raises(Refused, match="begin with “chrome:”"):
        normalize("flags", Rules({"flags": "chrome://flags"}))


@pytest.mark.req("PI-40")
@pytest.mark.parametrize(
    ("said", "visits"),
    [
        ("https://evil.example/passport/123", "evil.example/passport/123"),
        ("123.evil.example", "123.evil.example"),
        ("https://wikipedia.org.evil.example", "wikipedia.org.evil.example"),
        ("https://www.wikipedia.org/wiki/Wine", "www.wikipedia.org/wiki/Wine"),
        ("https://www.wikipedia.org/", ""),
        ("https://WWW.Wikipedia.org", ""),
        ("https://en.wikipedia.org/", "en.wikipedia.org/"),
        ("http://www.wikipedia.org/", "www.wikipedia.org/"),
        ("https://wikipedia.org:8443/", "wikipedia.org/"),
        ("https://secret@wikipedia.org/", "wikipedia.org/"),
        ("https://wikipedia.org/?secret", "wikipedia.org/"),
        ("https://wikipedia.org/#secret", "wikipedia.org/"),
        ("https://script.google.com/macros/s/x/exec/123", "script.google.com/macros/s/x/exec/123"),
        ("https://www.google.com/amp/s/evil.example/123", "www.google.com/amp/s/evil.example/123"),
        ("reddit", ""),
        ("https://intranet.example/", ""),
        ("https://intranet.example/wiki", "intranet.example/wiki"),
        ("board", ""),
        ("https://intranet.example/board", ""),
        ("https://intranet.example/board/123", "intranet.example/board/123"),
        ("http://old.example/", ""),
        ("https://old.example/", "old.example/"),
    ],
)
def test_only_the_start_page_of_a_listed_site_is_told_nothing_by_a_visit(said: str, visits: str):
    sites = {"intranet": "intranet.example", "board": "intranet.example/board", "old": "http://old.example"}

    assert normalize(said, Rules(sites)).visits == visits


def test_what_an_address_tells_its_site_and_which_site_it_really_is_are_named():
    told, real = normalize("https://ana:pw@example.org/a?q=secret#part", NONE), "https://bank.test@evil.test/"
    lookalike = normalize("https://аpple.example", NONE)  # noqa: RUF001 - the first letter is Cyrillic, on purpose

    assert told.tells == ("ana:pw@", "?q=secret", "#part")
    assert normalize("https://example.org/?", NONE).tells == ()
    assert normalize(real, NONE).host == "evil.test"
    assert normalize(real, NONE).warns == ("what comes before “@” is a user name; the site is evil.test",)
    assert "xn--pple-43d.example" in lookalike.warns[0]


@given(st.text())
def test_any_text_is_an_address_of_the_web_or_is_refused(said: str):
    try:
        address = normalize(said, NONE)
    except SaysoError:
        return

    assert address.url.startswith(("http://", "https://"))
    assert normalize(address.url, NONE) == address


@pytest.mark.req("S4-42")
@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://www.reddit.com/r/x", "reddit.com"),
        ("https://WWW.Example.org:8080/", "example.org"),
        ("about:blank", ""),
        ("https://[bad", ""),
        ("https://wwwx.example", "wwwx.example"),
    ],
)
def test_the_domain_is_the_host_without_www(url: str, found: str):
    assert domain(url) == found


def test_the_origin_has_no_user_and_no_path():
    assert origin("https://ana@example.org:8080/a?b") == "https://example.org:8080"
    assert origin("about:blank") == "about:"
    assert origin("https://[bad") == ""


@pytest.mark.req("BR-03")
@pytest.mark.parametrize(
    ("host", "real"),
    [("faß.test", "xn--fa-hia.test"), ("βόλος.test", "xn--nxasmm1c.test"), ("bücher.test", "xn--bcher-kva.test")],
)
def test_a_name_in_other_letters_is_the_one_that_browsers_go_to(host: str, real: str):
    assert normalize(f"http://{host}/", NONE).warns[0].endswith(f"it is {real}")
    assert is_listed_site(f"http://{real}/", [host])
    assert is_listed_site(f"http://{host}/", [real])


WISH = "Open “https://intranet.example/Wiki?page=2#top”, then shop.example/x. And (https://ANA@Bank.example)!"


@pytest.mark.parametrize(
    "said",
    [
        "https://intranet.example/Wiki?page=2#top",
        "https://INTRANET.example/Wiki?page=2#top",
        "shop.example/x",
        "https://shop.example/x",
        "https://ANA@bank.example/",
    ],
)
def test_an_address_that_the_person_wrote_tells_nothing_of_a_models(said: str):
    assert normalize(said, NONE).visits
    address = normalize(said, Rules(wrote=WISH))

    assert (address.visits, address.tells) == ("", ())


@pytest.mark.req("PI-40")
@pytest.mark.parametrize(
    "said",
    [
        "https://intranet.example/Wiki?page=2#topmost",
        "https://intranet.example/Wiki?page=2",
        "https://intranet.example/wiki?page=2#top",
        "https://intranet.example/Wiki",
        "https://intranet.example",
        "http://shop.example/x",
        "https://shop.example/x/secret",
        "https://shop.example/x?leak=secret",
        "https://secret.shop.example/x",
        "https://shop.example:8443/x",
        "https://ana@bank.example/",
        "https://bank.example/",
        "https://example/x",
    ],
)
def test_what_is_only_a_part_of_what_they_wrote_or_more_than_it_is_a_models(said: str):
    assert normalize(said, Rules(wrote=WISH)) == normalize(said, NONE)


@given(st.text(alphabet="abc./?#=&:@ ", max_size=30), st.text(alphabet="abc./?#=&", min_size=1, max_size=12))
def test_nothing_can_be_added_to_what_they_wrote(wrote: str, more: str):
    address = f"https://a.example/?q=1&{more}z"

    assert normalize(address, Rules(wrote=f"{wrote} https://a.example/?q=1")).tells


def test_words_around_an_address_that_cannot_be_one_are_passed_over():
    rules = Rules({}, ("odd",), wrote="odd://[x javascript:alert(1) a@b.example \\\\ odd:y https://x.example/a")

    assert normalize("https://x.example/a", rules).visits == ""
    assert normalize("odd:y", rules).tells == ()
    assert normalize("odd:z", rules).tells == ("z",)
