"""Mailboxes as the earlier steps of a batch would leave them, over any store of mail; nothing is changed."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from msgspec import structs
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.plan import ChangeRef, Fact, ResultRef
from sayso.providers.mail.memory import flag_of, label_of
from sayso.providers.mail.messages import fulfils, received_time, with_label
from sayso.providers.mail.model import (
    ComposeMessage,
    MailAt,
    MailComposed,
    MailFile,
    MailFlag,
    MailLabel,
    MailSent,
    MoveMessages,
    RemoveSaved,
    SaveAttachment,
    SendMessage,
    SetFlag,
    SetLabel,
    Steps,
)
from sayso.providers.mail.store import Came, Criteria, Flag, Mail, Message, Wanted

OUT_OF_SIGHT = frozenset({"trash", "junk"})
"""Mailboxes whose messages are only found by their ids."""


@dataclass(frozen=True)
class Imagined(Mail):
    """The reads of a store in which steps have been done that were only planned."""

    base: Mail
    steps: tuple[Steps, ...] = ()
    made: Mapping[str, Message] = field(default_factory=dict[str, Message])
    """What would have been written or sent, by its id."""
    as_left: Mapping[tuple[str, str], ResultRef] = field(default_factory=dict[tuple[str, str], ResultRef])

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        found = await self.base.inbox(limit + len(self._changed_ids()), include_read=include_read)
        there = [one for one in await self._after(found) if one.mailbox == "inbox"]
        return tuple(one for one in there if include_read or "read" not in one.flags)[:limit]

    async def search(self, wanted: Wanted) -> tuple[Message, ...]:
        limit = wanted.criteria.limit
        wider = replace(wanted, criteria=_with_limit(wanted, limit + len(self._changed_ids())))
        found = await self._after(await self.base.search(wider))
        # What is as it was, the store has judged already; it sees more of a long text than is listed.
        same = {one.message_id for one in found} - self._changed_ids() - self.made.keys()
        there = (one for one in found if one.mailbox not in OUT_OF_SIGHT)
        return tuple(one for one in there if one.message_id in same or fulfils(one, wanted))[:limit]

    async def query(self, query: str, limit: int) -> tuple[Message, ...]:
        changed = self._changed_ids()
        found = await self.base.query(query, limit + len(changed))
        return tuple(self._as_changed(one) for one in found)[:limit]

    async def get(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        return self._all(ids, await self.base.get(tuple(one for one in ids if one not in self.made)))

    async def heads(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        return self._all(ids, await self.base.heads(tuple(one for one in ids if one not in self.made)))

    async def came(self, id_: str, number: int) -> Came:
        return await self.base.came(id_, number)

    async def place_for(self, path: str, name: str) -> str:
        place = await self.base.place_for(path, name)
        if any(isinstance(step, SaveAttachment) and step.path == place for step in self.steps):
            raise ProviderError(f"“{place}” is taken by an earlier step; give another name", "path.taken")
        return place

    def where(self, message: Message) -> Fact:
        return self._fact(MailAt(message.message_id, message.mailbox, message.uid, message.uidvalidity))

    def flag(self, message: Message, flag: Flag) -> Fact:
        return self._fact(flag_of(message, flag))

    def label(self, message: Message, label: str) -> Fact:
        return self._fact(label_of(message, label))

    def sender(self) -> str:
        return self.base.sender()

    def new_message_id(self) -> str:
        return self.base.new_message_id()

    def new_token(self) -> str:
        return self.base.new_token()

    async def keeps_draft(self, length: int) -> bool:
        return await self.base.keeps_draft(length)

    def may_send(self) -> None:
        self.base.may_send()

    def now(self) -> datetime:
        return self.base.now()

    def zone(self) -> tzinfo:
        return self.base.zone()

    def _fact(self, fact: Fact) -> Fact:
        return self.as_left.get(fact.key, fact)

    def _changed_ids(self) -> set[str]:
        return {one for step in self.steps for one in _touched_ids(step)}

    async def _after(self, found: Sequence[Message]) -> list[Message]:
        """Return what was found, and what else is changed or made, as it would be, newest first."""
        others = tuple(self._changed_ids() - {one.message_id for one in found} - self.made.keys())
        messages = (*found, *await self.base.get(others), *self.made.values())
        return sorted(map(self._as_changed, messages), key=received_time, reverse=True)

    def _all(self, ids: tuple[str, ...], found: Iterable[Message]) -> tuple[Message, ...]:
        there = {one.message_id: one for one in (*found, *self.made.values())}
        return tuple(self._as_changed(there[one]) for one in ids if one in there)

    def _as_changed(self, message: Message) -> Message:
        for step in self.steps:
            if message.message_id in _touched_ids(step):
                message = _apply_to_message(message, step)
        return message


def imagine_step(seen: Mail, step: Steps, ref: ChangeRef, now: str) -> Imagined:
    """Return reads in which `step` has been done; what it leaves is expected as `ref` left it."""
    before = seen if isinstance(seen, Imagined) else Imagined(seen)
    left = {fact.key: ResultRef(fact.about, fact.fact, ref.change, ref.action) for fact in _leaves(step)}
    made = dict(before.made)
    if isinstance(step, SendMessage | ComposeMessage):
        made[step.message_id] = _created_message(step, now)
    return dataclasses.replace(before, steps=(*before.steps, step), made=made, as_left={**before.as_left, **left})


def _leaves(step: Steps) -> tuple[Fact, ...]:
    match step:
        case MoveMessages(ids, _, destination):
            return tuple(MailAt(one, destination, "") for one in ids)
        case SetFlag(ids, flag, on):
            return tuple(MailFlag(f"{flag} {one}", one, flag, on) for one in ids)
        case SetLabel(ids, label, on):
            return tuple(MailLabel(f"{label} {one}", one, label, on) for one in ids)
        case SendMessage(message_id):
            return (MailSent(message_id),)
        case ComposeMessage(message_id):
            return (MailComposed(message_id), MailAt(message_id, "drafts", ""))
        case SaveAttachment(path=path):
            return (MailFile(path, ""),)
        case RemoveSaved():
            return ()


def _touched_ids(step: Steps) -> tuple[str, ...]:
    return step.ids if isinstance(step, MoveMessages | SetFlag | SetLabel) else ()


def _apply_to_message(message: Message, step: Steps) -> Message:
    match step:
        case MoveMessages(destination=destination):
            return replace(message, mailbox=destination)
        case SetFlag(_, flag, on):
            others = tuple(one for one in message.flags if one != flag)
            return replace(message, flags=(*others, flag) if on else others)
        case SetLabel(_, label, on):
            return with_label(message, label, on=on)
        case _:
            return message


def _created_message(step: SendMessage | ComposeMessage, now: str) -> Message:
    written = Message(step.message_id, "", step.to, step.subject, step.body, now, flags=("read",), mailbox="drafts")
    return (
        replace(written, from_address=step.sender, cc=step.cc, mailbox="sent")
        if isinstance(step, SendMessage)
        else written
    )


def _with_limit(wanted: Wanted, limit: int) -> Criteria:
    return structs.replace(wanted.criteria, limit=limit)
