"""Turn what a model or a person wrote into the address to open, and refuse addresses of sayso's own pages."""

import fcntl
import re
import unicodedata
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import TextIO
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.errors import ProposalError, Refused
from sayso.core.normal_forms import normal_form
from sayso.core.quotes import quoted
from sayso.core.sites import SITES

FOLDER = "pages"
_CARDS = "cards"
USUAL = 8737
"""The default port of sayso's own page; browsers are kept away from it even when no page is being served."""


def own_ports(own: str) -> frozenset[int]:
    """Return the ports of sayso's own pages; `own` is sayso's folder, which contains one file per served port."""
    return frozenset({USUAL}) | served_ports(own)


def served_ports(own: str) -> frozenset[int]:
    """Return the ports on which sayso serves a page of its own now, as far as is known."""
    try:
        names = [file.name for file in Path(own, FOLDER).iterdir()]
    except OSError:
        names = []
    return frozenset(int(name) for name in names if name.isascii() and name.isdigit())


def private(own: str | Path, *names: str) -> Path:
    """Return a folder inside sayso's own folder `own`.

    The folder and its parents are created, accessible only to the person, if they are missing.
    """
    folder = Path(own)
    for name in ("", *names):
        folder /= name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


@contextmanager
def announce_page(own: str, port: int, *, cards: bool = False) -> Generator[Callable[[str], None]]:
    """Record, while the block runs, that sayso serves a page of its own on this port.

    With `cards`, it is the page on which the person decides. The file stays locked while it is served, so that one
    which a killed process left is told from one that is served. The block gets what writes the token of the page into
    the file, which only the person can read.
    """
    file = private(own, FOLDER) / str(port)
    file.touch(mode=0o600)
    file.chmod(0o600)
    with file.open("w", encoding="utf-8") as opened:
        with suppress(OSError):
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        opened.write(_CARDS if cards else "")
        opened.flush()

        def invite(token: str) -> None:
            opened.seek(0)
            opened.write(f"{_CARDS}\n{token}")
            opened.flush()

        try:
            yield invite
        finally:
            with suppress(OSError):
                file.unlink()


def page_with_cards(own: str) -> str | None:
    """Return the address of sayso's page on which the person decides, if it is served now."""
    for port in sorted(served_ports(own)):
        with suppress(OSError), Path(own, FOLDER, str(port)).open(encoding="utf-8") as opened:
            if opened.readline().strip() == _CARDS and _is_locked(opened):
                return f"http://127.0.0.1:{port}/"
    return None


def invitation(own: str, port: int = 0) -> tuple[str, str] | None:
    """Return the address of sayso's running page and the token that lets one browser in; None if none is served.

    With a port, only the page on that port counts.
    """
    for one in sorted(served_ports(own)):
        with suppress(OSError), Path(own, FOLDER, str(one)).open(encoding="utf-8") as opened:
            kind, _, token = opened.read().partition("\n")
            if kind == _CARDS and token and port in {0, one} and _is_locked(opened):
                return f"http://127.0.0.1:{one}/", token
    return None


def _is_locked(opened: TextIO) -> bool:
    try:
        fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


WEB = ("http", "https")
USUAL_PORTS: Mapping[str, int] = MappingProxyType({"http": 80, "https": 443})

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_ANY_PORT = re.compile(r":([0-9]{1,5})(?![0-9])")
_PORT = re.compile(r"[0-9]{1,5}(?=$|[/?#])")
_LABEL = re.compile(r"(?!-)[\w-]{1,63}(?<!-)")
_UNSEEN = ("C", "Z")
_BEFORE_A_WORD = re.compile(r"\W*+")
_ENDS_A_WORD = "_/=&#%+~*$@-"

_IN_TWO_WAYS = frozenset("ßς")
"""Letters that browsers keep in a host name (UTS #46) but that Python's codec replaces."""


