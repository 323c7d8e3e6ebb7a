"""Lists of addresses are read in one way or refused."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProposalError
from sayso.providers.mail.addresses import Recipient, read_addresses, sender_of

GOOD = [
    ("a@b.c", ["a@b.c"]),
    (" a@b.c ", ["a@b.c"]),
    ("<a@b.c>", ["a@b.c"]),
    ("Ana Ruiz <ana@x.org>", ["Ana Ruiz <ana@x.org>"]),
    ("J. Doe <j@d.e>", ["J. Doe <j@d.e>"]),
    ('"Ruiz, Ana" <a@b.c>', ['"Ruiz, Ana" <a@b.c>']),
    ("a@corp.test,evil@x.test", ["a@corp.test", "evil@x.test"]),
    ("a@b.c, Ana <d@e.f>, g@h.i", ["a@b.c", "Ana <d@e.f>", "g@h.i"]),
    ("a@b.c, a@b.c", ["a@b.c"]),
    ("Müller <m@münchen.de>", ["Müller <m@xn--mnchen-3ya.de>"]),
    ("a+tag@sub.b.co.uk", ["a+tag@sub.b.co.uk"]),
    ("ana@localhost", ["ana@localhost"]),
]
BAD = [
    "", " ", ",", "a", "a@", "@b.c", "a@b@c", "a b@c.d", "a@b..c", "ana.@x.org", ".ana@x.org", "a@-b.c",
    "a@b.c; d@e.f", "a@b.c d@e.f", "a@b.c,,d@e.f", "Ruiz, Ana <a@b.c>", '"ceo@corp.test" <evil@x.test>',
    "ceo@corp.test <evil@x.test>",
    "friends: a@b.c, d@e.f;", "undisclosed:;", "a (comment) <a@b.c>", "a@b.c (comment)", '"q q"@b.c', "@r:a@b.c",
    "a@[1.2.3.4]", "<a@b.c", "a@b.c>", "<<a@b.c>>", '"Ana <a@b.c>', "=?utf-8?q?a=0D=0Ab?= <a@b.c>", "müller@b.c",
    "a@b.c\r\nBcc: evil@x.test", "a@b.c\nevil@x.test", "a@b.c\x00", "a@b.c\x0b", "a@b.c\x0c", "a@b.c\x85",
    "a@b.c\u2028",
    f"{'a' * 65}@b.c", f"a@{'b' * 64}.c", f"a@{'.'.join(['bcdefghi'] * 30)}", "a@b.c\\", r'"a\"b" <a@b.c>',
]  # fmt: skip


@pytest.mark.req("ML-03")
@pytest.mark.parametrize(("text", "wanted"), GOOD, ids=[text for text, _ in GOOD])
def test_a_list_is_read_address_by_address(text: str, wanted: list[str]):
    assert [str(recipient) for recipient in read_addresses(text, "to")] == wanted


@pytest.mark.req("ML-03")
@pytest.mark.parametrize("text", BAD, ids=ascii)
def test_what_could_be_meant_in_two_ways_is_refused(text: str):
    with pytest.raises(ProposalError, match="“to”"):
        read_addresses(text, "to")


def test_more_addresses_than_a_person_can_look_at_are_refused():
    assert len(read_addresses(",".join(f"a{n}@b.c" for n in range(100)), "to")) == 100

    with pytest.raises(ProposalError, match="101"):
        read_addresses(",".join(f"a{n}@b.c" for n in range(101)), "to")


@given(st.text(alphabet=string.ascii_letters + '@<>",.;:()[]\\ =?\r\n\x00ü-', max_size=30))
def test_any_text_is_read_into_plain_addresses_or_refused(text: str):
    try:
        recipients = read_addresses(text, "to")
    except ProposalError:
        return

    assert recipients
    assert text.count("@") >= len(recipients)
    for recipient in recipients:
        local, _, domain = recipient.address.partition("@")
        assert local
        assert domain
        assert not set(recipient.address) & set('<>",;:()[]\\ \r\n\x00')
        assert read_addresses(str(recipient), "to") == (Recipient(recipient.address, recipient.name),)


@pytest.mark.parametrize(
    ("address", "name", "sender"),
    [
        ("a@b.c", "", "a@b.c"),
        ("a@b.c", "Ana Ruiz", "Ana Ruiz <a@b.c>"),
        ("a@b.c", "Ruiz, Ana", '"Ruiz, Ana" <a@b.c>'),
        ("m@münchen.de", "Mü", "Mü <m@xn--mnchen-3ya.de>"),
        ("a@b.c", "Ana B.", '"Ana B." <a@b.c>'),
        ("m@..", "", "m@.."),
    ],
)
def test_a_sender_is_written_so_that_it_is_read_as_one(address: str, name: str, sender: str):
    assert sender_of(address, name) == sender
