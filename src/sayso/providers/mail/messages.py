"""What all mail stores share about messages: ids, labels, headers, search criteria and queries."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from email.utils import parseaddr

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.datetimes import read_when
from sayso.core.errors import Candidate, ProposalError
from sayso.core.quotes import quoted
from sayso.core.schema import text_problem
from sayso.providers.mail.mime import Headers, MimePart, files_of
from sayso.providers.mail.query.match import QueryMessage
from sayso.providers.mail.query.parser import Query, QueryContext, parse
from sayso.providers.mail.store import DatedCriteria, Flag, Mail, MailContext, MailPlace, Message

_PLAIN = re.compile(rb"[A-Za-z0-9._+/:#@!~-]")
_WRITTEN = re.compile(r"=([0-9A-Fa-f]{2})")
_NOT_LABELS = frozenset({"junk", "nonjunk", "notjunk", "forwarded", "old", "unread", "receipt-handled"})
"""Keywords that mail programs set for their own use; sayso does not treat them as labels."""


def keyword_of(label: str) -> str:
    """Return the IMAP keyword that stores a label on a server."""
    written = "".join(_letter(code) for code in label.encode())
    return f"={ord(label[0]):02X}{written[1:]}" if label.casefold() in _NOT_LABELS else written


def label_of_keyword(keyword: str) -> str | None:
    """Return the label that an IMAP keyword stores; None if another program uses the keyword for itself."""
    try:
        label = _WRITTEN.sub(lambda found: chr(int(found[1], 16)), keyword).encode("latin-1").decode()
    except UnicodeError:
        return None
    there = bool(label) and keyword_of(label).casefold() == keyword.casefold()
    return label if there else None


def labels_of(keywords: Iterable[str]) -> tuple[str, ...]:
    """Return the labels among keywords, sorted, each once."""
    found = (label_of_keyword(keyword) for keyword in keywords)
    return tuple(sorted({label for label in found if label is not None}))


def _letter(code: int) -> str:
    letter = bytes([code])
    return letter.decode() if _PLAIN.fullmatch(letter) else f"={code:02X}"


class Metadata(Struct, frozen=True):
    """What a store knows about a message, apart from its headers."""

    place: MailPlace
    received: datetime
    flags: tuple[Flag, ...]
    labels: tuple[str, ...]
    size: int


def head_of(headers: Headers, metadata: Metadata) -> Message:
    """Return a message without its text; if it has no Message-ID, its place serves as its id."""
    return Message(
        headers.message_id() or str(metadata.place),
        ", ".join(headers.addresses("from")),
        headers.addresses("to"),
        headers.line("subject"),
        received_at=write_time(metadata.received),
        labels=metadata.labels,
        flags=metadata.flags,
        mailbox=metadata.place.mailbox,
        cc=headers.addresses("cc"),
        uid=metadata.place.uid,
        uidvalidity=metadata.place.uidvalidity,
        size=metadata.size,
    )


def write_time(moment: datetime) -> str:
    """Return a time as written in `Message.received_at`: in UTC, to the second."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def flags_of(*, starred: bool, read: bool) -> tuple[Flag, ...]:
    """Return the flags of a message."""
    return (*(("starred",) if starred else ()), *(("read",) if read else ()))


def received_time(message: Message) -> datetime:
    """Return when a message was received; a message without a time counts as the oldest."""
    if not message.received_at:
        return datetime.min.replace(tzinfo=UTC)
    return read_when(message.received_at).at(UTC)


def fulfils(message: Message, wanted: DatedCriteria) -> bool:
    """Return whether a message matches the search criteria."""
    return fulfils_by_head(message, wanted) and fulfils_by_text(message, wanted.criteria.text)


def fulfils_by_head(message: Message, wanted: DatedCriteria) -> bool:
    """Return whether a message matches all the criteria that do not need its text."""
    criteria = wanted.criteria
    texts = (
        (criteria.sender, message.from_address),
        (criteria.to, "\n".join((*message.to, *message.cc))),
        (criteria.subject, message.subject),
    )
    return (
        all(part is None or part.casefold() in whole.casefold() for part, whole in texts)
        and (criteria.label is None or message.has_label(criteria.label))
        and (criteria.unread is None or criteria.unread is ("read" not in message.flags))
        and came_within(received_time(message), wanted)
    )


