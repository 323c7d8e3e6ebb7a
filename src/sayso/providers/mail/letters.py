"""A message as a query sees it, made of no more than the query looks at."""

from dataclasses import replace

from sayso.providers.mail.criteria import received
from sayso.providers.mail.mime.headers import Headers
from sayso.providers.mail.mime.shape import Part, files_of
from sayso.providers.mail.query.matching import Letter
from sayso.providers.mail.store import Message

HEADERS = "MESSAGE-ID FROM TO CC BCC SUBJECT"
"""The fields that a query may look at."""


def letter_of(message: Message, headers: Headers) -> Letter:
    """Return what a query can be decided by, but for the text and the files."""
    return Letter(
        received=received(message),
        size=message.size,
        mailbox=message.mailbox,
        read="read" in message.flags,
        starred="starred" in message.flags,
        labels=message.labels,
        message_id=message.message_id,
        sender=message.from_address,
        to=headers.addresses("to"),
        cc=headers.addresses("cc"),
        bcc=headers.addresses("bcc"),
        subject=message.subject,
    )


def with_files(letter: Letter, root: Part) -> Letter:
    """Return it with the names of the files that came with the message."""
    return replace(letter, attachments=tuple(part.name for part in files_of(root)))
