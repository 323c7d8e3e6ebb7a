"""Find the servers of an address by its domain: what is known, its records, its own file, and the usual names."""

from collections.abc import Callable, Sequence

from sayso.core.values import dataclass
from sayso.providers.accounts.records import Names
from sayso.providers.mail.joining.autoconfig import addresses, servers_in
from sayso.providers.mail.joining.known import known, known_by_exchange
from sayso.providers.mail.joining.servers import Protection, Servers, Way

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
