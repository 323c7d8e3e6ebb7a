"""What an operation may read of the person's mail: messages, and the port that every store of mail implements."""

import hashlib
import re
from datetime import datetime, tzinfo
from typing import Annotated, Literal, Protocol

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from sayso.core.datetimes import LocalZone
from sayso.core.plan import Fact
from sayso.core.ports import Clock, Ids
from sayso.core.schema import Line, When

Role = Literal["inbox", "archive", "sent", "trash", "drafts", "junk"]
"""Mailboxes that every backend knows by their purpose; all others go by their own names."""
Flag = Literal["starred", "read"]
HIDDEN = frozenset({"trash", "junk"})
"""Mailboxes that a search leaves out; their messages are only found by their ids."""
MOST_FILE = 64 * 2**20
"""Bytes of a file that is saved from a mail; no mail server takes larger ones."""
_PLACED = re.compile(r"place:(?P<mailbox>.+)/(?P<uidvalidity>[0-9]{1,10})/(?P<uid>[^/\s]{1,255})")


class MailPlace(Struct, frozen=True):
    """Where a message lies: its mailbox, its UID there, and the UIDVALIDITY without which the UID means nothing."""

    mailbox: str
    """A `Role`, or the name of another mailbox."""
    uid: str
    uidvalidity: int = 1

    def __str__(self) -> str:
        return f"place:{self.mailbox}/{self.uidvalidity}/{self.uid}"


def place_of(id_: str) -> MailPlace | None:
    """Return the place that an id names; None for a Message-ID, which never looks like one."""
    found = _PLACED.fullmatch(id_)
    return MailPlace(found["mailbox"], found["uid"], int(found["uidvalidity"])) if found else None


class Attachment(Struct, frozen=True):
    """A file that came with a message; `number` counts from 1, in the order of the message."""

    number: int
    name: str
    """A plain file name, whatever the sender wrote."""
    type: str
    size: int
    """About how many bytes it has."""


class Message(Struct, frozen=True):
    """One message. `message_id` is its Message-ID, which stays the same wherever the message is moved (S3-38).

    A message without a Message-ID, or with one that does not fit on a line, goes by its `MailPlace` instead.
    """

    message_id: str
    from_address: str = ""
    to: tuple[str, ...] = ()
    subject: str = ""
    body_text: str = ""
    received_at: str = ""
    """ISO 8601 in UTC."""
    labels: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    mailbox: str = "inbox"
    """A `Role`, or the name of another mailbox."""
    cc: tuple[str, ...] = ()
    uid: str = ""
    """What its mailbox calls it, where a mailbox has such names."""
    uidvalidity: int = 0
    """The numbering that `uid` belongs to; in another one it means nothing (ML-08)."""
    size: int = 0
    """Bytes of the whole message, where that is known."""
    text_left: int = 0
    """About how many more characters its text has than `body_text` holds."""
    attachments: tuple[Attachment, ...] = ()

    @property
    def place(self) -> MailPlace:
        """Return where the message lies."""
        return MailPlace(self.mailbox, self.uid, self.uidvalidity)

    def has_label(self, label: str) -> bool:
        """Say whether the message has a label; case does not matter, as on every server."""
        return label.casefold() in {one.casefold() for one in self.labels}

    def with_label(self, label: str, *, on: bool) -> "Message":
        """Return the message with a label, or without it."""
        others = tuple(one for one in self.labels if one.casefold() != label.casefold())
        return replace(self, labels=(*others, label) if on else others)

    def with_flag(self, flag: Flag, *, on: bool) -> "Message":
        """Return the message with a flag, or without it."""
        others = tuple(one for one in self.flags if one != flag)
        return replace(self, flags=(*others, flag) if on else others)


class AttachmentFile(Struct, frozen=True):
    """A file that came with a message, with all its bytes."""

    sender: str
    subject: str
    name: str
    """A plain file name, whatever the sender wrote."""
    data: bytes


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of these bytes."""
    return hashlib.sha256(data).hexdigest()


class Criteria(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"sender": "from"}):
    """What to search for (T-93): all are optional and combined by AND; texts match in any case."""

    sender: Line | None = None
    to: Line | None = None
    subject: Line | None = None
    text: Line | None = None
    """In the subject or the body."""
    label: Line | None = None
    unread: bool | None = None
    after: When | None = None
    """Received at this time or later."""
    before: When | None = None
    """Received before this time."""
    limit: Annotated[int, Meta(ge=1, le=500)] = 50


class DatedCriteria(Struct, frozen=True):
    """Criteria whose dates have been placed in time."""

    criteria: Criteria
    after: datetime | None = None
    before: datetime | None = None


class MailContext(Struct, frozen=True):
    """The sender, the clock and the source of new names: what plans need beside the mailboxes."""

    sender: str
    """Who mail is sent as: an address, with a name where the settings have one."""
    ids: Ids
    clock: Clock

    def now(self) -> datetime:
        """Return the time, for what is written now."""
        return self.clock.now()

    def zone(self) -> tzinfo:
        """Return the person's time zone."""
        return LocalZone()

    def new_token(self) -> str:
        """Return a name that no step has used, for a step that can leave it in the world."""
        return self.ids.token()

    def new_message_id(self) -> str:
        """Return a Message-ID that no message has yet."""
        return f"<{self.ids.token()}@{self.sender.rpartition('@')[2].rstrip('>')}>"


class Mail(Protocol):
    """The reads. In a batch they show the mailboxes as the earlier plans would leave them."""

    context: MailContext
    """The sender, the clock and the source of new names."""

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        """Return messages in the inbox, newest first."""
        ...

    async def search(self, wanted: DatedCriteria) -> tuple[Message, ...]:
        """Return messages of all mailboxes but trash and junk that fulfil the criteria, newest first."""
        ...

    async def query(self, query: str, limit: int) -> tuple[Message, ...]:
        """Return what a query in Gmail's language finds, newest first.

        Raises `ProposalError` that names what is wrong or not understood.
        """
        ...

    async def get(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        """Return the messages with these ids, in this order and with all their text; unknown ids are left out."""
        ...

    async def heads(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        """Return the same messages as `get`, but without text and attachments: enough to plan changes to many."""
        ...

    async def attachment(self, id_: str, number: int) -> AttachmentFile:
        """Return file `number` of a message. Raises `ProposalError` where there is no such message or file."""
        ...

    async def free_path(self, path: str, name: str) -> str:
        """Return the free path for a file of this name, where `path` is that path or a folder.

        Raises `Refused` outside of the person's folders, and `ProviderError` where something stands in the way.
        """
        ...

    def fact(self, fact: Fact) -> Fact:
        """Return what a plan expects for a fact: the fact itself, or a reference to the step that will change it."""
        ...

    async def keeps_draft(self, length: int) -> bool:
        """Say whether composing a mail of so many characters saves a draft; otherwise it opens a window."""
        ...

    def check_sending(self) -> None:
        """Return if mail can be sent. Raises `SetupError` that says what is to be set."""
        ...
