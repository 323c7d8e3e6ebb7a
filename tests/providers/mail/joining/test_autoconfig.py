"""The file in which a domain names its servers is read; what is not encrypted, or no server, is left out."""

import pytest

from sayso.providers.mail.joining.autoconfig import MOST, addresses, servers_in
from sayso.providers.mail.joining.servers import Way

SERVER = "<{0}Server type='{1}'><hostname>{2}</hostname><port>{3}</port><socketType>{4}</socketType>{5}</{0}Server>"
FILE = "<clientConfig version='1.1'><emailProvider id='x'>{}</emailProvider></clientConfig>"
POP = ("incoming", "pop3", "pop.x.org", 995, "SSL", "")
OPEN = ("incoming", "imap", "open.x.org", 143, "plain", "")
IMAP = ("incoming", "imap", "IMAP.x.org", 993, "SSL", "<username>%EMAILLOCALPART%</username>")
SMTP = ("outgoing", "smtp", "smtp.%EMAILDOMAIN%", 587, "STARTTLS", "<username>%EMAILADDRESS%</username>")


def file(*servers: tuple[object, ...]) -> bytes:
    return FILE.format("".join(SERVER.format(*one) for one in servers)).encode()


def test_the_first_encrypted_servers_are_taken():
    found = servers_in(file(POP, OPEN, IMAP, SMTP), "ana@x.org", "somewhere")

    assert found is not None
    assert (found.imap, found.smtp) == (Way("imap.x.org", 993, "tls"), Way("smtp.x.org", 587, "starttls"))
    assert (found.user, found.found) == ("ana", "named by somewhere")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>not found",
        file(IMAP),
        file(OPEN, SMTP),
        file(IMAP, ("outgoing", "smtp", "a b", 587, "SSL", "")),
        file(IMAP, ("outgoing", "smtp", "smtp.x.org", 70000, "SSL", "")),
        file(IMAP, ("outgoing", "smtp", "smtp.x.org", "x", "SSL", "")),
        b"<!DOCTYPE x [<!ENTITY a 'b'>]>" + file(IMAP, SMTP),
        ("<?xml version='1.0' encoding='utf-16'?>" + file(IMAP, SMTP).decode()).encode("utf-16"),
        file(IMAP, SMTP) + b" " * MOST,
    ],
)
def test_a_file_that_names_no_two_servers_names_none(data: bytes):
    assert servers_in(data, "ana@x.org", "somewhere") is None


def test_nobody_is_told_who_asks():
    assert all(url.startswith("https://") and "@" not in url for url in addresses("x.org"))
