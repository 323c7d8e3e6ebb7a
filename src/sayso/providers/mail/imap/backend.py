"""The backend over an account on a server: every step one exchange per mailbox, settled by looking after a cut."""

from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import parseaddr
from typing import assert_never

from anyio import current_time, to_thread
from msgspec.structs import replace

from sayso.core.errors import ProposalError, ProviderError, SaysoError
from sayso.core.plan import Applied, CannotTell, ChangeRef, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.accounts.keyring import password_line
from sayso.providers.mail.addresses import sender_of
from sayso.providers.mail.attachments import Saving
from sayso.providers.mail.compose import Composer, Outgoing, message_bytes
from sayso.providers.mail.health import searching, sending
from sayso.providers.mail.imap import mailboxes as gmail
from sayso.providers.mail.imap.account import account_of, entry_of, secret_of
from sayso.providers.mail.imap.changes import Checked, SentBox, check_messages, mark_messages, move_messages
from sayso.providers.mail.imap.client import Text, Wire
from sayso.providers.mail.imap.connection import Line
from sayso.providers.mail.imap.fetch import (
    ALL_BYTES,
    LISTED_BYTES,
    fetch_messages,
    file_of,
    message_id_of,
    place_at,
    select_mailbox,
    with_texts,
)
from sayso.providers.mail.imap.mailboxes import Boxes
from sayso.providers.mail.imap.search import Finder, Hit, find_hits, key_of, keyword_key, newest
from sayso.providers.mail.messages import Place, write_time
from sayso.providers.mail.model import (
    ComposeMessage,
    MailAt,
    MailComposed,
    MailFlag,
    MailLabel,
    MoveMessages,
    RemoveSaved,
    SaveAttachment,
    SendMessage,
    SetFlag,
    SetLabel,
    Steps,
)
from sayso.providers.mail.overlay import Imagined, imagine_step
from sayso.providers.mail.query.parser import Asked, parse
from sayso.providers.mail.reads import LISTED, Alike, Seen, shorten_message, tell_apart
from sayso.providers.mail.store import Came, Criteria, Mail, Message, Wanted
from sayso.providers.programs.run import ProgramRunner


