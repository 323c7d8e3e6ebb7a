"""The two servers of an account, and the file in which a domain names them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.core.values import dataclass
from sayso.providers.accounts.dns import is_host
from sayso.providers.mail.imap.client import account_of
from sayso.providers.mail.smtp.outbox import read_server

Protection = Literal["tls", "starttls", "none"]

SAID: Mapping[Protection, str] = {"tls": "TLS", "starttls": "STARTTLS", "none": "not encrypted"}

_USUAL: Mapping[int, Protection] = {993: "tls", 465: "tls", 143: "starttls", 587: "starttls"}


@dataclass(frozen=True, slots=True)
class Way:
    """One server, and how the way to it is protected."""

    host: str
    port: int
    protection: Protection

    @property
    def said(self) -> str:
        """Return it as a person would write it."""
        return f"{self.host}:{self.port}, {SAID[self.protection]}"


@dataclass(frozen=True, slots=True)
class Servers:
    """Where mail is read and where it is handed over, and how that was found out."""

    imap: Way
    smtp: Way
    found: str = ""
    hint: str = ""
    """What this provider wants of whoever signs in; empty where nothing is known."""
    user: str = ""
    """The name to sign in with, where it is known not to be the address."""


def usual_protection(port: int) -> Protection | None:
    """Return how connections to a port are protected everywhere; None for a port of somebody's own."""
    return _USUAL.get(port)


def settings_of(servers: Servers, ground: Ground, user: str, address: str) -> dict[str, Json]:
    """Return the settings that mean these servers. Raises `SetupError` where none can."""
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
        if _mean(settings, ground) == (servers.imap.protection, servers.smtp.protection):
            return settings
    raise SetupError(
        f"{servers.imap.said} and {servers.smtp.said} cannot both be set: mail.tls is for both of them; "
        "most servers also offer 993 and 465, both with TLS",
        "mail.tls",
    )


def _mean(settings: Mapping[str, Json], ground: Ground) -> tuple[str, str]:
    guard = account_of(replace(ground, settings=settings)).guard
    return ("none" if guard in {"plain", "loopback"} else guard), read_server(settings).protection


MOST = 2**18

"""Bytes that such a file may have."""

_PROTECTIONS: dict[str, Protection] = {"SSL": "tls", "STARTTLS": "starttls"}

_PORTS = range(1, 65536)


def addresses(domain: str) -> tuple[str, ...]:
    """Return where a domain may have such a file; the person's address is told to nobody."""
    return (
        f"https://autoconfig.{domain}/mail/config-v1.1.xml",
        f"https://{domain}/.well-known/autoconfig/mail/config-v1.1.xml",
    )


def servers_in(data: bytes, address: str, where: str) -> Servers | None:
    """Return the first two servers in a file that are encrypted; None where it names none."""
    root = _root(data)
    if root is None:
        return None
    reading = _ways(root.iterfind("./emailProvider/incomingServer[@type='imap']"), address)
    sending = _ways(root.iterfind("./emailProvider/outgoingServer[@type='smtp']"), address)
    if not reading or not sending:
        return None
    (imap, user), (smtp, _) = reading[0], sending[0]
    return Servers(imap, smtp, f"named by {where}", user="" if user == address else user)


def _root(data: bytes) -> Element | None:
    # Entities could make much of little; a text with NUL is in an encoding in which they would not be seen here.
    if len(data) > MOST or b"\0" in data or b"<!DOCTYPE" in data.upper() or b"<!ENTITY" in data.upper():
        return None
    parser = cast("Any", XMLPullParser)(["start"])
    try:
        parser.feed(data)
        parser.close()
    except ParseError:
        return None
    return next((cast("Element", event[1]) for event in parser.read_events()), None)


def _ways(parts: Iterator[Element], address: str) -> Sequence[tuple[Way, str]]:
    found: list[tuple[Way, str]] = []
    for part in parts:
        host, port = _filled(part.findtext("hostname"), address), (part.findtext("port") or "").strip()
        protection = _PROTECTIONS.get((part.findtext("socketType") or "").strip().upper())
        if protection and is_host(host) and port.isdecimal() and int(port) in _PORTS:
            found.append((Way(host.lower(), int(port), protection), _filled(part.findtext("username"), address)))
    return found


def _filled(text: str | None, address: str) -> str:
    local, _, domain = address.rpartition("@")
    said = (text or "").strip().replace("%EMAILADDRESS%", address)
    filled = said.replace("%EMAILLOCALPART%", local).replace("%EMAILDOMAIN%", domain)
    return filled if filled.isprintable() and "%" not in filled else ""
