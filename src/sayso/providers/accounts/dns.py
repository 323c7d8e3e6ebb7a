"""Look up the servers of a domain in DNS; only valid host names are returned."""

import re

from dns.exception import DNSException
from dns.rdtypes.ANY.MX import MX
from dns.rdtypes.ANY.TXT import TXT
from dns.rdtypes.IN.SRV import SRV
from dns.resolver import Answer, Resolver
from msgspec import Struct

SECONDS = 3.0
_HOST = re.compile(
    r"(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.IGNORECASE
)
_PATH = re.compile(r"path=(/[!-~]{0,200})")
SPECIAL = ("localhost", "test", "invalid", "example", "local", "onion", "internal")
"""Top-level names that are not in public DNS (RFC 6761 and others); they are never looked up."""


class ServiceAddress(Struct, frozen=True):
    """The host and port of a service."""

    host: str
    port: int


def is_host(name: str) -> bool:
    """Return whether a text is a valid host name."""
    return _HOST.fullmatch(name) is not None


def may_be_asked(domain: str) -> bool:
    """Return whether a domain may be looked up: a valid, public name and not an IP address."""
    return (
        is_host(domain) and "." in domain and domain.rpartition(".")[2].lower() not in SPECIAL and not _number(domain)
    )


def _number(domain: str) -> bool:
    return domain.rpartition(".")[2].isdecimal()


class DnsRecords:
    """Queries the name servers of this network, or those of the given resolver.

    Every lookup has a time limit of `SECONDS` and returns nothing if it fails.
    """

    def __init__(self, resolver: Resolver | None = None) -> None:
        self._resolver = resolver

    def services(self, name: str) -> tuple[ServiceAddress, ...]:
        """Return the addresses of a service such as `_imaps._tcp.example.org`, the preferred first (RFC 2782)."""
        found = [one for one in self._query(name, "SRV") if isinstance(one, SRV)]
        ordered = sorted(found, key=lambda one: (one.priority, -one.weight))
        named = [(one.target.to_text(omit_final_dot=True), one.port) for one in ordered]
        return tuple(ServiceAddress(host, port) for host, port in named if is_host(host) and port)

    def exchanges(self, domain: str) -> tuple[str, ...]:
        """Return the mail servers (MX) of a domain, the preferred first."""
        found = sorted(
            (one for one in self._query(domain, "MX") if isinstance(one, MX)), key=lambda one: one.preference
        )
        named = [one.exchange.to_text(omit_final_dot=True).lower() for one in found]
        return tuple(host for host in named if is_host(host))

    def path(self, name: str) -> str:
        """Return the path of a service (RFC 6764), or an empty text if none is published."""
        texts = [
            b"".join(one.strings).decode("ascii", "replace") for one in self._query(name, "TXT") if isinstance(one, TXT)
        ]
        found = [match[1] for text in texts if (match := _PATH.fullmatch(text))]
        return found[0] if found else ""

    def _query(self, name: str, kind: str) -> list[object]:
        try:
            resolver = self._resolver or Resolver()
            answer: Answer = resolver.resolve(f"{name}.", kind, lifetime=SECONDS, search=False)
        except (DNSException, OSError):
            return []  # the person is asked instead
        return list(answer)