@dataclass(frozen=True)
class Reads(Alike):
    """The person's mail in the mailboxes of one account."""

    line: Line

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        wanted = Wanted(Criteria(limit=limit, unread=None if include_read else True))
        return await self.line.asks(lambda wire, boxes: self._list_messages(wire, boxes, ["inbox"], wanted))

    async def search(self, wanted: Wanted) -> tuple[Message, ...]:
        return await self.line.asks(
            lambda wire, boxes: self._list_messages(wire, boxes, boxes.mailboxes_to_search(), wanted)
        )

    async def query(self, query: str, limit: int) -> tuple[Message, ...]:
        meant = parse(query, Asked(self.clock.now(), self.zone(), (parseaddr(self.address)[1],)))

        def question(wire: Wire, boxes: Boxes) -> tuple[Message, ...]:
            return self._tell_apart(self._read(wire, boxes, find_hits(wire, boxes, meant, limit)))

        return await self.line.asks(question)

    async def get(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        return await self.line.asks(lambda wire, boxes: self._whole(wire, boxes, ids))

    async def heads(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        found = await self.line.asks(lambda wire, boxes: Finder(wire, boxes, self.seen).found(ids, first=False))
        return tuple(replace(found[one], message_id=one) for one in ids if one in found)

    async def found_file(self, id_: str, number: int) -> Came | None:
        return await self.line.asks(lambda wire, boxes: self._file(wire, boxes, id_, number))

    def _list_messages(self, wire: Wire, boxes: Boxes, mailboxes: Sequence[str], wanted: Wanted) -> tuple[Message, ...]:
        label_key = gmail.label_key if gmail.has_gmail_labels(wire) else keyword_key
        hits = newest(wire, boxes, mailboxes, key_of(wanted, label_key), wanted)
        return self._tell_apart(self._read(wire, boxes, hits))

    def _tell_apart(self, found: Sequence[Message]) -> tuple[Message, ...]:
        return tell_apart((shorten_message(one, LISTED) for one in found), self.seen)

    @staticmethod
    def _read(wire: Wire, boxes: Boxes, hits: Sequence[Hit]) -> list[Message]:
        by_box: dict[str, list[Hit]] = {}
        for hit in hits:
            by_box.setdefault(hit.box.mailbox, []).append(hit)
        messages: dict[tuple[str, int], Message] = {}
        for mailbox, some in sorted(by_box.items(), key=lambda one: boxes.name(one[0]) != wire.at):
            box = select_mailbox(wire, mailbox, boxes.name(mailbox))
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
            box = select_mailbox(wire, mailbox, boxes.name(mailbox))
            read = with_texts(wire, box, [int(found[one].uid) for one in some], ALL_BYTES)
            for one in some:
                if int(found[one].uid) in read:
                    whole[one] = replace(read[int(found[one].uid)], message_id=one)
        return tuple(whole[one] for one in ids if one in whole)

    def _file(self, wire: Wire, boxes: Boxes, id_: str, number: int) -> Came | None:
        found = Finder(wire, boxes, self.seen).found([id_], first=True)
        for message in found.values():
            box = select_mailbox(wire, message.mailbox, boxes.name(message.mailbox))
            return file_of(wire, box, int(message.uid), number)
        return None


SLICE = 5.0
"""Seconds after which it is looked whether waiting for mail is still wanted."""


def build(ground: BackendContext) -> "Imap":
    """Build it for the account that the settings name, without reaching it. Raises `SetupError` for what is missing."""
    account_of(ground)
    settings = ground.settings
    user = str(settings.get("user") or settings.get("address") or "")
    address, name = str(settings.get("address") or user), str(settings.get("name") or "")
    return Imap(ground, f"imap:{user}", sender_of(address, name))


class Imap:
    """The person's mail on a server."""

    imagines = True
    note = ""

    def __init__(self, ground: BackendContext, name: str, sender: str) -> None:
        self.name = name
        self._ground = ground
        self._line = Line(ground)
        sent = SentBox(self._line, ground)
        self._outgoing = Outgoing(ground, sent, secret_of, Composer(ProgramRunner(ground.environ, ground.ids)))
        self._saving = Saving(ground)
        self.reads = Reads(Seen(), ground.ids, ground.clock, sender, self._outgoing, self._saving, self._line)

    def close(self) -> None:
        """Let go of the connection."""
        self._line.close()

    async def until_new_mail(self, seconds: float) -> bool:
        """Wait for mail in the inbox, up to so many seconds; say whether some came.

        A cut connection is opened again, and mail that came meanwhile counts.
        """
        watch = await self._line.watch()
        deadline = current_time() + seconds
        try:
            await to_thread.run_sync(watch.begin)
            while (left := deadline - current_time()) > 0:
                if await to_thread.run_sync(watch.came, min(left, SLICE)):
                    return True
            return False
        finally:
            watch.close()

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Do a step if everything is as expected, which the server is asked before anything is done."""
        match step:
            case MoveMessages():
                return await self._execute_move(step, expects)
            case SetFlag() | SetLabel():
                return await self._execute_mark(step, expects)
            case ComposeMessage():
                return await (self._execute_draft(step) if step.draft else self._outgoing.composer.open(step))
            case SendMessage():
                return await self._outgoing.send(step)
            case SaveAttachment() | RemoveSaved():
                return await self._saving.carry_out(step, expects, self.reads.came)
            case _:
                assert_never(step)

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        """Say what became of a step, as far as the server can show it."""
        if isinstance(step, SendMessage):
            return await self._outgoing.settle(step)
        if isinstance(step, ComposeMessage):
            if not step.draft:
                return CannotTell("whether a window was opened cannot be seen")
            return await self._settle_draft(step)
        if isinstance(step, SaveAttachment | RemoveSaved):
            return await self._saving.settle(step, expects)
        try:
            await self._line.asks(lambda wire, boxes: check_messages(wire, boxes, self.reads.seen, step, expects))
        except (ProviderError, ProposalError) as changed:
            if changed.code != "world.changed":
                raise
            return CannotTell("some of the messages are not as they were, and who changed them cannot be seen")
        return NotDone("all messages are as they were")

    def holds(self, step: Steps) -> float:
        """Return for how many seconds a step is held back."""
        return self._outgoing.holds(step)

    def tells(self, step: Steps, left: Applied) -> str:
        """Say what of a step could not be done as it was asked."""
        return self._outgoing.tells(step, left)

    def imagine(self, seen: Mail, step: Steps, ref: ChangeRef) -> Imagined:
        """Return reads in which the step has been done; nobody is asked."""
        return imagine_step(seen, step, ref, write_time(self._ground.clock.now()))

    async def capabilities(self) -> tuple[Capability, ...]:
        """Say whether the password can be had, the server shows mailboxes, and mail can be searched and sent."""
        line = await password_line(self._ground, entry_of(self._ground.settings))
        boxes = (await self._mailboxes(),) if line.served else ()
        return line, *boxes, searching(), sending(self._ground)

    async def _mailboxes(self) -> Capability:
        try:
            boxes = await self._line.asks(lambda wire, boxes: boxes)
        except SaysoError as wrong:
            says, _, fix = str(wrong).partition("; ")
            return Capability("mailboxes", "", says, fix, asked=True)
        named = account_of(self._ground).named
        return Capability("mailboxes", named, f"mail.host names it; {len(boxes.names)} mailboxes")

    async def _execute_move(self, step: MoveMessages, expects: Facts) -> Applied:
        def deed(wire: Wire, there: Checked) -> dict[str, Place]:
            self._kill(step, "before")
            places = move_messages(wire, step, there)
            self._kill(step, "after")
            return places

        places = await self._line.does(
            lambda wire, boxes: check_messages(wire, boxes, self.reads.seen, step, expects), deed
        )
        for one, place in places.items():
            self.reads.seen.put(one, place)
        return Applied(
            tuple(MailAt(one, step.destination, places[one].uid, places[one].uidvalidity) for one in step.ids)
        )

    async def _execute_mark(self, step: SetFlag | SetLabel, expects: Facts) -> Applied:
        def deed(wire: Wire, there: Checked) -> None:
            self._kill(step, "before")
            mark_messages(wire, step, there)
            self._kill(step, "after")

        await self._line.does(lambda wire, boxes: check_messages(wire, boxes, self.reads.seen, step, expects), deed)
        if isinstance(step, SetFlag):
            return Applied(tuple(MailFlag(f"{step.flag} {one}", one, step.flag, step.on) for one in step.ids))
        return Applied(tuple(MailLabel(f"{step.label} {one}", one, step.label, step.on) for one in step.ids))

    async def _execute_draft(self, step: ComposeMessage) -> Applied:
        now = self._ground.clock.now()
        data = message_bytes(step, self.reads.address, now)

        def deed(wire: Wire, boxes: Boxes) -> Place | None:
            name = boxes.made(wire, "drafts")
            self._kill(step, "before")
            wire.append(name, data, (rb"\Draft", rb"\Seen"), now)
            self._kill(step, "after")
            return self._draft(wire, boxes, step)

        place = await self._line.does(lambda wire, boxes: boxes, deed)
        if place is None:
            raise ProviderError("the mail server took the draft and does not show it", "mail.draft")
        return self._draft_left(step, place)

    def _draft_left(self, step: ComposeMessage, place: Place) -> Applied:
        self.reads.seen.put(step.message_id, place)
        return Applied((MailComposed(step.message_id), MailAt(step.message_id, "drafts", place.uid, place.uidvalidity)))

    async def _settle_draft(self, step: ComposeMessage) -> Settlement:
        place = await self._line.asks(lambda wire, boxes: self._draft(wire, boxes, step))
        return NotDone("there is no such draft") if place is None else self._draft_left(step, place)

    @staticmethod
    def _draft(wire: Wire, boxes: Boxes, step: ComposeMessage) -> Place | None:
        if "drafts" not in boxes.names:
            return None
        box = select_mailbox(wire, "drafts", boxes.name("drafts"))
        key = [b"HEADER", b"MESSAGE-ID", Text(step.message_id.encode())]
        for uid, told in fetch_messages(wire, wire.found(key), ("BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]",)):
            if message_id_of(told, place_at(box, uid)) == step.message_id:
                return place_at(box, uid)
        return None

    def _kill(self, step: Steps, when: str) -> None:
        self._ground.kill(f"{step.step}.{when}")
