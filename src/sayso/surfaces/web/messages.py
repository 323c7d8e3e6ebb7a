"""The messages of the page's socket that are sayso's own; those about own actions are in `templates/messages.py`."""

from collections.abc import Sequence
from typing import Annotated, Literal, Protocol

import msgspec
from msgspec import Meta, Struct

from sayso.templates.messages import ErrorMessage, ExecuteAction, read_request

LONGEST_ID = 200
Id = Annotated[str, Meta(max_length=LONGEST_ID)]


class Attach(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="attach"):
    """A page to sayso: the number of the last change that it has read, and the conversation that it shows."""

    since: int = 0
    session: Id = ""


Status = Literal["replying", "waiting", "idle"]


class Hello(Struct, frozen=True, tag_field="type", tag="hello"):
    """sayso to a page that has connected: the number of the last change."""

    sequence: int


class Changed(Struct, frozen=True, tag_field="type", tag="changed"):
    """sayso to all pages: the journal has changed, up to this number."""

    sequence: int
    what: Sequence[str] = ("rows", "waiting", "sessions")


class SessionStatus(Struct, frozen=True, tag_field="type", tag="session"):
    """sayso to all pages: whether a reply goes on in a conversation, or something of it waits, or neither."""

    session: str
    status: Status
    message: str
    """The reply that goes on; empty if none does."""


class Rewinding(Struct, frozen=True, tag_field="type", tag="rewinding"):
    """sayso to all pages: how many actions of a rewind were tried so far, of how many."""

    done: int
    of: int


class AssistantDelta(Struct, frozen=True, tag_field="type", tag="assistant_delta", rename={"since": "from"}):
    """sayso to the pages that show a conversation: what they lack of the reply that goes on."""

    session: str
    message: str
    since: int
    text: str
    block: int
    blocks: Sequence[str]
    progress: str


class Sent(Struct, frozen=True):
    """How much of a reply a page was sent."""

    message: str
    chars: int = 0
    units: int = 0
    """The same number in the units of UTF-16, in which pages count."""
    blocks: int = 0
    """How many of its blocks will never change again."""
    version: int = 0
    """The version of its blocks."""
    progress: str = ""


class Growth(Struct, frozen=True):
    """What a page lacks of a reply, as the message that is sent, and how much it has been sent then."""

    frame: str
    sent: Sent

    @staticmethod
    def of(session: str, sent: Sent, now: Sent, text: str, blocks: Sequence[str]) -> "Growth":
        """Return what is new in a reply of this text and these blocks."""
        # A long block that is read again later is not sent again before that.
        block = len(blocks) if sent.version == now.version else sent.blocks
        told = AssistantDelta(session, now.message, sent.units, text[sent.chars :], block, blocks[block:], now.progress)
        return Growth(msgspec.json.encode(told).decode(), now)


class Grows(Protocol):
    """A reply that goes on."""

    message: str

    def since(self, sent: Sent | None) -> Growth | None:
        """Return what a page lacks that was sent so much; None if it lacks nothing."""
        ...


def read_message(text: str | bytes) -> Attach | ExecuteAction | ErrorMessage:
    """Return what a page sent, or the answer to it if it is malformed; nothing happens then (T-91)."""
    try:
        return msgspec.json.decode(text, type=Attach)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return read_request(text)
