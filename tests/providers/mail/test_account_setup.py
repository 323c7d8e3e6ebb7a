"""The settings that are written mean the very servers that were shown."""

import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from dns.resolver import Resolver
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.ports import BackendContext
from sayso.providers.accounts.dns import DnsRecords
from sayso.providers.mail.account import account_of, read_server
from sayso.providers.mail.account_setup import (
    APPLE,
    GOOGLE,
    MICROSOFT,
    MOST,
    OUTLOOK,
    YAHOO,
    MailEndpoint,
    MailServers,
    Network,
    Protection,
    autoconfig_urls,
    fetch_text,
    find_servers,
    known_servers,
    parse_autoconfig,
    server_answers,
    servers_of_exchange,
    settings_of,
    this_network,
    try_reading,
    try_sending,
    usual_protection,
)
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from tests.desktop_env.ports import free_port
from tests.mail_env.dovecot import WORD, accounts
from tests.mail_env.name_server import name_server
from tests.mail_env.smtp import PASSWORD, USER, smtp

pytestmark = pytest.mark.needs("openssl")
GROUND = BackendContext({}, "/h", "/h/s", (), FakeClock(), RandomIds())


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
    settings = settings_of(
        MailServers(MailEndpoint(host, *imap), MailEndpoint(host, *smtp)), GROUND, "ana", "ana@m.org"
    )

    account, server = account_of(replace(GROUND, settings=settings)), read_server(settings)
    assert settings.get("tls") == tls
    assert (account.host, account.port, account.user) == (host, imap[0], "ana")
    assert account.protection in ({"plain", "loopback"} if imap[1] == "none" else {imap[1]})
    assert (server.port, server.protection, server.user) == (*smtp, "ana")


def test_two_ways_that_one_setting_cannot_mean_are_told():
    servers = MailServers(MailEndpoint("m.org", 1143, "starttls"), MailEndpoint("m.org", 1465, "tls"))

    with pytest.raises(SetupError, match=r"m\.org:1143, STARTTLS and m\.org:1465, TLS cannot both be set"):
        settings_of(servers, GROUND, "ana", "ana@m.org")


def test_a_port_that_everybody_knows_says_how_it_is_protected():
    known = ["tls", "tls", "starttls", "starttls", None]
    assert [usual_protection(port) for port in (993, 465, 143, 587, 1143)] == known


SERVER = "<{0}Server type='{1}'><hostname>{2}</hostname><port>{3}</port><socketType>{4}</socketType>{5}</{0}Server>"
FILE = "<clientConfig version='1.1'><emailProvider id='x'>{}</emailProvider></clientConfig>"
POP = ("incoming", "pop3", "pop.x.org", 995, "SSL", "")
OPEN = ("incoming", "imap", "open.x.org", 143, "plain", "")
IMAP = ("incoming", "imap", "IMAP.x.org", 993, "SSL", "<username>%EMAILLOCALPART%</username>")
SMTP = ("outgoing", "smtp", "smtp.%EMAILDOMAIN%", 587, "STARTTLS", "<username>%EMAILADDRESS%</username>")


def file(*servers: tuple[object, ...]) -> bytes:
    return FILE.format("".join(SERVER.format(*one) for one in servers)).encode()


def test_the_first_encrypted_servers_are_taken():
    found = parse_autoconfig(file(POP, OPEN, IMAP, SMTP), "ana@x.org", "somewhere")

    assert found is not None
    assert (found.imap, found.smtp) == (
        MailEndpoint("imap.x.org", 993, "tls"),
        MailEndpoint("smtp.x.org", 587, "starttls"),
    )
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
    assert parse_autoconfig(data, "ana@x.org", "somewhere") is None


def test_nobody_is_told_who_asks():
    assert all(url.startswith("https://") and "@" not in url for url in autoconfig_urls("x.org"))


def ground(**settings: Json) -> BackendContext:
    return BackendContext(settings, "/h", "/h/s", (), FakeClock(), RandomIds())


@pytest.mark.needs("dovecot")
def test_reading_is_tried_with_the_password_that_is_given():
    with accounts() as there:
        on = ground(host="127.0.0.1", port=there.port, user=there.person())

        try_reading(on, WORD, 10)
        with pytest.raises(SetupError, match="did not let"):
            try_reading(on, "wrong", 10)


async def test_a_server_that_takes_mail_is_asked_and_gets_none():
    with smtp(login=True) as post:
        settings: dict[str, Json] = {"smtp_host": "127.0.0.1", "smtp_port": post.port, "user": USER, "address": USER}

        await try_sending(ground(**settings), PASSWORD, 5)

        assert post.heard[-1] == f"MAIL {USER}"
        assert post.accepted == []
        with pytest.raises(SetupError, match="did not take the password"):
            await try_sending(ground(**settings), "wrong", 5)
        with pytest.raises(SetupError, match="takes mail only from those who sign in"):
            await try_sending(ground(**{**settings, "user": ""}), "", 5)


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
    resolver: Resolver, address: str = "ana@x.org", file: bytes = b"", there: tuple[MailEndpoint, ...] = ()
) -> MailServers | None:
    return find_servers(address, Network(DnsRecords(resolver), lambda url: file, lambda way: way in there))


def test_what_the_records_name_comes_before_the_file():
    with name_server(SRV | MX) as resolver:
        servers = found(resolver, file=file(IMAP, SMTP))

    assert servers == MailServers(
        MailEndpoint("in.x.org", 993, "tls"),
        MailEndpoint("out.x.org", 587, "starttls"),
        "named by the SRV records of x.org",
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
    there = (MailEndpoint("mail.x.org", 993, "tls"), MailEndpoint("smtp.x.org", 587, "starttls"))
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


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response({"/there": 200, "/moved": 302}.get(self.path, 404))
        self.send_header("Location", "/there")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_request(self, code: object = "", size: object = "") -> None:
        pass


@pytest.fixture(scope="module")
def page(certificate: Path) -> Iterator[str]:
    """Return the address of a server that proves that it is “localhost” to who trusts its certificate."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    with HTTPServer(("127.0.0.1", 0), Page) as there:
        there.socket = context.wrap_socket(there.socket, server_side=True)
        serving = threading.Thread(target=there.serve_forever, args=(0.05,))
        serving.start()
        yield f"https://localhost:{there.server_address[1]}"
        there.shutdown()
        serving.join(5)


def test_a_file_is_had_where_it_is_and_nowhere_else(page: str, certificate: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    assert fetch_text(f"{page}/there") == b"hello"
    assert fetch_text(f"{page}/moved") == b""
    assert fetch_text(f"{page}/none") == b""


def test_a_server_that_proves_nothing_or_is_not_there_says_nothing(page: str):
    assert fetch_text(f"{page}/there") == b""
    assert fetch_text(f"https://127.0.0.1:{free_port()}/") == b""


def test_a_mail_server_answers_when_it_greets_or_proves_its_name(certificate: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    with smtp() as plain, smtp(tls=context) as safe:
        assert server_answers(MailEndpoint("localhost", plain.port, "starttls"))
        assert server_answers(MailEndpoint("localhost", safe.port, "tls"))
        assert not server_answers(MailEndpoint("127.0.0.1", safe.port, "tls"))

    assert not server_answers(MailEndpoint("127.0.0.1", free_port(), "starttls"))


def test_the_net_of_this_computer_is_asked_by_these():
    assert (this_network().fetch_text, this_network().server_answers) == (fetch_text, server_answers)
