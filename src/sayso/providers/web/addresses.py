"""Which network addresses a request may reach, and what a host in a web address is allowed to look like."""

import ipaddress
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from urllib.parse import quote, urlsplit, urlunsplit

from msgspec import Struct

from sayso.core.errors import ProposalError
from sayso.core.quotes import quoted

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

USUAL_PORTS: Mapping[str, int] = MappingProxyType({"http": 80, "https": 443})
LONGEST_HOST, LONGEST_LABEL = 253, 63
_LISTABLE = frozenset({"this computer", "a private network"})
"""What a listed name may lead to; any other kind of address must be listed itself, in numbers."""
_TWO_WAYS = frozenset("ßςẞ\u200c\u200d")
"""Letters of host names that programs turn into different names."""

_V4: Mapping[str, str] = MappingProxyType(
    {
        "0.0.0.0/8": "no address of a computer",
        "10.0.0.0/8": "a private network",
        "100.64.0.0/10": "a network shared behind a provider",
        "127.0.0.0/8": "this computer",
        "169.254.0.0/16": "the local link, where clouds keep keys",
        "172.16.0.0/12": "a private network",
        "192.0.0.0/24": "reserved",
        "192.0.2.0/24": "reserved",
        "192.88.99.0/24": "reserved",
        "192.168.0.0/16": "a private network",
        "198.18.0.0/15": "reserved",
        "198.51.100.0/24": "reserved",
        "203.0.113.0/24": "reserved",
        "224.0.0.0/4": "a group of computers",
        "240.0.0.0/4": "reserved",
    }
)
_V6: Mapping[str, str] = MappingProxyType(
    {
        "::/128": "no address of a computer",
        "::1/128": "this computer",
        "fc00::/7": "a private network",
        "fe80::/10": "the local link",
        "fec0::/10": "a private network",
        "ff00::/8": "a group of computers",
        "2001::/23": "reserved",
        "2001:db8::/32": "reserved",
        "2002::/16": "reserved",
        "3fff::/20": "reserved",
    }
)
_NETWORKS = tuple((ipaddress.ip_network(net), what) for net, what in (*_V4.items(), *_V6.items()))
_PUBLIC_V6 = ipaddress.IPv6Network("2000::/3")
_CARRIES_V4 = (ipaddress.IPv6Network("::ffff:0:0/96"), ipaddress.IPv6Network("64:ff9b::/96"))
"""Networks whose last four bytes are an IPv4 address that is reached in its place; that one is judged."""


