"""Set up a mail account: find the servers for an address, and try to sign in."""

import socket
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

import httpx2
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import BackendContext
from sayso.providers.accounts.dns import DnsRecords, is_host
from sayso.providers.mail.account import account_of, read_server
from sayso.providers.mail.imap.client import LOST, close_connection, connect
from sayso.providers.mail.smtp import sign_in_and_check

Protection = Literal["tls", "starttls", "none"]
PROTECTION_NAMES: Mapping[Protection, str] = {"tls": "TLS", "starttls": "STARTTLS", "none": "not encrypted"}
_USUAL: Mapping[int, Protection] = {993: "tls", 465: "tls", 143: "starttls", 587: "starttls"}


class MailEndpoint(Struct, frozen=True):
    """One server, and how connections to it are protected."""

    host: str
    port: int
    protection: Protection

    @property
    def said(self) -> str:
        """Return the host, port and protection as text for the person."""
        return f"{self.host}:{self.port}, {PROTECTION_NAMES[self.protection]}"


class MailServers(Struct, frozen=True):
    """The servers for reading and sending mail, and how sayso found them (`found`)."""

    imap: MailEndpoint
    smtp: MailEndpoint
    found: str = ""
    hint: str = ""
    """What this provider requires for signing in, as a note for the person; empty if nothing is known."""
    user: str = ""
    """The user name for signing in, if it is known to differ from the address."""


def usual_protection(port: int) -> Protection | None:
    """Return the usual protection of connections to a port; None for an unusual port."""
    return _USUAL.get(port)


def settings_of(servers: MailServers, context: BackendContext, user: str, address: str) -> dict[str, Json]:
    """Return the settings for these servers. Raises `SetupError` if no settings can express both protections."""
    plain: dict[str, Json] = {
        "kind": "imap",
        "address": address,
        "user": user,
        "host": servers.imap.host,
        "port": servers.imap.port,
        "smtp_host": servers.smtp.host,
        "smtp_port": servers.smtp.port,
    }
    ways: tuple[Json, ...] = (None, True, "tls", "starttls", False)
    for tls in ways:
        settings = plain if tls is None else {**plain, "tls": tls}
        if _mean(settings, context) == (servers.imap.protection, servers.smtp.protection):
            return settings
    raise SetupError(
        f"{servers.imap.said} and {servers.smtp.said} cannot both be set: mail.tls applies to both of them; "
        "most servers also offer 993 and 465, both with TLS",
        "mail.tls",
    )


def _mean(settings: Mapping[str, Json], context: BackendContext) -> tuple[str, str]:
    protection = account_of(replace(context, settings=settings)).protection
    return ("none" if protection in {"plain", "loopback"} else protection), read_server(settings).protection


MOST = 2**18
"""The most bytes of an autoconfig file."""
_PROTECTIONS: dict[str, Protection] = {"SSL": "tls", "STARTTLS": "starttls"}
_PORTS = range(1, 65536)


def autoconfig_urls(domain: str) -> tuple[str, ...]:
    """Return the URLs at which a domain may publish its servers; they do not contain the person's address."""
    return (
        f"https://autoconfig.{domain}/mail/config-v1.1.xml",
        f"https://{domain}/.well-known/autoconfig/mail/config-v1.1.xml",
    )


def parse_autoconfig(data: bytes, address: str, where: str) -> MailServers | None:
    """Return the first encrypted IMAP and SMTP servers in an autoconfig file; None if it does not name both."""
    root = _root(data)
    if root is None:
        return None
    reading = _ways(root.iterfind("./emailProvider/incomingServer[@type='imap']"), address)
    sending = _ways(root.iterfind("./emailProvider/outgoingServer[@type='smtp']"), address)
    if not reading or not sending:
        return None
    (imap, user), (smtp, _) = reading[0], sending[0]
    return MailServers(imap, smtp, f"named by {where}", user="" if user == address else user)


def _root(data: bytes) -> Element | None:
    # Entities can expand to huge texts. A text with NUL is in an encoding in which this check would not find them.
    if len(data) > MOST or b"\0" in data or b"<!DOCTYPE" in data.upper() or b"<!ENTITY" in data.upper():
        return None
    parser = cast("Any", XMLPullParser)(["start"])
    try:
        parser.feed(data)
        parser.close()
    except ParseError:
        return None
    return next((cast("Element", event[1]) for event in parser.read_events()), None)


