"""The reads of mail on a server."""

from collections.abc import Sequence
from dataclasses import replace
from email.utils import parseaddr

from sayso.core.values import dataclass
from sayso.providers.mail.imap import gmail
from sayso.providers.mail.imap.client import Wire
from sayso.providers.mail.imap.connection import Line
from sayso.providers.mail.imap.fetch import ALL_BYTES, LISTED_BYTES, file_of, selected, with_texts
from sayso.providers.mail.imap.mailboxes import Boxes
from sayso.providers.mail.imap.search import Finder, Hit, asked, key_of, keyword_key, newest
from sayso.providers.mail.query.parser import Asked, parse
from sayso.providers.mail.reads import LISTED, Alike, shortened, told_apart
from sayso.providers.mail.store import Came, Criteria, Message, Wanted


@dataclass(frozen=True)
class Reads(Alike):
    """The person's mail in the mailboxes of one account."""

    line: Line

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

    async def found_file(self, id_: str, number: int) -> Came | None:
        return await self.line.asks(lambda wire, boxes: self._file(wire, boxes, id_, number))

    def _listed(self, wire: Wire, boxes: Boxes, mailboxes: Sequence[str], wanted: Wanted) -> tuple[Message, ...]:
        label_key = gmail.label_key if gmail.offered(wire) else keyword_key
        hits = newest(wire, boxes, mailboxes, key_of(wanted, label_key), wanted)
        return self._told_apart(self._read(wire, boxes, hits))

    def _told_apart(self, found: Sequence[Message]) -> tuple[Message, ...]:
        return told_apart((shortened(one, LISTED) for one in found), self.seen)

    @staticmethod
    def _read(wire: Wire, boxes: Boxes, hits: Sequence[Hit]) -> list[Message]:
        by_box: dict[str, list[Hit]] = {}
        for hit in hits:
            by_box.setdefault(hit.box.mailbox, []).append(hit)
        messages: dict[tuple[str, int], Message] = {}
        for mailbox, some in sorted(by_box.items(), key=lambda one: boxes.name(one[0]) != wire.at):
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

    def _file(self, wire: Wire, boxes: Boxes, id_: str, number: int) -> Came | None:
        found = Finder(wire, boxes, self.seen).found([id_], first=True)
        for message in found.values():
            box = selected(wire, message.mailbox, boxes.name(message.mailbox))
            return file_of(wire, box, int(message.uid), number)
        return None
