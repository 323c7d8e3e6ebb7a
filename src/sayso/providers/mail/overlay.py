"""Mailboxes as the earlier steps of a batch would leave them, over any store of mail; nothing is changed."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.plan import ChangeRef, Fact, ResultRef
from sayso.providers.mail.messages import fulfils, received_time
from sayso.providers.mail.model import SaveAttachment, Steps
from sayso.providers.mail.store import HIDDEN, AttachmentFile, DatedCriteria, Mail, MailContext, Message


@dataclass(frozen=True)
class MailOverlay(Mail):
    """The reads of a store as they would be once the planned steps were done."""

    base: Mail
    context: MailContext
    steps: tuple[Steps, ...] = ()
    written: Mapping[str, Message] = field(default_factory=dict[str, Message])
    """What would have been written or sent, by its id."""
    as_left: Mapping[tuple[str, str], ResultRef] = field(default_factory=dict[tuple[str, str], ResultRef])

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        found = await self.base.inbox(limit + len(self._changed_ids()), include_read=include_read)
        listed = [one for one in await self._with_changed(found) if one.mailbox == "inbox"]
        return tuple(one for one in listed if include_read or "read" not in one.flags)[:limit]

    async def search(self, wanted: DatedCriteria) -> tuple[Message, ...]:
        limit = wanted.criteria.limit
        wider = replace(wanted, criteria=replace(wanted.criteria, limit=limit + len(self._changed_ids())))
        found = await self._with_changed(await self.base.search(wider))
        # The store has judged what is as it was already; it sees more of a long text than is listed.
        unchanged = {one.message_id for one in found} - self._changed_ids() - self.written.keys()
        listed = (one for one in found if one.mailbox not in HIDDEN)
        return tuple(one for one in listed if one.message_id in unchanged or fulfils(one, wanted))[:limit]

    async def query(self, query: str, limit: int) -> tuple[Message, ...]:
        found = await self.base.query(query, limit + len(self._changed_ids()))
        return tuple(self._as_changed(one) for one in found)[:limit]

    async def get(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        return self._in_order(ids, await self.base.get(tuple(one for one in ids if one not in self.written)))

    async def heads(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        return self._in_order(ids, await self.base.heads(tuple(one for one in ids if one not in self.written)))

    async def attachment(self, id_: str, number: int) -> AttachmentFile:
        return await self.base.attachment(id_, number)

    async def free_path(self, path: str, name: str) -> str:
        free = await self.base.free_path(path, name)
        if any(isinstance(step, SaveAttachment) and step.path == free for step in self.steps):
            raise ProviderError(f"“{free}” is taken by an earlier step; give another name", "path.taken")
        return free

    def fact(self, fact: Fact) -> Fact:
        return self.as_left.get(fact.key, fact)

    async def keeps_draft(self, length: int) -> bool:
        return await self.base.keeps_draft(length)

    def check_sending(self) -> None:
        self.base.check_sending()

    def _changed_ids(self) -> set[str]:
        return {one for step in self.steps for one in step.changes}

    async def _with_changed(self, found: Sequence[Message]) -> list[Message]:
        """Return what was found and whatever else is changed or written, as it would be, newest first."""
        others = tuple(self._changed_ids() - {one.message_id for one in found} - self.written.keys())
        messages = (*found, *await self.base.get(others), *self.written.values())
        return sorted(map(self._as_changed, messages), key=received_time, reverse=True)

    def _in_order(self, ids: tuple[str, ...], found: Iterable[Message]) -> tuple[Message, ...]:
        by_id = {one.message_id: one for one in (*found, *self.written.values())}
        return tuple(self._as_changed(by_id[one]) for one in ids if one in by_id)

    def _as_changed(self, message: Message) -> Message:
        for step in self.steps:
            if message.message_id in step.changes:
                message = step.apply_to(message)
        return message


def imagine_step(seen: Mail, step: Steps, ref: ChangeRef, now: str) -> MailOverlay:
    """Return reads in which `step` has been done; what it leaves is expected as `ref` left it."""
    before = seen if isinstance(seen, MailOverlay) else MailOverlay(seen, seen.context)
    left = {fact.key: ResultRef(fact.about, fact.fact, ref.change, ref.action) for fact in step.leaves()}
    message = step.new_message(now)
    written = {**before.written, message.message_id: message} if message else before.written
    return dataclasses.replace(before, steps=(*before.steps, step), written=written, as_left={**before.as_left, **left})
