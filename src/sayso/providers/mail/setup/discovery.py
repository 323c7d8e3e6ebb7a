"""Find the servers of a mail address: known providers, records of the domain, and its own file."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from sayso.core.values import dataclass
from sayso.providers.accounts.dns import Names
from sayso.providers.mail.setup.autoconfig import Protection, Servers, Way, addresses, servers_in

GOOGLE = Servers(
    Way("imap.gmail.com", 993, "tls"),
    Way("smtp.gmail.com", 465, "tls"),
    "known of Google",
    "Google wants an app password: switch on 2-Step Verification, then make one at "
    "https://myaccount.google.com/apppasswords. Or it takes a token (OAuth2).",
)

MICROSOFT = Servers(
    Way("outlook.office365.com", 993, "tls"),
    Way("smtp.office365.com", 587, "starttls"),
    "known of Microsoft",
    "Microsoft takes no password here, only a token (OAuth2), which a program prints.",
)

OUTLOOK = replace(MICROSOFT, smtp=Way("smtp-mail.outlook.com", 587, "starttls"))

YAHOO = Servers(
    Way("imap.mail.yahoo.com", 993, "tls"),
    Way("smtp.mail.yahoo.com", 465, "tls"),
    "known of Yahoo",
    "Yahoo wants an app password: make one at https://login.yahoo.com/account/security.",
)

APPLE = Servers(
    Way("imap.mail.me.com", 993, "tls"),
    Way("smtp.mail.me.com", 587, "starttls"),
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


def known(domain: str) -> Servers | None:
    """Return the servers of a domain that a large provider gives addresses in."""
    return _DOMAINS.get(domain.lower())


def known_by_exchange(exchanges: Sequence[str]) -> Servers | None:
    """Return the servers of the large provider that takes the mail of a domain."""
    for host in exchanges:
        for end, servers in _EXCHANGES.items():
            if host.lower().endswith(end):
                return replace(servers, found=f"{host} takes the mail of this domain, as its MX record says")
    return None


_READING: Sequence[tuple[str, Protection]] = (("_imaps._tcp", "tls"), ("_imap._tcp", "starttls"))

_SENDING: Sequence[tuple[str, Protection]] = (("_submissions._tcp", "tls"), ("_submission._tcp", "starttls"))

_PLACES: Sequence[tuple[int, Protection]] = ((465, "tls"), (587, "starttls"))


@dataclass(frozen=True)
class Net:
    """How the net is asked: for records, for a file, and whether a mail server answers somewhere."""

    names: Names
    text_at: Callable[[str], bytes]
    """Returns what stands at an https address; nothing where nothing does."""
    answers: Callable[[Way], bool]


def found_for(address: str, net: Net) -> Servers | None:
    """Return the servers of an address; None where nobody names any. Nobody is told the address."""
    domain = address.rpartition("@")[2].lower()
    return (
        known(domain)
        or _by_records(domain, net)
        or _by_file(domain, address, net)
        or known_by_exchange(net.names.exchanges(domain))
        or _by_name(domain, net)
    )


def _by_records(domain: str, net: Net) -> Servers | None:
    reading, sending = _service(_READING, domain, net), _service(_SENDING, domain, net)
    if reading is None or sending is None:
        return None
    return Servers(reading, sending, f"named by the SRV records of {domain}")


def _service(kinds: Sequence[tuple[str, Protection]], domain: str, net: Net) -> Way | None:
    for name, protection in kinds:
        found = net.names.services(f"{name}.{domain}")
        if found:
            return Way(found[0].host.lower(), found[0].port, protection)
    return None


def _by_file(domain: str, address: str, net: Net) -> Servers | None:
    for url in addresses(domain):
        data = net.text_at(url)
        found = servers_in(data, address, url) if data else None
        if found is not None:
            return found
    return None


def _by_name(domain: str, net: Net) -> Servers | None:
    reading = _first([Way(f"{name}.{domain}", 993, "tls") for name in ("imap", "mail")], net)
    if reading is None:
        return None
    tried = [Way(f"{name}.{domain}", port, how) for name in ("smtp", "mail") for port, how in _PLACES]
    sending = _first(tried, net)
    return None if sending is None else Servers(reading, sending, "they answer under the usual names")


def _first(ways: Sequence[Way], net: Net) -> Way | None:
    return next((way for way in ways if net.answers(way)), None)
