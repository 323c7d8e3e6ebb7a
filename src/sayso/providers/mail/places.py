"""The ids that messages go by: their Message-ID, or their place where that is none or not theirs alone."""

import re

from sayso.core.values import dataclass

_PLACED = re.compile(r"place:(?P<mailbox>.+)/(?P<uidvalidity>[0-9]{1,10})/(?P<uid>[^/\s]{1,255})")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message lies: in this mailbox, under this name in this numbering."""

    mailbox: str
    """A `Role`, or the name of another mailbox."""
    uid: str
    uidvalidity: int = 1

    def __str__(self) -> str:
        return f"place:{self.mailbox}/{self.uidvalidity}/{self.uid}"


def place_of(id_: str) -> Place | None:
    """Return the place that an id names; None for a Message-ID, which never looks like one."""
    found = _PLACED.fullmatch(id_)
    return Place(found["mailbox"], found["uid"], int(found["uidvalidity"])) if found else None
