"""The settings that are written mean the very servers that were shown."""

from dataclasses import replace

import pytest

from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.providers.mail.imap.account import account_of
from sayso.providers.mail.joining.servers import Protection, Servers, Way, settings_of, usual_protection
from sayso.providers.mail.smtp.server import read_server
from sayso.runtime.ids import RandomIds
from sayso.testing.fakes import FakeClock

GROUND = Ground({}, "/h", "/h/s", (), FakeClock(), RandomIds())


@pytest.mark.parametrize(
    ("host", "imap", "smtp", "tls"),
    [
        ("m.org", (993, "tls"), (465, "tls"), None),
        ("m.org", (993, "tls"), (587, "starttls"), None),
        ("m.org", (143, "starttls"), (587, "starttls"), None),
        ("m.org", (143, "starttls"), (465, "tls"), None),
        ("m.org", (1993, "tls"), (1465, "tls"), "tls"),
        ("m.org", (1143, "starttls"), (1587, "starttls"), "starttls"),
        ("m.org", (143, "none"), (25, "none"), False),
        ("127.0.0.1", (1143, "none"), (1025, "none"), None),
        ("localhost", (1993, "tls"), (1587, "starttls"), True),
    ],
    ids=str,
)
def test_what_is_read_of_them_is_what_was_meant(
    host: str, imap: tuple[int, Protection], smtp: tuple[int, Protection], tls: object
):
    settings = settings_of(Servers(Way(host, *imap), Way(host, *smtp)), GROUND, "ana", "ana@m.org")

    account, server = account_of(replace(GROUND, settings=settings)), read_server(settings)
    assert settings.get("tls") == tls
    assert (account.host, account.port, account.user) == (host, imap[0], "ana")
    assert account.guard in ({"plain", "loopback"} if imap[1] == "none" else {imap[1]})
    assert (server.port, server.protection, server.user) == (*smtp, "ana")


def test_two_ways_that_one_setting_cannot_mean_are_told():
    servers = Servers(Way("m.org", 1143, "starttls"), Way("m.org", 1465, "tls"))

    with pytest.raises(SetupError, match=r"m\.org:1143, STARTTLS and m\.org:1465, TLS cannot both be set"):
        settings_of(servers, GROUND, "ana", "ana@m.org")


def test_a_port_that_everybody_knows_says_how_it_is_protected():
    assert [usual_protection(port) for port in (993, 465, 143, 587, 1143)] == [
        "tls",
        "tls",
        "starttls",
        "starttls",
        None,
    ]
