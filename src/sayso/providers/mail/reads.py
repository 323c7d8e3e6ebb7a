"""The reads that are alike in every store of mail."""

from abc import abstractmethod
from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, tzinfo

from msgspec.structs import replace

from sayso.core.datetimes import LocalZone
from sayso.core.plan import Fact
from sayso.core.ports import Clock, Ids
from sayso.providers.mail.attachments import Saving
from sayso.providers.mail.compose import Outgoing
from sayso.providers.mail.memory import flag_of, label_of
from sayso.providers.mail.messages import Place, unknown
from sayso.providers.mail.model import MailAt
from sayso.providers.mail.store import Came, Flag, Mail, Message

MOST = 20_000
"""How many messages are remembered."""


class Seen:
    """Where messages were seen last, by their ids; the oldest are forgotten."""

    def __init__(self) -> None:
        self._places: OrderedDict[str, Place] = OrderedDict()

    def __getitem__(self, id_: str) -> Place | None:
        """Return where a message was seen; None when it was not, or is forgotten."""
        return self._places.get(id_)

    def put(self, id_: str, place: Place) -> None:
        """Remember where a message was seen."""
        self._places[id_] = place
        self._places.move_to_end(id_)
        if len(self._places) > MOST:
            self._places.popitem(last=False)

    def drop(self, id_: str) -> None:
        """Forget where a message was seen: it is there no more."""
        self._places.pop(id_, None)


LISTED = 65_536
"""Characters of its text that a message has in a list; all of it is there when the message is got by its id."""


def shorten_message(message: Message, most: int) -> Message:
    """Return a message with at most the first `most` characters of its text."""
    left = len(message.body_text) - most
    if left <= 0:
        return message
    return replace(message, body_text=message.body_text[:most], text_left=message.text_left + left)


def tell_apart(messages: Iterable[Message], seen: Seen) -> tuple[Message, ...]:
    """Return messages so that no two have the same id, and remember where each was seen.

    Those that call themselves the same go by their places, all of them: the id alone would say which to nobody.
    """
    found = tuple(messages)
    called = Counter(message.message_id for message in found)
    listed: list[Message] = []
    for message in found:
        place = Place(message.mailbox, message.uid, message.uidvalidity)
        id_ = message.message_id if called[message.message_id] == 1 else str(place)
        listed.append(replace(message, message_id=id_))
        seen.put(id_, place)
    return tuple(listed)


@dataclass(frozen=True)
class Alike(Mail):
    """What a store of mail answers without looking at its mailboxes."""

    seen: Seen
    ids: Ids
    clock: Clock
    address: str
    outgoing: Outgoing
    saving: Saving

    @abstractmethod
    async def found_file(self, id_: str, number: int) -> Came | None:
        """Return file `number` of a message; None where there is no such message."""
        ...

    async def came(self, id_: str, number: int) -> Came:
        found = await self.found_file(id_, number)
        if found is None:
            raise unknown([id_])
        return found

    async def place_for(self, path: str, name: str) -> str:
        return await self.saving.place_for(path, name)

    def where(self, message: Message) -> Fact:
        return MailAt(message.message_id, message.mailbox, message.uid, message.uidvalidity)

    def flag(self, message: Message, flag: Flag) -> Fact:
        return flag_of(message, flag)

    def label(self, message: Message, label: str) -> Fact:
        return label_of(message, label)

    def sender(self) -> str:
        return self.address

    def new_message_id(self) -> str:
        return f"<{self.ids.token()}@{self.address.rpartition('@')[2].rstrip('>')}>"

    def new_token(self) -> str:
        return self.ids.token()

    async def keeps_draft(self, length: int) -> bool:
        return await self.outgoing.keeps_draft(length)

    def may_send(self) -> None:
        self.outgoing.check()

    def now(self) -> datetime:
        return self.clock.now()

    def zone(self) -> tzinfo:
        return LocalZone()