class Rules(Struct, frozen=True):
    """The rules for reading addresses, from the settings and from what the person wrote."""

    sites: Mapping[str, str] = field(default_factory=dict[str, str])
    schemes: tuple[str, ...] = ()
    ports: frozenset[int] = frozenset()
    """The ports of sayso's own pages: no address on these ports is opened, whatever its host name is (BR-01)."""
    wrote: str = ""
    """The person's own words. Opening an address that appears in them sends the site nothing that a model wrote."""


class Address(Struct, frozen=True):
    """An address that may be opened."""

    url: str
    host: str
    """The host that is really visited, in lower case; empty for a scheme without a host."""
    tells: tuple[str, ...] = ()
    """The parts that send the site more than a plain visit (user, query, fragment); empty if the person wrote the
    address.
    """
    warns: tuple[str, ...] = ()
    visits: str = ""
    """Host and path of the visit; empty if it is the start page of a listed site or the person wrote the address."""


def normalize(text: str, rules: Rules) -> Address:
    """Return the address that `text` stands for.

    Addresses with http or https stay unchanged. A host name gets `https://` (localhost gets `http://`), and a single
    word is looked up in the list of sites. Raises `Refused` for a scheme that is not allowed, and `ProposalError` for
    text that is not an address.
    """
    address = _resolve_address(text, rules)
    if (address.tells or address.visits) and _comparable(address.url) in _written_addresses(rules):
        return replace(address, tells=(), visits="")
    return address


def _written_addresses(rules: Rules) -> Iterator[str]:
    """Yield the complete addresses that the person wrote, without the punctuation around them."""
    for word in dict.fromkeys(rules.wrote.split()):
        for entered in {word, _bare(word)} - {""}:
            with suppress(ProposalError, Refused):
                yield _comparable(_resolve_address(entered, rules).url)


def _bare(word: str) -> str:
    """Return a word without the punctuation around it in a sentence, such as quotation marks or a full stop."""
    end = len(word)
    while end and not (word[end - 1].isalnum() or word[end - 1] in _ENDS_A_WORD):
        end -= 1
    return _BEFORE_A_WORD.sub("", word[:end], count=1)


def _comparable(url: str) -> str:
    """Return an address in a form for comparison: the host in lower case, and `/` for an empty path."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    user, at, host = parts.netloc.rpartition("@")
    path = parts.path or ("/" if parts.netloc else "")
    return parts._replace(netloc=f"{user}{at}{host.lower()}", path=path).geturl()


def _resolve_address(text: str, rules: Rules) -> Address:
    entered = text.strip(" \t\r\n")
    _check_characters(entered)
    scheme = _SCHEME.match(entered)
    name = scheme.group(1).lower() if scheme else ""
    if scheme and name in WEB:
        return _parse_web(f"{name}{entered[len(name) :]}", entered, rules)
    if scheme and not _is_host_and_port(name, entered[scheme.end() :]):
        return _parse_other(name, entered, rules)
    url = _complete_address(entered, rules)
    kind = url.partition(":")[0].lower()
    return _parse_web(url, entered, rules) if kind in USUAL_PORTS else _parse_other(kind, url, rules)


def domain(url: str) -> str:
    """Return the host of an address without a leading `www.`; empty if there is no host (S4-42)."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")


