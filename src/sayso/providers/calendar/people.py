"""Who is invited to an event: addresses as they are written, and what they are told of it."""

import re
from collections.abc import Sequence

from sayso.core.errors import ProposalError

_ADDRESS = re.compile(r"[^\s@<>(),;:\"\\\[\]]{1,64}@[^\s@<>(),;:\"\\\[\]/?#&=%]{1,255}")


def invited(addresses: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses, each once. Raises `ProposalError` for what is none."""
    people = tuple(dict.fromkeys(address.strip() for address in addresses))
    for address in people:
        if not _ADDRESS.fullmatch(address):
            raise ProposalError(
                f"“{address[:80]}” is no mail address; write one like ana@example.org", "arguments.address"
            )
    return people


def told(people: Sequence[str], what: str) -> tuple[str, ...]:
    """Return what leaves this machine, and to whom: a server tells those who are invited of every change (CA-02)."""
    return tuple(f"{what} to {address}" for address in people)


def warned(people: Sequence[str]) -> tuple[str, ...]:
    """Return the reason why an event of several people is asked about whatever the mode says; none for one's own."""
    if not people:
        return ()
    who = people[0] if len(people) == 1 else f"{len(people)} people"
    return (f"{who} may be told of this by mail, and that cannot be called back",)
