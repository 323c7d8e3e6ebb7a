"""Each cause for which a server cannot be reached or believed has words of its own, and a domain names its servers."""

import socket
import ssl
from errno import ENETUNREACH

import pytest
from dns.resolver import Resolver

from sayso.providers.accounts import dns
from sayso.providers.accounts.dns import DnsRecords, ServiceAddress, is_host, may_be_asked
from sayso.providers.accounts.errors import (
    APP,
    BUSY,
    EXPIRED,
    NEW_WAY,
    OFF,
    OPEN,
    STALE,
    WEB,
    WRONG,
    chain,
    speaks_no_tls,
    why_not_believed,
    why_not_let_in,
    why_not_reached,
)
from tests.desktop_env.ports import free_port
from tests.mail_env.name_server import name_server


def disbelieved(code: int) -> ssl.SSLCertVerificationError:
    wrong = ssl.SSLCertVerificationError(1, "no")
    wrong.verify_code, wrong.verify_message = code, "because"
    return wrong


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (socket.gaierror(-2, "x"), "no server called “h.test”"),
        (ConnectionRefusedError(), "nothing listens there"),
        (TimeoutError(), "does not answer"),
        (OSError(ENETUNREACH, "x"), "is this computer online?"),
    ],
    ids=["name", "port", "silence", "network"],
)
def test_a_connection_that_cannot_be_has_its_cause(wrong: OSError, said: str):
    outer = RuntimeError("around it")
    outer.__cause__ = wrong

    assert said in why_not_reached(wrong, "h.test")
    assert said in why_not_reached(outer, "h.test")


def test_what_is_none_of_these_has_none():
    assert why_not_reached(OSError(5, "x"), "h.test") == ""
    assert why_not_believed(OSError(5, "x"), "h.test") == ""


@pytest.mark.req("ML-10")
@pytest.mark.parametrize(
    ("code", "said"),
    [
        (62, "for another name than “h.test”"),
        (64, "for another name than “h.test”"),
        (18, "signed by itself"),
        (10, "run out, or this computer's clock is wrong"),
        (20, "vouched for by nobody"),
    ],
)
def test_a_certificate_that_proves_nothing_has_its_cause(code: int, said: str):
    assert said in why_not_believed(disbelieved(code), "h.test")


def test_what_is_no_tls_is_told_from_a_wrong_certificate():
    assert speaks_no_tls(ssl.SSLError(1, "WRONG_VERSION_NUMBER"))
    assert not speaks_no_tls(disbelieved(62))
    assert not speaks_no_tls(OSError(5, "x"))


def test_a_circle_of_causes_ends():
    one, two = RuntimeError("1"), RuntimeError("2")
    one.__cause__, two.__cause__ = two, one

    assert chain(one) == (one, two)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("[ALERT] Application-specific password required: https://support.google.com/accounts/answer/185833", APP),
        ("5.7.9 Application-specific password required. For more information, go to", APP),
        ("5.7.9 Please log in with your web browser and then try again (WebLoginRequired)", WEB),
        ("[AUTHENTICATIONFAILED] Use an app-specific password", APP),
        ("[AUTHENTICATIONFAILED] You need an app password to sign in", APP),
        ("5.7.139 Authentication unsuccessful, basic authentication is disabled.", NEW_WAY),
        ("AUTHENTICATE failed. BasicAuthBlocked", NEW_WAY),
        ("[ALERT] Your account is not enabled for IMAP use. Please visit your Gmail settings page", OFF),
        ("[EXPIRED] That password is no longer valid", EXPIRED),
        ("[PRIVACYREQUIRED] Plaintext authentication disallowed on non-secure (SSL/TLS) connections.", OPEN),
        ("[UNAVAILABLE] Temporary authentication failure.", BUSY),
        ("[AUTHENTICATIONFAILED] Authentication failed.", WRONG),
        ("", WRONG),
    ],
)
def test_each_cause_has_words_of_its_own(said: str, why: str):
    assert why_not_let_in(said) == why


def test_a_token_is_no_password():
    assert why_not_let_in("[AUTHENTICATIONFAILED] oauth2 token invalid", by_token=True) == STALE


@pytest.mark.req("AU-04")
@pytest.mark.parametrize("said", ["no such password: s3cret", "application-specific password required, not s3cret"])
def test_nothing_of_what_was_said_is_repeated(said: str):
    assert "s3cret" not in why_not_let_in(said)


RECORDS = {
    ("_imaps._tcp.x.org", "SRV"): ["20 0 993 b.x.org.", "10 1 993 light.x.org.", "10 9 994 heavy.x.org."],
    ("_imap._tcp.x.org", "SRV"): ["0 0 0 ."],
    ("_odd._tcp.x.org", "SRV"): [r"0 0 993 a\ b\027[2J.x.org.", "1 0 993 good.x.org."],
    ("x.org", "MX"): ["20 b.x.org.", "10 A.X.org."],
    ("_caldavs._tcp.x.org", "TXT"): ['"v=1"', '"path=/dav/"'],
    ("_bad._tcp.x.org", "TXT"): ['"path=/a b"'],
}


def test_the_preferred_server_comes_first():
    with name_server(RECORDS) as resolver:
        names = DnsRecords(resolver)

        assert [one.host for one in names.services("_imaps._tcp.x.org")] == ["heavy.x.org", "light.x.org", "b.x.org"]
        assert names.exchanges("x.org") == ("a.x.org", "b.x.org")
        assert names.path("_caldavs._tcp.x.org") == "/dav/"


def test_what_is_not_offered_or_is_no_name_is_left_out():
    with name_server(RECORDS) as resolver:
        names = DnsRecords(resolver)

        assert names.services("_imap._tcp.x.org") == ()
        assert names.services("_odd._tcp.x.org") == (ServiceAddress("good.x.org", 993),)
        assert names.path("_bad._tcp.x.org") == ""
        assert names.services("_none._tcp.x.org") == ()


def test_name_servers_that_are_not_there_say_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(dns, "SECONDS", 0.1)
    resolver = Resolver(configure=False)
    resolver.nameservers, resolver.port = ["127.0.0.1"], free_port()

    assert DnsRecords(resolver).services("_imaps._tcp.x.org") == ()


@pytest.mark.parametrize("domain", ["x.test", "localhost", "a.localhost", "x", "192.0.2.1", "a b.org", "", "-x.org"])
def test_names_that_nobody_knows_are_not_asked_about(domain: str):
    assert not may_be_asked(domain)


@pytest.mark.parametrize("domain", ["x.org", "mail.x.co.uk", "xn--bcher-kva.example.net"])
def test_names_of_the_net_may_be_asked_about(domain: str):
    assert may_be_asked(domain)
    assert is_host(domain)
