"""Addresses are whole ones, hosts, or known sites; a file's name and a person's name are none."""

import pytest

from sayso.models.embedded.readings import Found, Missing
from tests.models.embedded.scenes import slot


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("reddit", "https://reddit.com"),
        ("Stack Overflow", "https://stackoverflow.com"),
        ("gmail", "https://mail.google.com"),
        ("docs.rs/tokio", "https://docs.rs/tokio"),
        ("http://Example.org/A?b=c#d", "http://Example.org/A?b=c#d"),
        ("localhost:8000", "http://localhost:8000"),
        ("the bbc.co.uk website", "https://bbc.co.uk"),
    ],
)
def test_an_address_is_found(text: str, url: str):
    found = slot("site", text)

    assert isinstance(found, Found)
    assert found.value == url


@pytest.mark.parametrize(
    "text", ["plan.odt.pdf", "report.pdf", "budget.key", "hacker news", "ftp://x.example", "javascript:x", "a b.org"]
)
def test_what_is_no_address_is_none(text: str):
    assert slot("site", text) is None


def test_a_mail_address_is_written_out():
    found = slot("mail", "ana@example.org and bo@example.org")

    assert isinstance(found, Found)
    assert found.value == "ana@example.org, bo@example.org"
    assert isinstance(slot("mail", "Ana"), Missing)
    assert slot("mail", "4 o'clock") is None
