"""Read a list of mail addresses; refuse any list that could be read in two ways (ML-01, ML-03).

The list is split by a small grammar of our own (`address`, `Name <address>`, `"Name" <address>`, separated by commas)
and read again by the standard library. It is accepted only if both readings agree.
"""

import re
from contextlib import suppress
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.policy import default as policy

from msgspec import Struct

from sayso.core.errors import ProposalError
from sayso.core.quotes import quoted
from sayso.core.schema import text_problem

MOST = 100
"""The most addresses in one field."""
LONGEST_LOCAL, LONGEST = 64, 254
"""The most characters before the @, and of the whole address (RFC 5321)."""
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[^\W_](?:[^\W_]|-)*"
_ADDRESS = rf"(?P<local>{_ATOM}(?:\.{_ATOM})*)@(?P<domain>{_LABEL}(?:\.{_LABEL})*)"
_QUOTED = r'"(?P<quoted>[^"\\]*)"'
_PLAIN = r'(?P<plain>[^"<>()\[\]:;,@\\]++)'
_NAMED = re.compile(rf"(?:{_QUOTED}\s*+|{_PLAIN})<(?P<address>[^<>]*)>")
_MAIL = re.compile(_ADDRESS)
_SEPARATOR = re.compile(r'((?:[^,"]++|"[^"]*+")*+),?')


class Recipient(Struct, frozen=True):
    """One address as it is given to the server, with the name written before it."""

    address: str
    name: str = ""

    def __str__(self) -> str:
        if not self.name:
            return self.address
        plain = re.fullmatch(r"[\w .'-]*[\w'-]", self.name) is not None
        return f"{self.name} <{self.address}>" if plain else f'"{self.name}" <{self.address}>'


def sender_of(address: str, name: str) -> str:
    """Return the sender from the address and name in the settings. The address is not checked until it is used."""
    local, sign, domain = address.rpartition("@")
    with suppress(UnicodeError):
        domain = domain.encode("idna").decode("ascii")
    return str(Recipient(f"{local}{sign}{domain}", name))


def read_addresses(text: str, field: str) -> tuple[Recipient, ...]:
    """Return the addresses of a list, without duplicates.

    Raises `ProposalError` (`mail.address`, `arguments.characters`).
    """
    problem = text_problem(text, "line")
    if problem is not None:
        raise ProposalError(f"{quoted(field)} {problem}", "arguments.characters")
    if "=?" in text:
        raise _refuse_address(field, text, "write names plainly, not as encoded words")
    recipients = tuple(dict.fromkeys(_read(part, field) for part in _parts(text, field)))
    if not recipients:
        raise _refuse_address(field, text, "it holds no address")
    if len(recipients) > MOST:
        raise ProposalError(
            f"{quoted(field)} names {len(recipients)} addresses; at most {MOST} are taken", "mail.address"
        )
    _agree(text, field, recipients)
    return recipients


def _parts(text: str, field: str) -> list[str]:
    if text.count('"') % 2:
        raise _refuse_address(field, text, "a quotation mark is not closed")
    parts = [found.strip() for found in _SEPARATOR.findall(text)]
    while parts and not parts[-1]:
        parts.pop()
    return parts


def _read(part: str, field: str) -> Recipient:
    named = _NAMED.fullmatch(part)
    if named is not None:
        name = (named["quoted"] if named["quoted"] is not None else named["plain"]).strip()
        if "@" in name:
            raise _refuse_address(field, part, "the name looks like another address")
        return Recipient(_address(named["address"], part, field), name)
    inner = part[1:-1] if part.startswith("<") and part.endswith(">") else part
    return Recipient(_address(inner, part, field))


def _address(text: str, part: str, field: str) -> str:
    found = _MAIL.fullmatch(text)
    if found is None:
        raise _refuse_address(field, part, "write name@example.org or Name <name@example.org>, separated by commas")
    try:
        domain = found["domain"].encode("idna").decode("ascii")
    except UnicodeError as error:
        raise _refuse_address(field, part, "its domain is not one") from error
    address = f"{found['local']}@{domain}"
    if len(found["local"]) > LONGEST_LOCAL or len(address) > LONGEST:
        raise _refuse_address(field, part, "it is longer than an address can be")
    return address


def _agree(text: str, field: str, recipients: tuple[Recipient, ...]) -> None:
    """Raise `ProposalError` if the standard library reads other addresses in the text."""
    try:
        header = policy.header_factory("to", text)
        theirs: tuple[Address, ...] = header.addresses
        faults = [defect for defect in header.defects if "period in" not in str(defect)]
        read = {f"{one.username}@{one.domain.encode('idna').decode('ascii')}" for one in theirs}
    except (ValueError, IndexError, HeaderParseError) as error:
        raise _refuse_address(field, text, "it can be read in more than one way") from error
    if faults or read != {recipient.address for recipient in recipients}:
        raise _refuse_address(field, text, "it can be read in more than one way")


def _refuse_address(field: str, text: str, why: str) -> ProposalError:
    return ProposalError(
        f"{quoted(field)} has {quoted(text[:120])}, which is not taken as an address: {why}", "mail.address"
    )
