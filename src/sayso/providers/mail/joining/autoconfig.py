"""Read the file in which a domain names the servers of its mail, as Thunderbird and others do."""

from collections.abc import Iterator, Sequence
from typing import Any, cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from sayso.providers.accounts.records import is_host
from sayso.providers.mail.joining.servers import Protection, Servers, Way

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