def came_within(moment: datetime, wanted: DatedCriteria) -> bool:
    """Return whether a time lies within the dates of the search criteria."""
    return (wanted.after is None or moment >= wanted.after) and (wanted.before is None or moment < wanted.before)


def fulfils_by_text(message: Message, part: str | None) -> bool:
    """Return whether the subject or body contains a text; true if no text is wanted."""
    return part is None or part.casefold() in f"{message.subject}\n{message.body_text}".casefold()


QUERY_HEADERS = "MESSAGE-ID FROM TO CC BCC SUBJECT"
"""The fields that a query may look at."""


def parse_query(text: str, context: MailContext) -> Query:
    """Parse a query, with “me” as this person's address and days in their time zone.

    Raises `ProposalError` if the query is invalid, and `SetupError` if the library that reads queries is not installed.
    """
    return parse(text, QueryContext(context.now(), context.zone(), (parseaddr(context.sender)[1],)))


def query_message(message: Message, bcc: tuple[str, ...] = ()) -> QueryMessage:
    """Return the part of a message that a query is matched against, without its text and attachments."""
    return QueryMessage(
        received=received_time(message),
        size=message.size,
        mailbox=message.mailbox,
        read="read" in message.flags,
        starred="starred" in message.flags,
        labels=message.labels,
        message_id=message.message_id,
        sender=message.from_address,
        to=message.to,
        cc=message.cc,
        bcc=bcc,
        subject=message.subject,
    )


def with_files(message: QueryMessage, root: MimePart) -> QueryMessage:
    """Return the message with the names of its attachments."""
    return replace(message, attachments=tuple(part.name for part in files_of(root)))


SHOWN = 5


def check_ids(ids: Sequence[str]) -> tuple[str, ...]:
    """Return the ids without duplicates. Raises `ProposalError` for an id with characters that no Message-ID has."""
    for id_ in ids:
        problem = text_problem(id_, "line")
        if problem is not None:
            raise ProposalError(f"an id in “ids” {problem}", "arguments.characters")
    return tuple(dict.fromkeys(ids))


def ambiguous(id_: str, places: Sequence[MailPlace]) -> ProposalError:
    """Return the error for several messages in a mailbox with the same Message-ID; it lists their places as ids."""
    return ProposalError(
        f"{len(places)} messages in {quoted(places[0].mailbox)} have the id "
        f"{quoted(id_)}. Name the one you mean by its "
        f"place: {', '.join(quoted(place) for place in places[:SHOWN])}",
        "target.ambiguous",
        tuple(Candidate(id_, str(place)) for place in places[:SHOWN]),
    )


async def all_of(mail: Mail, ids: Sequence[str]) -> tuple[Message, ...]:
    """Return the messages with these ids, without their text. Raises `ProposalError` if an id has no message."""
    wanted = check_ids(ids)
    found = await mail.heads(wanted)
    there = {message.message_id for message in found}
    missing = [given for given in wanted if given not in there]
    if missing:
        raise unknown(missing)
    return found


def unknown(missing: Sequence[str]) -> ProposalError:
    """Return the error for ids that no message has."""
    names = ", ".join(quoted(given) for given in missing[:SHOWN])
    more = f" and {len(missing) - SHOWN} more" if len(missing) > SHOWN else ""
    return ProposalError(f"No message has the id {names}{more}. Take ids from a listing of mail.", "target.not_found")


def no_file(number: int, there: int) -> ProposalError:
    """Return the error for an attachment number that does not exist; `there` is how many attachments the mail has."""
    has = "no file" if not there else "one file" if there == 1 else f"{there} files"
    return ProposalError(f"The mail came with {has}; there is no number {number}", "mail.attachment")


def too_large(name: str, most: int) -> ProposalError:
    """Return the error for an attachment that is too large to save."""
    return ProposalError(f"{quoted(name)} is longer than {most // 2**20} MiB and is not saved", "mail.attachment")