class WebAddress(Struct, frozen=True):
    """A web address in the form in which it is sent, with its host in ASCII and without a fragment."""

    url: str
    scheme: str
    host: str
    port: int

    @property
    def origin(self) -> tuple[str, str, int]:
        """Return scheme, host and port."""
        return (self.scheme, self.host, self.port)

    @property
    def netloc(self) -> str:
        """Return the host, with its port if that is not the usual one; this is the value of the header `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == USUAL_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def target(self) -> str:
        """Return path and query as they are sent."""
        return urlunsplit(("", "", *urlsplit(self.url)[2:]))

    def at(self, address: IPAddress) -> str:
        """Return the same address with its host replaced by the network address to which the connection is made."""
        host = f"[{address}]" if isinstance(address, ipaddress.IPv6Address) else str(address)
        return urlunsplit((self.scheme, f"{host}:{self.port}", *urlsplit(self.url)[2:]))


def read_web_address(text: str) -> WebAddress:
    """Return the http or https address in a text. Raises `ProposalError` for anything that programs may read apart."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ProposalError("“url” is not a web address", "url.form") from error
    if "@" in parts.netloc:
        raise ProposalError("“url” has a user name in it, which is not taken; send it as a header", "url.user")
    scheme = parts.scheme.lower()
    if scheme not in USUAL_PORTS:
        raise ProposalError("“url” must begin with http:// or https://", "url.scheme")
    if not host or port == 0 or "\\" in text or not text.isprintable() or " " in text:
        raise ProposalError("“url” is not a web address", "url.form")
    plain = _plain_host(host)
    number = port or USUAL_PORTS[scheme]
    there = WebAddress("", scheme, plain, number)
    path = quote(parts.path or "/", safe="%/:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="%/:@!$&'()*+,;=~-._?")
    return WebAddress(urlunsplit((scheme, there.netloc, path, query, "")), scheme, plain, number)


def _plain_host(host: str) -> str:
    """Return a host in lower case and ASCII, an IP address in its one usual form. Raises `ProposalError`."""
    if ":" in host or "%" in host:
        try:
            address = ipaddress.IPv6Address(host)
        except ValueError:
            raise ProposalError("“url” is not a web address", "url.form") from None
        if address.scope_id is not None:
            raise ProposalError("“url” names a network interface after “%”, which is not taken", "url.form")
        return str(address)
    host = _ascii(host.removesuffix(".")).lower()
    labels = host.split(".")
    if len(host) > LONGEST_HOST or not all(map(_is_label, labels)):
        raise ProposalError("“url” is not a web address", "url.form")
    if not (labels[-1].isdigit() or labels[-1].startswith("0x")):
        return host
    try:
        return str(ipaddress.IPv4Address(host))
    except ValueError:
        raise ProposalError(
            f"{quoted(host)} is a number that programs read in different ways; write an address as 192.0.2.1",
            "url.form",
        ) from None


def _ascii(host: str) -> str:
    if host.isascii():
        return host
    if len(host) <= LONGEST_HOST and not _TWO_WAYS & set(host):
        try:
            return host.encode("idna").decode("ascii")
        except UnicodeError:
            pass
    raise ProposalError(
        f"{quoted(host[:80])} is read in different ways by programs; write it in its ASCII form (xn--…)", "url.form"
    )


def _is_label(label: str) -> bool:
    plain = label.replace("-", "").replace("_", "")
    return plain.isalnum() and len(label) <= LONGEST_LABEL and label.strip("-") == label


def why_not_public(address: IPAddress) -> str:
    """Return what an address leads to if it is not a computer on the internet; empty if it is one."""
    if isinstance(address, ipaddress.IPv6Address):
        if any(address in net for net in _CARRIES_V4):
            return why_not_public(ipaddress.IPv4Address(address.packed[-4:]))
        if address not in _PUBLIC_V6:
            return next((what for net, what in _NETWORKS if address in net), "reserved")
    return next((what for net, what in _NETWORKS if address in net), "")


def is_listed(there: WebAddress, listed: Iterable[str]) -> bool:
    """Return whether a host is in a list of `host` or `host:port`; without a port, only the usual ones are meant."""
    return there.netloc in listed


def reachable_from(there: WebAddress, listed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the listed hosts that a redirect may lead to: only the one that redirects; the card named no other."""
    return (there.netloc,) if is_listed(there, listed) else ()


def why_refused(address: IPAddress, there: WebAddress, listed: Iterable[str]) -> str:
    """Return what the address is if a request to `there` must not reach it; empty if it may."""
    what = why_not_public(address)
    if not what or not is_listed(there, listed):
        return what
    return "" if what in _LISTABLE or str(address) == there.host else what


def why_private(there: WebAddress, what: str) -> str:
    """Return the sentence that refuses a request to something that is not a public computer."""
    return (
        f"{there.host} is {what}, which requests do not reach; if it should, the person lists "
        f"{quoted(there.netloc)} in the setting web.allow_hosts"
    )


def read_listed(entry: str) -> str:
    """Return an entry of the list of hosts in its usual form. Raises `ProposalError` if it is none."""
    if "/" in entry or "@" in entry or "?" in entry or "#" in entry:
        raise ProposalError("“url” is not a web address", "url.form")
    host = f"[{entry}]" if entry.count(":") > 1 and not entry.startswith("[") else entry
    there = read_web_address(f"http://{host}")
    return there.netloc
