"""What name servers say is put in order, and what no host can be called is left out."""

import pytest
from dns.resolver import Resolver

from sayso.providers.accounts import dns
from sayso.providers.accounts.dns import DnsRecords, ServiceAddress, is_host, may_be_asked
from tests.desktop_env.ports import free_port
from tests.mail_env.name_server import name_server

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
