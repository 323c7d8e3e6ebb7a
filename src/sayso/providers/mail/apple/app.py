"""What sayso asks the application Mail, and its answers."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.providers.macos.engine import ScriptEngine
from sayso.providers.mail.messages import flags_of, write_time
from sayso.providers.mail.store import MailPlace, Message

APP = "Mail"
SECONDS = 120.0
"""The time limit for reading columns: reading one of a mailbox with 100,000 messages takes Mail some seconds."""
NEWEST = 5000
"""The most messages of one mailbox that are returned; the newest ones."""
TRIES = 12
"""How often Mail is asked, each half second, whether moved messages arrived or a sent one left."""
_ID = 998


class Listed(Struct, frozen=True):
    """A message in the columns of a mailbox; `id` is its Message-ID without angle brackets, and `at` is in ms."""

    uid: str
    id: str
    subject: str
    sender: str
    at: float | None
    read: bool
    flagged: bool
    size: int


class ReadBox(Struct, frozen=True):
    """What was wanted of a mailbox: how many messages match, and the newest of them."""

    name: str
    matching: int
    messages: tuple[Listed, ...] = ()


class Head(Struct, frozen=True):
    """A message without its text, and the name by which Mail knows it."""

    message: Message
    id: str

    @property
    def item(self) -> dict[str, Json]:
        """Return which message this is, for the script."""
        return {"mailbox": self.message.mailbox, "uid": self.message.uid, "id": self.id}


class Person(Struct, frozen=True):
    """A recipient."""

    name: str
    address: str

    def __str__(self) -> str:
        return f"{self.name} <{self.address}>" if self.name else self.address


class Details(Struct, frozen=True):
    """What a message has besides its head; `text` is None if Mail has not fetched it."""

    to: tuple[Person, ...]
    cc: tuple[Person, ...]
    text: str | None
    left: int
    files: tuple[str, ...]


class Changed(Struct, frozen=True):
    """What became of a change: `odd` is the number of the first message that is not as it should be, or -1."""

    odd: int
    refused: str = ""
    moved: tuple[str | None, ...] = ()
    set: bool = True


class Written(Struct, frozen=True):
    """What became of a mail that was written in Mail."""

    id: str = ""
    whole: bool = True
    refused: str = ""
    taken: bool = False
    waits: bool = False


class Filter(Struct, frozen=True):
    """Which messages are wanted: of these mailboxes (None for all), between two times, read or not."""

    boxes: tuple[str, ...] | None = None
    after: datetime | None = None
    before: datetime | None = None
    unread: bool | None = None
    most: int = NEWEST


class MailApp:
    """Reads and changes the messages of Mail."""

    def __init__(self, engine: ScriptEngine, tries: int = TRIES) -> None:
        self._engine = engine
        self._tries = tries

    async def list(self, wanted: Filter) -> tuple[ReadBox, ...]:
        """Return the wanted messages by mailbox, newest first in each."""
        times = {"after": _milliseconds(wanted.after), "before": _milliseconds(wanted.before)}
        return await self._list({"boxes": wanted.boxes, "unread": wanted.unread, "most": wanted.most, **times})

    async def find(self, ids: Sequence[str], uids: Sequence[str], first: Sequence[str]) -> tuple[ReadBox, ...]:
        """Return the messages with these Message-IDs or numbers, from these mailboxes first."""
        return await self._list({"ids": ids, "uids": uids, "first": first, "most": NEWEST})

    async def details(self, heads: Sequence[Head], most: int) -> tuple[Details | None, ...]:
        """Return the recipients, texts and attachments of messages; None for one that is gone."""
        if not heads:
            return ()
        items: list[Json] = [head.item for head in heads]
        read = await self._engine.run_script(
            "mail", {"act": "details", "items": items, "most": most}, app=APP, seconds=SECONDS
        )
        return msgspec.convert(read, tuple[Details | None, ...])

    async def source(self, head: Head) -> bytes | None:
        """Return the bytes of a message; None if it is gone."""
        read = await self._engine.run_script("mail", {"act": "source", "items": [head.item]}, app=APP, seconds=SECONDS)
        return read.encode("utf-8", "surrogateescape") if isinstance(read, str) else None

    async def check(self, items: Sequence[Mapping[str, Json]]) -> Changed:
        """Return whether all messages are where and as they should be."""
        return await self._change({"act": "check", "items": [dict(one) for one in items]}, changes=False)

    async def mark(self, items: Sequence[Mapping[str, Json]], flag: str, *, on: bool) -> Changed:
        """Set or clear a flag of messages, if all are as they should be."""
        return await self._change({"act": "flag", "items": [dict(one) for one in items], "flag": flag, "on": on})

    async def move(self, items: Sequence[Mapping[str, Json]], to: str) -> Changed:
        """Move messages to a mailbox, if all are as they should be; return their new numbers."""
        return await self._change({"act": "move", "items": [dict(one) for one in items], "to": to})

    async def write(self, act: str, mail: Mapping[str, Json]) -> Written:
        """Open a window with a mail (`open`), or send it (`send`)."""
        data = {"act": act, "tries": self._tries, **mail}
        read = await self._engine.run_script("mail_write", data, app=APP, changes=True, seconds=SECONDS)
        return msgspec.convert(read, Written)

    async def _list(self, wanted: Mapping[str, Json]) -> tuple[ReadBox, ...]:
        data: dict[str, Json] = {"act": "list", "boxes": None, "first": [], "ids": None, "uids": None, **wanted}
        read = await self._engine.run_script("mail", data, app=APP, seconds=SECONDS)
        return msgspec.convert(read, tuple[ReadBox, ...])

    async def _change(self, data: dict[str, Json], *, changes: bool = True) -> Changed:
        data["tries"] = self._tries
        read = await self._engine.run_script("mail", data, app=APP, changes=changes, seconds=SECONDS)
        return msgspec.convert(read, Changed)


def head_of(box: ReadBox, listed: Listed) -> Head:
    """Return a message of a mailbox; if it has no Message-ID that fits on a line, its place serves as its id."""
    place = MailPlace(box.name, listed.uid)
    id_ = f"<{listed.id}>" if listed.id and len(listed.id) < _ID and listed.id.isprintable() else str(place)
    moment = None if listed.at is None else datetime.fromtimestamp(listed.at / 1000, UTC)
    message = Message(
        id_,
        listed.sender,
        subject=" ".join(listed.subject.split()),
        received_at="" if moment is None else write_time(moment),
        flags=flags_of(starred=listed.flagged, read=listed.read),
        mailbox=box.name,
        uid=listed.uid,
        uidvalidity=1,
        size=listed.size,
    )
    return Head(message, listed.id)


def heads_of(boxes: Sequence[ReadBox]) -> list[Head]:
    """Return the messages of all mailboxes, newest first."""
    heads = [head_of(box, listed) for box in boxes for listed in box.messages]
    return sorted(heads, key=lambda head: head.message.received_at, reverse=True)


def bare_id(id_: str) -> str:
    """Return a Message-ID as Mail has it, without angle brackets."""
    return id_.removeprefix("<").removesuffix(">")


def _milliseconds(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp() * 1000
