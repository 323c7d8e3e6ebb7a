"""The reads of mail on a server."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from email.utils import parseaddr

from sayso.core.plan import Fact
from sayso.core.ports import Clock, Ids
from sayso.core.values import dataclass
from sayso.core.when import LocalZone
from sayso.providers.mail.facts import MailAt
from sayso.providers.mail.finding import Seen
from sayso.providers.mail.imap.asking import asked
from sayso.providers.mail.imap.boxes import Boxes
from sayso.providers.mail.imap.fetching import ALL_BYTES, LISTED_BYTES, selected, with_texts
from sayso.providers.mail.imap.finding import Finder
from sayso.providers.mail.imap.line import Line
from sayso.providers.mail.imap.searching import Hit, key_of, newest
from sayso.providers.mail.imap.wire import Wire
from sayso.providers.mail.outgoing import Outgoing
from sayso.providers.mail.query.parsing import parse
from sayso.providers.mail.query.values import Asked
from sayso.providers.mail.store import Criteria, Flag, Mail, Message, Wanted
from sayso.providers.mail.texts import LISTED, shortened, told_apart
from sayso.providers.mail.world import flag_of, label_of


@dataclass(frozen=True)
class Reads(Mail):
    """The person's mail in the mailboxes of one account."""

    line: Line
    seen: Seen
    ids: Ids
    clock: Clock
    address: str
    outgoing: Outgoing

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        wanted = Wanted(Criteria(limit=limit, unread=None if include_read else True))
        return await self.line.asks(lambda wire, boxes: self._listed(wire, boxes, ["inbox"], wanted))

    async def search(self, wanted: Wanted) -> tuple[Message, ...]:
        return await self.line.asks(lambda wire, boxes: self._listed(wire, boxes, boxes.searched(), wanted))

    async def query(self, query: str, limit: int) -> tuple[Message, ...]:
        meant = parse(query, Asked(self.clock.now(), self.zone(), (parseaddr(self.address)[1],)))

        def question(wire: Wire, boxes: Boxes) -> tuple[Message, ...]:
            return self._told_apart(self._read(wire, boxes, asked(wire, boxes, meant, limit)))

        return await self.line.asks(question)

    async def get(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        return await self.line.asks(lambda wire, boxes: self._whole(wire, boxes, ids))

    async def heads(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        found = await self.line.asks(lambda wire, boxes: Finder(wire, boxes, self.seen).found(ids, first=False))
        return tuple(replace(found[one], message_id=one) for one in ids if one in found)

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

    def _listed(self, wire: Wire, boxes: Boxes, mailboxes: Sequence[str], wanted: Wanted) -> tuple[Message, ...]:
        hits = newest(wire, boxes, mailboxes, key_of(wanted), wanted)
        return self._told_apart(self._read(wire, boxes, hits))

    def _told_apart(self, found: Sequence[Message]) -> tuple[Message, ...]:
        return told_apart((shortened(one, LISTED) for one in found), self.seen)

    @staticmethod
    def _read(wire: Wire, boxes: Boxes, hits: Sequence[Hit]) -> list[Message]:
        by_box: dict[str, list[Hit]] = {}
        for hit in hits:
            by_box.setdefault(hit.box.mailbox, []).append(hit)
        messages: dict[tuple[str, int], Message] = {}
        for mailbox, some in by_box.items():
            box = selected(wire, mailbox, boxes.name(mailbox))
            read = with_texts(wire, box, [hit.uid for hit in some], LISTED_BYTES)
            messages.update({(mailbox, uid): message for uid, message in read.items()})
        there = ((hit.box.mailbox, hit.uid) for hit in hits)
        return [messages[one] for one in there if one in messages]

    def _whole(self, wire: Wire, boxes: Boxes, ids: Sequence[str]) -> tuple[Message, ...]:
        found = Finder(wire, boxes, self.seen).found(ids, first=True)
        by_box: dict[str, list[str]] = {}
        for one, message in found.items():
            by_box.setdefault(message.mailbox, []).append(one)
        whole: dict[str, Message] = {}
        for mailbox, some in by_box.items():
            box = selected(wire, mailbox, boxes.name(mailbox))
            read = with_texts(wire, box, [int(found[one].uid) for one in some], ALL_BYTES)
            for one in some:
                if int(found[one].uid) in read:
                    whole[one] = replace(read[int(found[one].uid)], message_id=one)
        return tuple(whole[one] for one in ids if one in whole)
