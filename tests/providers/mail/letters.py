"""Messages as the world writes them, for stores that keep bytes; made by the standard library alone."""

from collections.abc import Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime

from sayso.providers.mail.store import Message


def moment_of(message: Message) -> datetime:
    """Return when a message came."""
    return datetime.fromisoformat(message.received_at).astimezone(UTC)


def letter(message: Message) -> bytes:
    """Return a message as it comes over the wire."""
    made = EmailMessage()
    made["From"] = message.from_address
    made["To"] = ", ".join(message.to)
    made["Subject"] = message.subject
    made["Date"] = format_datetime(moment_of(message))
    made["Message-ID"] = message.message_id
    made.set_content(message.body_text)
    return made.as_bytes()


def mbox_of(messages: Sequence[Message]) -> list[tuple[bytes, int, str]]:
    """Return messages as bytes, with the second in which each came and the letters of its flags."""
    return [(letter(one), int(moment_of(one).timestamp()), "S" if "read" in one.flags else "") for one in messages]
