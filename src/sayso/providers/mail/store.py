"""What an operation may look at in the person's mail: the reads of the mail store."""

import hashlib
from datetime import datetime, tzinfo
from typing import Annotated, Literal, Protocol

import msgspec
from msgspec import Meta, Struct

from sayso.core.plan import Fact
from sayso.core.schema import Line, When

Role = Literal["inbox", "archive", "sent", "trash", "drafts", "junk"]
"""Mailboxes that every backend knows by what they are for; all others go by their own names."""
Flag = Literal["starred", "read"]
MOST_FILE = 64 * 2**20
"""Bytes of a file that is saved from a mail; no mail server takes larger ones."""


class Attachment(Struct, frozen=True):
    """A file that came with a message; `number` counts from 1, in the order of the message."""

    number: int
    name: str
    """A plain file name, whatever the sender wrote."""
    type: str
    size: int
    """About how many bytes it has."""


class Message(Struct, frozen=True):
    """One message. `message_id` is its Message-ID and stays the same wherever it is moved (S3-38).

    One without a Message-ID of its own, or with one that no line can hold, goes by its place instead (`places.py`).
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
    """Which numbering `uid` belongs to; in another one it means nothing (ML-08)."""
    size: int = 0
    """Bytes of the whole message, where that is known."""
    text_left: int = 0
    """About how many more characters its text has than `body_text` holds."""
    attachments: tuple[Attachment, ...] = ()


class Came(Struct, frozen=True):
    """A file that came with a message, with all its bytes."""

    sender: str
    subject: str
    name: str
    """A plain file name, whatever the sender wrote."""
    data: bytes


def digest_of(data: bytes) -> str:
    """Return what tells these bytes from all others."""
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


class Wanted(Struct, frozen=True):
    """Criteria whose dates have been placed in time."""

    criteria: Criteria
    after: datetime | None = None
    before: datetime | None = None


class Mail(Protocol):
    """The reads. In a batch they show the mailboxes as the earlier plans would leave them."""

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        """Return messages in the inbox, newest first."""
        ...

    async def search(self, wanted: Wanted) -> tuple[Message, ...]:
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
        """Return them as `get` does, but without their text and attachments: for deeds on many messages."""
        ...

    async def came(self, id_: str, number: int) -> Came:
        """Return file `number` of a message. Raises `ProposalError` where there is no such message or file."""
        ...

    async def place_for(self, path: str, name: str) -> str:
        """Return the free path at which a file of this name is saved, `path` being that or a folder.

        Raises `Refused` outside of the person's folders, and `ProviderError` where something stands in the way.
        """
        ...

    def where(self, message: Message) -> Fact:
        """Return the fact that the message is in its mailbox under its UID."""
        ...

    def flag(self, message: Message, flag: Flag) -> Fact:
        """Return the fact whether the message has this flag."""
        ...

    def label(self, message: Message, label: str) -> Fact:
        """Return the fact whether the message has this label."""
        ...

    def sender(self) -> str:
        """Return who mail is sent as: an address, with a name where the settings have one."""
        ...

    def new_message_id(self) -> str:
        """Return a Message-ID that no message has yet."""
        ...

    def now(self) -> datetime:
        """Return the time, for what is written now."""
        ...

    def new_token(self) -> str:
        """Return a name that no step has used, for a step that can leave it in the world."""
        ...

    async def keeps_draft(self, length: int) -> bool:
        """Say whether composing a mail of so many characters saves a draft; else it opens a window."""
        ...

    def may_send(self) -> None:
        """Return if mail can be sent. Raises `SetupError` that says what is to be set."""
        ...

    def zone(self) -> tzinfo:
        """Return the person's time zone."""
        ...
