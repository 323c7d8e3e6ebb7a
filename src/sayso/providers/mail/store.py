"""Messages, search criteria, and `Mail`, the protocol that every mail store implements."""

import hashlib
import re
from datetime import datetime, tzinfo
from typing import Annotated, Literal, Protocol

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from sayso.core.datetimes import LocalZone
from sayso.core.plan import Fact, Facts
from sayso.core.ports import Clock, Ids
from sayso.core.schema import Line, When

Role = Literal["inbox", "archive", "sent", "trash", "drafts", "junk"]
"""The mailboxes that every backend knows by their purpose. All others are known by their own names."""
Flag = Literal["starred", "read"]
HIDDEN = frozenset({"trash", "junk"})
"""Mailboxes that a search leaves out. A query searches one of them only if it names it or has `in:anywhere`."""
MOST_FILE = 64 * 2**20
"""Largest attachment that can be saved, in bytes. No mail server accepts larger ones."""
_PLACED = re.compile(r"place:(?P<mailbox>.+)/(?P<uidvalidity>[0-9]{1,10})/(?P<uid>[^/\s]{1,255})")


class MailPlace(Struct, frozen=True):
    """Where a message is: its mailbox, its UID there, and the UIDVALIDITY under which the UID is valid."""

    mailbox: str
    """A `Role`, or the name of another mailbox."""
    uid: str
    uidvalidity: int = 1

    def __str__(self) -> str:
        return f"place:{self.mailbox}/{self.uidvalidity}/{self.uid}"


def place_of(id_: str) -> MailPlace | None:
    """Return the place that an id such as `place:inbox/1/42` names; None if the id is a Message-ID."""
    found = _PLACED.fullmatch(id_)
    return MailPlace(found["mailbox"], found["uid"], int(found["uidvalidity"])) if found else None


class Attachment(Struct, frozen=True):
    """An attachment of a message; `number` counts from 1, in the order of the message."""

    number: int
    name: str
    """A plain file name, even if the sender wrote something else."""
    type: str
    size: int
    """Approximate number of bytes."""


class Message(Struct, frozen=True):
    """One message. `message_id` is its Message-ID, which does not change when the message is moved (S3-38).

    If a message has no Message-ID, or one that does not fit on a line, its `MailPlace` serves as its id.
    """

    message_id: str
    from_address: str = ""
    to: tuple[str, ...] = ()
    subject: str = ""
    body_text: str = ""
    received_at: str = ""
    """Time in ISO 8601, UTC."""
    labels: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    mailbox: str = "inbox"
    """A `Role`, or the name of another mailbox."""
    cc: tuple[str, ...] = ()
    uid: str = ""
    """The UID of the message in its mailbox; empty if the store has none."""
    uidvalidity: int = 0
    """The UIDVALIDITY that `uid` belongs to. Under another one, the UID is not valid (ML-08)."""
    size: int = 0
    """Bytes of the whole message; 0 if that is unknown."""
    text_left: int = 0
    """Approximate number of characters of the text that `body_text` leaves out."""
    attachments: tuple[Attachment, ...] = ()

    @property
    def place(self) -> MailPlace:
        """Return the mailbox, UID and UIDVALIDITY of the message."""
        return MailPlace(self.mailbox, self.uid, self.uidvalidity)

    def has_label(self, label: str) -> bool:
        """Return whether the message has a label, ignoring case, as every server does."""
        return label.casefold() in {one.casefold() for one in self.labels}

    def with_label(self, label: str, *, on: bool) -> "Message":
        """Return the message with or without a label."""
        others = tuple(one for one in self.labels if one.casefold() != label.casefold())
        return replace(self, labels=(*others, label) if on else others)

    def with_flag(self, flag: Flag, *, on: bool) -> "Message":
        """Return the message with or without a flag."""
        others = tuple(one for one in self.flags if one != flag)
        return replace(self, flags=(*others, flag) if on else others)


class SavePlace(Struct, frozen=True):
    """A free path at which an attachment can be saved, and the facts about its folder."""

    path: str
    expects: Facts = ()


class AttachmentFile(Struct, frozen=True):
    """An attachment of a message, with all its bytes."""

    sender: str
    subject: str
    name: str
    """A plain file name, even if the sender wrote something else."""
    data: bytes


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of these bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


class Criteria(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"sender": "from"}):
    """What to search for (T-93). All criteria are optional and combined by AND; texts match in any case."""

    sender: Line | None = None
    to: Line | None = None
    subject: Line | None = None
    text: Line | None = None
    """Text in the subject or the body."""
    label: Line | None = None
    unread: bool | None = None
    after: When | None = None
    """Received at this time or later."""
    before: When | None = None
    """Received before this time."""
    limit: Annotated[int, Meta(ge=1, le=500)] = 50


class DatedCriteria(Struct, frozen=True):
    """Criteria with their days resolved to moments in time."""

    criteria: Criteria
    after: datetime | None = None
    before: datetime | None = None


class MailContext(Struct, frozen=True):
    """The sender, the clock and the source of new names: what plans need besides the mailboxes."""

    sender: str
    """The sender of new mail: an address, with a name if the settings have one."""
    ids: Ids
    clock: Clock

    def now(self) -> datetime:
        """Return the current time."""
        return self.clock.now()

    def zone(self) -> tzinfo:
        """Return the person's time zone."""
        return LocalZone()

    def new_token(self) -> str:
        """Return a token that no step has used yet, for a step that puts it into the names of what it makes."""
        return self.ids.token()

    def new_message_id(self) -> str:
        """Return a Message-ID that no message has yet."""
        return f"<{self.ids.token()}@{self.sender.rpartition('@')[2].rstrip('>')}>"


class Mail(Protocol):
    """What an operation may look at in a mail store. While a batch is planned, earlier plans count as carried out."""

    context: MailContext
    """The sender, the clock and the source of new names."""

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        """Return the newest messages in the inbox, newest first; at most `limit`."""
        ...

    async def search(self, wanted: DatedCriteria) -> tuple[Message, ...]:
        """Return the messages that match the criteria, newest first, from all mailboxes except trash and junk."""
        ...

    async def query(self, query: str, limit: int) -> tuple[Message, ...]:
        """Return the messages that a query in Gmail's language finds, newest first.

        Raises `ProposalError` if the query is invalid; the error names the part that is.
        """
        ...

    async def get(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        """Return the messages with these ids, in this order and with all their text; unknown ids are left out."""
        ...

    async def heads(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        """Return the same messages as `get` without text and attachments, which is enough to plan changes to many."""
        ...

    async def attachment(self, id_: str, number: int) -> AttachmentFile:
        """Return attachment `number` of a message. Raises `ProposalError` if there is no such message or attachment."""
        ...

    async def free_path(self, path: str, name: str) -> SavePlace:
        """Return the free place at which to save a file of this name; `path` is its path, or the folder for it.

        Raises `Refused` if the path is outside the person's folders, and `ProviderError` if it is taken or has no
        folder.
        """
        ...

    def fact(self, fact: Fact) -> Fact:
        """Return what a plan expects for a fact: the fact, or a reference to the step that will change it."""
        ...

    async def keeps_draft(self, length: int) -> bool:
        """Return whether composing a mail of `length` characters saves a draft; otherwise it opens a window."""
        ...

    def check_sending(self) -> None:
        """Raise `SetupError` if mail cannot be sent; the error says which settings are missing."""
        ...