def _ways(parts: Iterator[Element], address: str) -> Sequence[tuple[MailEndpoint, str]]:
    found: list[tuple[MailEndpoint, str]] = []
    for part in parts:
        host, port = _fill_address(part.findtext("hostname"), address), (part.findtext("port") or "").strip()
        protection = _PROTECTIONS.get((part.findtext("socketType") or "").strip().upper())
        if protection and is_host(host) and port.isdecimal() and int(port) in _PORTS:
            found.append(
                (MailEndpoint(host.lower(), int(port), protection), _fill_address(part.findtext("username"), address))
            )
    return found


def _fill_address(text: str | None, address: str) -> str:
    local, _, domain = address.rpartition("@")
    said = (text or "").strip().replace("%EMAILADDRESS%", address)
    filled = said.replace("%EMAILLOCALPART%", local).replace("%EMAILDOMAIN%", domain)
    return filled if filled.isprintable() and "%" not in filled else ""


GOOGLE = MailServers(
    MailEndpoint("imap.gmail.com", 993, "tls"),
    MailEndpoint("smtp.gmail.com", 465, "tls"),
    "known of Google",
    "Google wants an app password: switch on 2-Step Verification, then make one at "
    "https://myaccount.google.com/apppasswords. Or it takes a token (OAuth2).",
)
MICROSOFT = MailServers(
    MailEndpoint("outlook.office365.com", 993, "tls"),
    MailEndpoint("smtp.office365.com", 587, "starttls"),
    "known of Microsoft",
    "Microsoft takes no password here, only a token (OAuth2), which a program prints.",
)
OUTLOOK = replace(MICROSOFT, smtp=MailEndpoint("smtp-mail.outlook.com", 587, "starttls"))
YAHOO = MailServers(
    MailEndpoint("imap.mail.yahoo.com", 993, "tls"),
    MailEndpoint("smtp.mail.yahoo.com", 465, "tls"),
    "known of Yahoo",
    "Yahoo wants an app password: make one at https://login.yahoo.com/account/security.",
)
APPLE = MailServers(
    MailEndpoint("imap.mail.me.com", 993, "tls"),
    MailEndpoint("smtp.mail.me.com", 587, "starttls"),
    "known of iCloud",
    "iCloud wants an app-specific password: make one at https://account.apple.com, under Sign-In and Security.",
)
_DOMAINS = {
    "gmail.com": GOOGLE, "googlemail.com": GOOGLE,
    "outlook.com": OUTLOOK, "hotmail.com": OUTLOOK, "live.com": OUTLOOK, "msn.com": OUTLOOK,
    "yahoo.com": YAHOO, "ymail.com": YAHOO,
    "icloud.com": APPLE, "me.com": APPLE, "mac.com": APPLE,
}  # fmt: skip
_EXCHANGES = {
    ".google.com": GOOGLE,
    ".googlemail.com": GOOGLE,
    ".mail.protection.outlook.com": MICROSOFT,
    ".yahoodns.net": YAHOO,
    ".mail.icloud.com": APPLE,
}


def known_servers(domain: str) -> MailServers | None:
    """Return the servers of a large provider, if the domain is one of its own; None for other domains."""
    return _DOMAINS.get(domain.lower())


def servers_of_exchange(exchanges: Sequence[str]) -> MailServers | None:
    """Return the servers of the large provider that one of these mail exchanges (MX) belongs to, or None."""
    for host in exchanges:
        for end, servers in _EXCHANGES.items():
            if host.lower().endswith(end):
                return replace(servers, found=f"{host} takes the mail of this domain, as its MX record says")
    return None


_READING: Sequence[tuple[str, Protection]] = (("_imaps._tcp", "tls"), ("_imap._tcp", "starttls"))
_SENDING: Sequence[tuple[str, Protection]] = (("_submissions._tcp", "tls"), ("_submission._tcp", "starttls"))
_PLACES: Sequence[tuple[int, Protection]] = ((465, "tls"), (587, "starttls"))


class Network(Struct, frozen=True):
    """The network lookups that find servers: DNS records, files over https, and whether a mail server answers."""

    names: DnsRecords
    fetch_text: Callable[[str], bytes]
    """Returns the content of an https URL; empty if there is none."""
    server_answers: Callable[[MailEndpoint], bool]


