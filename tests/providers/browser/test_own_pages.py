"""Ports of sayso's own pages are known while they are served, and the usual one always."""

from pathlib import Path

import pytest

from sayso.core.errors import Refused
from sayso.providers.browser.address import Rules, normalised
from sayso.providers.browser.own_pages import USUAL, announced, own_ports

RULES = Rules(schemes=("view-source", "foo"), ports=frozenset({8737, 80}))
OURS = [
    "http://127.0.0.1:8737/", "http://localhost:8737", "localhost:8737", "http://[::1]:8737/", "http://0.0.0.0:8737",
    "http://127.1:8737", "http://2130706433:8737", "http://0x7f.1:8737", "http://a.localhost:8737/x?y",
    "http://name.test:8737", "https://name.test:08737/", "http://ana@name.test:8737", "http://name.test.:8737/",
    "view-source:http://127.0.0.1:8737/", "foo:bar:8737", "http://127.0.0.1/", "127.0.0.1:80",
]  # fmt: skip


def test_the_usual_port_is_known_while_nothing_is_served(tmp_path: Path):
    assert own_ports(str(tmp_path / "nowhere")) == {USUAL}


def test_a_page_is_known_while_it_is_served(tmp_path: Path):
    with announced(str(tmp_path), 9001), announced(str(tmp_path), 9002):
        within = own_ports(str(tmp_path))

    assert within == {USUAL, 9001, 9002}
    assert own_ports(str(tmp_path)) == {USUAL}


def test_what_is_no_port_is_left_out(tmp_path: Path):
    (tmp_path / "pages").mkdir()
    for name in ("x", "9a", "\N{FULLWIDTH DIGIT NINE}"):
        (tmp_path / "pages" / name).touch()

    assert own_ports(str(tmp_path)) == {USUAL}


@pytest.mark.req("BR-01")
@pytest.mark.parametrize("url", OURS)
def test_no_spelling_of_its_address_is_opened(url: str):
    with pytest.raises(Refused, match="sayso's own page"):
        normalised(url, RULES)


@pytest.mark.parametrize("url", ["https://example.org", "http://localhost:3000", "http://a.test:8736/8737", "a.test"])
def test_other_ports_are(url: str):
    assert normalised(url, RULES).url
