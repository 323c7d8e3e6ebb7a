"""What is known of large providers is encrypted, and goes by who takes the mail of a domain."""

import pytest
from dns.resolver import Resolver

from sayso.providers.accounts.dns import Names
from sayso.providers.mail.account_setup import (
    APPLE,
    GOOGLE,
    MICROSOFT,
    OUTLOOK,
    YAHOO,
    Net,
    Servers,
    Way,
    find_servers,
    known_servers,
    servers_of_exchange,
)
from tests.mail_env.name_server import name_server
from tests.providers.mail.test_account_setup import IMAP, SMTP, file


def test_all_their_servers_are_encrypted():
    for servers in (APPLE, GOOGLE, MICROSOFT, OUTLOOK, YAHOO):
        assert {servers.imap.protection, servers.smtp.protection} <= {"tls", "starttls"}
        assert servers.hint


def test_only_their_own_names_count():
    assert known_servers("gmail.com.example.org") is None
    assert servers_of_exchange(("mx.notgoogle.com", "aspmx.google.com.evil.org")) is None
    found = servers_of_exchange(("x-org.mail.protection.outlook.com",))
    assert found is not None
    assert found.smtp == MICROSOFT.smtp


SRV = {
    ("_imaps._tcp.x.org", "SRV"): ["0 0 993 in.x.org."],
    ("_submission._tcp.x.org", "SRV"): ["0 0 587 out.x.org."],
}
MX = {("x.org", "MX"): ["1 aspmx.l.google.com."]}


def found(
    resolver: Resolver, address: str = "ana@x.org", file: bytes = b"", there: tuple[Way, ...] = ()
) -> Servers | None:
    return find_servers(address, Net(Names(resolver), lambda url: file, lambda way: way in there))


def test_what_the_records_name_comes_before_the_file():
    with name_server(SRV | MX) as resolver:
        servers = found(resolver, file=file(IMAP, SMTP))

    assert servers == Servers(
        Way("in.x.org", 993, "tls"), Way("out.x.org", 587, "starttls"), "named by the SRV records of x.org"
    )


def test_the_file_comes_before_whoever_takes_the_mail():
    with name_server(MX) as resolver:
        servers = found(resolver, file=file(IMAP, SMTP))

    assert servers is not None
    assert servers.found == "named by https://autoconfig.x.org/mail/config-v1.1.xml"


def test_a_domain_whose_mail_google_takes_is_google_s():
    with name_server(MX) as resolver:
        servers = found(resolver)

    assert servers is not None
    assert servers.imap.host == "imap.gmail.com"
    assert "aspmx.l.google.com takes the mail" in servers.found
    assert "app password" in servers.hint


def test_the_usual_names_come_last():
    there = (Way("mail.x.org", 993, "tls"), Way("smtp.x.org", 587, "starttls"))
    with name_server({}) as resolver:
        servers = found(resolver, there=there)
        nothing = found(resolver, there=there[:1])

    assert servers is not None
    assert (servers.imap, servers.smtp) == there
    assert nothing is None


@pytest.mark.parametrize(
    ("address", "host", "hint"),
    [
        ("a@gmail.com", "imap.gmail.com", "app password"),
        ("a@Hotmail.com", "outlook.office365.com", "only a token"),
        ("a@yahoo.com", "imap.mail.yahoo.com", "app password"),
        ("a@me.com", "imap.mail.me.com", "app-specific password"),
    ],
)
def test_large_providers_are_known_without_asking(address: str, host: str, hint: str):
    with name_server({}) as resolver:
        servers = found(resolver, address)

    assert servers is not None
    assert servers.imap.host == host
    assert hint in servers.hint