def find_servers(address: str, network: Network) -> MailServers | None:
    """Return the servers for an address; None if none are found. The address itself is not sent anywhere."""
    domain = address.rpartition("@")[2].lower()
    return (
        known_servers(domain)
        or _by_records(domain, network)
        or _by_file(domain, address, network)
        or servers_of_exchange(network.names.exchanges(domain))
        or _by_name(domain, network)
    )


def _by_records(domain: str, network: Network) -> MailServers | None:
    reading, sending = _service(_READING, domain, network), _service(_SENDING, domain, network)
    if reading is None or sending is None:
        return None
    return MailServers(reading, sending, f"named by the SRV records of {domain}")


def _service(kinds: Sequence[tuple[str, Protection]], domain: str, network: Network) -> MailEndpoint | None:
    for name, protection in kinds:
        found = network.names.services(f"{name}.{domain}")
        if found:
            return MailEndpoint(found[0].host.lower(), found[0].port, protection)
    return None


def _by_file(domain: str, address: str, network: Network) -> MailServers | None:
    for url in autoconfig_urls(domain):
        data = network.fetch_text(url)
        found = parse_autoconfig(data, address, url) if data else None
        if found is not None:
            return found
    return None


def _by_name(domain: str, network: Network) -> MailServers | None:
    reading = _first([MailEndpoint(f"{name}.{domain}", 993, "tls") for name in ("imap", "mail")], network)
    if reading is None:
        return None
    tried = [MailEndpoint(f"{name}.{domain}", port, how) for name in ("smtp", "mail") for port, how in _PLACES]
    sending = _first(tried, network)
    return None if sending is None else MailServers(reading, sending, "they answer under the usual names")


def _first(ways: Sequence[MailEndpoint], network: Network) -> MailEndpoint | None:
    return next((way for way in ways if network.server_answers(way)), None)


SECONDS = 4.0
_OK = 200
_GREETINGS = (b"220", b"* OK")


def this_network() -> Network:
    """Return the network lookups of this computer."""
    return Network(DnsRecords(), fetch_text, server_answers)


def fetch_text(url: str) -> bytes:
    """Return the content of a URL; empty if it cannot be fetched, is too long, or is redirected."""
    try:
        with (
            httpx2.Client(timeout=SECONDS, trust_env=False, verify=ssl.create_default_context()) as client,
            client.stream("GET", url, headers={"User-Agent": "sayso", "Accept-Encoding": "identity"}) as answer,
        ):
            if answer.status_code != _OK:
                return b""
            data = b""
            for piece in answer.iter_bytes():
                data += piece
                if len(data) > MOST:
                    return b""
            return data
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
        return b""


def server_answers(way: MailEndpoint) -> bool:
    """Return whether a server answers: over TLS with a valid certificate, or without TLS with a mail greeting."""
    try:
        with socket.create_connection((way.host, way.port), SECONDS) as plain:
            if way.protection != "tls":
                return plain.recv(512).startswith(_GREETINGS)
            with ssl.create_default_context().wrap_socket(plain, server_hostname=way.host):
                return True
    except (OSError, UnicodeError):
        return False


def try_reading(context: BackendContext, secret: str, seconds: float) -> None:
    """Sign in to the IMAP server and open the inbox.

    Raises `SetupError` or `ProviderError` with one sentence for the person.
    """
    account = replace(account_of(context), seconds=seconds)
    wire = connect(account, secret)
    try:
        wire.select_folder("INBOX", readonly=True)
    except LOST:
        raise ProviderError(f"the mail server {account.named} ended the connection", "mail.unreachable") from None
    except wire.Error:
        raise SetupError(f"the mail server {account.named} lets you in, and shows no inbox", "mail.inbox") from None
    finally:
        close_connection(wire)


async def try_sending(context: BackendContext, secret: str, seconds: float) -> None:
    """Sign in to the SMTP server and offer it the sender, but send no mail.

    Raises `SetupError` or `ProviderError` with one sentence for the person.
    """

    async def return_secret() -> str:
        return secret

    settings = context.settings
    server = replace(read_server(settings), seconds=seconds)
    await sign_in_and_check(server, return_secret, str(settings.get("address") or ""))