def origin(url: str) -> str:
    """Return scheme, host and port of an address; messages name this as the receiver of what its page sends."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.netloc else f"{parts.scheme}:"


def is_listed_site(url: str, sites: Iterable[str]) -> bool:
    """Return whether the host of an address is one of these sites or a subdomain of one (BR-03).

    Names are compared in lower case, in their ASCII form, and without a final dot.
    """
    try:
        host = _plain(urlsplit(url).hostname or "")
    except ValueError:
        return False
    names = [_plain(site) for site in sites]
    return any(host == name or host.endswith(f".{name}") for name in names if name)


def _plain(host: str) -> str:
    return _ascii(host.strip().rstrip(".").lower())


def _check_characters(entered: str) -> None:
    if not entered:
        raise ProposalError("the address is empty; write one such as https://example.org", "arguments.url")
    odd = next((char for char in entered if unicodedata.category(char)[0] in _UNSEEN), None)
    if odd is not None:
        what = "a space" if odd == " " else f"a character that cannot be seen (U+{ord(odd):04X})"
        raise ProposalError(f"the address holds {what}; write it without", "arguments.url")
    if "\\" in entered:
        raise ProposalError("the address holds a backslash, which browsers read as “/”; write “/”", "arguments.url")


def _is_host_and_port(name: str, rest: str) -> bool:
    return (name == "localhost" or "." in name) and _PORT.match(rest) is not None


def _parse_other(scheme: str, entered: str, rules: Rules) -> Address:
    if scheme not in {allowed.lower().rstrip(":") for allowed in rules.schemes}:
        raise Refused(
            f"addresses that begin with {quoted(f'{scheme}:')} are not opened, only http and https; the settings may "
            "allow more",
            "url.scheme",
            "addresses",
        )
    if any(int(port) in rules.ports for port in _ANY_PORT.findall(entered)):
        raise _own_page()
    return Address(entered, "", (entered[len(scheme) + 1 :],))


def _own_page() -> Refused:
    return Refused("that is where sayso's own page is, and no action reaches it", "url.own_page", "own page")


def _complete_address(entered: str, rules: Rules) -> str:
    head = re.split(r"[/?#]", entered, maxsplit=1)[0]
    host = head.partition(":")[0].lower()
    if "@" in head:
        raise ProposalError(
            f"{quoted(entered)} looks like a mail address; write https:// before a web address", "arguments.url"
        )
    if host == "localhost":
        return f"http://{entered}"
    if "." in head:
        return f"https://{entered}"
    sites = {name.casefold(): site for name, site in {**SITES, **rules.sites}.items()}
    site = sites.get(entered.casefold())
    if site is None:
        raise ProposalError(
            f"{quoted(entered)} is neither an address nor a known site; write the whole address, such as https://example.org",
            "arguments.url",
        )
    return site if "://" in site else f"https://{site}"


def _parse_web(url: str, entered: str, rules: Rules) -> Address:
    """Return the checked address. Raises `ProposalError` if programs may interpret its host name differently."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ProposalError(f"{quoted(entered)} is no address that can be opened", "arguments.url") from None
    if not url.startswith(f"{parts.scheme}://") or not _is_host(host, parts.netloc) or port == 0:
        raise ProposalError(f"{quoted(entered)} names no site that can be opened", "arguments.url")
    if (port or USUAL_PORTS[parts.scheme]) in rules.ports:
        raise _own_page()
    listed = _comparable(url) in _listed_addresses(rules)
    return Address(url, host, _extra_parts(parts), _warnings(host, parts), "" if listed else f"{host}{parts.path}")


def _listed_addresses(rules: Rules) -> Iterator[str]:
    """Yield the addresses that the list of sites leads to, also with `www.`: no other path, subdomain or port."""
    for site in (*SITES.values(), *rules.sites.values()):
        if "://" in site:
            yield _comparable(site)
        else:
            yield from (_comparable(f"https://{site}"), _comparable(f"https://www.{site}"))


def _is_host(host: str, netloc: str) -> bool:
    if "%" in netloc.rpartition("@")[2]:
        return False
    if ":" in host:
        return re.fullmatch(r"[0-9a-f:.]+", host) is not None
    return all(_LABEL.fullmatch(label) for label in host.removesuffix(".").split("."))


def _extra_parts(parts: SplitResult) -> tuple[str, ...]:
    user = parts.netloc.rpartition("@")[0]
    extra = (user and f"{user}@", parts.query and f"?{parts.query}", parts.fragment and f"#{parts.fragment}")
    return tuple(part for part in extra if part)


def _warnings(host: str, parts: SplitResult) -> tuple[str, ...]:
    found: list[str] = []
    if "@" in parts.netloc:
        found.append(f"what comes before “@” is a user name; the site is {host}")
    if not host.isascii():
        found.append(f"the site's name has letters that may look like others; it is {_ascii(host)}")
    return tuple(found)


def _ascii(host: str) -> str:
    if _IN_TWO_WAYS.intersection(host):
        return ".".join(map(_label, normal_form(host).split(".")))
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return ascii(host)


def _label(label: str) -> str:
    return label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}"
