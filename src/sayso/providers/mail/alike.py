"""The reads that are alike in every store of mail: facts, new names, who mail is from, and what came with a mail."""

from abc import abstractmethod
from datetime import datetime, tzinfo

from sayso.core.plan import Fact
from sayso.core.ports import Clock, Ids
from sayso.core.values import dataclass
from sayso.core.when import LocalZone
from sayso.providers.mail.facts import MailAt
from sayso.providers.mail.finding import Seen
from sayso.providers.mail.ids import unknown
from sayso.providers.mail.outgoing import Outgoing
from sayso.providers.mail.saving import Saving
from sayso.providers.mail.store import Came, Flag, Mail, Message
from sayso.providers.mail.world import flag_of, label_of


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
