"""Whether a message is one that is searched for by criteria (T-93)."""

from datetime import UTC, datetime

from sayso.core.when import read_when
from sayso.providers.mail.labels import has_label
from sayso.providers.mail.store import Message, Wanted


def received(message: Message) -> datetime:
    """Return when a message came; one without a time counts as the oldest."""
    if not message.received_at:
        return datetime.min.replace(tzinfo=UTC)
    return read_when(message.received_at).at(UTC)


def fulfils(message: Message, wanted: Wanted) -> bool:
    """Say whether a message is one that is searched for."""
    return fulfils_by_head(message, wanted) and fulfils_by_text(message, wanted.criteria.text)


def fulfils_by_head(message: Message, wanted: Wanted) -> bool:
    """Say whether all is fulfilled that can be judged without the text of the message."""
    criteria = wanted.criteria
    texts = (
        (criteria.sender, message.from_address),
        (criteria.to, "\n".join((*message.to, *message.cc))),
        (criteria.subject, message.subject),
    )
    return (
        all(part is None or part.casefold() in whole.casefold() for part, whole in texts)
        and (criteria.label is None or has_label(message, criteria.label))
        and (criteria.unread is None or criteria.unread is ("read" not in message.flags))
        and came_within(received(message), wanted)
    )


def came_within(moment: datetime, wanted: Wanted) -> bool:
    """Say whether a time lies within the dates that are searched for."""
    return (wanted.after is None or moment >= wanted.after) and (wanted.before is None or moment < wanted.before)


def fulfils_by_text(message: Message, part: str | None) -> bool:
    """Say whether a text stands in the subject or the body, where one is searched for."""
    return part is None or part.casefold() in f"{message.subject}\n{message.body_text}".casefold()
