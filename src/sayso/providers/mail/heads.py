"""A message as its headers tell of it, wherever it is kept."""

from datetime import UTC, datetime

from sayso.core.values import dataclass
from sayso.providers.mail.mime.headers import Headers
from sayso.providers.mail.places import Place
from sayso.providers.mail.store import Flag, Message

HEADERS = ("message-id", "from", "to", "cc", "subject")
"""The fields that are looked at."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What is known of a message beside its headers."""

    place: Place
    received: datetime
    flags: tuple[Flag, ...]
    labels: tuple[str, ...]
    size: int


def head_of(headers: Headers, beside: Beside) -> Message:
    """Return a message without its text; one without a Message-ID goes by its place."""
    return Message(
        headers.message_id() or str(beside.place),
        ", ".join(headers.addresses("from")),
        headers.addresses("to"),
        headers.line("subject"),
        received_at=written(beside.received),
        labels=beside.labels,
        flags=beside.flags,
        mailbox=beside.place.mailbox,
        cc=headers.addresses("cc"),
        uid=beside.place.uid,
        uidvalidity=beside.place.uidvalidity,
        size=beside.size,
    )


def written(moment: datetime) -> str:
    """Return a time as messages hold it."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def flags_of(*, starred: bool, read: bool) -> tuple[Flag, ...]:
    """Return the flags of a message."""
    return (*(("starred",) if starred else ()), *(("read",) if read else ()))
