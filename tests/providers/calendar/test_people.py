"""Addresses of those who are invited are addresses, each named where it leaves for."""

import pytest

from sayso.core.errors import ProposalError
from sayso.providers.calendar.people import invited, told, warned


def test_each_is_invited_once():
    assert invited([" ana@example.org", "ana@example.org", "ü@example.org"]) == ("ana@example.org", "ü@example.org")


@pytest.mark.req("CA-01")
@pytest.mark.parametrize(
    "address",
    [
        "ana",
        "ana@",
        "@example.org",
        "a@b@c",
        "ana@example.org?bcc=x@y.z",
        "a b@c.d",
        'a"@b.c',
        "a@b.c;x=y",
        "mailto:a@b.c",
    ],
)
def test_what_is_no_address_is_refused(address: str):
    with pytest.raises(ProposalError, match="no mail address"):
        invited([address])


@pytest.mark.req("CA-02")
def test_each_address_is_listed_where_it_leaves_for():
    assert told(("a@b.c", "d@e.f"), "the invitation") == ("the invitation to a@b.c", "the invitation to d@e.f")
    assert warned(("a@b.c",)) == ("a@b.c may be told of this by mail, and that cannot be called back",)
    assert warned(()) == ()
