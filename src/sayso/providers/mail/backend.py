"""What the backends for real mailboxes share: where messages were last seen, the view of a batch, and sending."""

import dataclasses
from abc import ABC, abstractmethod
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Generic, TypeVar

from msgspec.structs import replace

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, Facts, ResultRef, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.core.quotes import quoted
from sayso.providers.mail.account import read_server, secret_of
from sayso.providers.mail.attachments import AttachmentSaver
from sayso.providers.mail.compose import Composer, Outgoing
from sayso.providers.mail.messages import fulfils, received_time, unknown, write_time
from sayso.providers.mail.model import (
    Changing,
    ComposeMessage,
    RemoveSaved,
    SaveAttachment,
    SendMessage,
    Steps,
)
from sayso.providers.mail.outbox import SentMailbox
from sayso.providers.mail.outbox import no_extra as no_sending
from sayso.providers.mail.query.parser import no_extra as no_queries
from sayso.providers.mail.store import (
    HIDDEN,
    AttachmentFile,
    DatedCriteria,
    Mail,
    MailContext,
    MailPlace,
    Message,
    SavePlace,
)
from sayso.providers.programs.run import ProgramRunner


@dataclass(frozen=True)
class MailOverlay(Mail):
    """A mail store as it would be after the planned steps."""

    base: Mail
    context: MailContext
    steps: tuple[Steps, ...] = ()
    written: Mapping[str, Message] = field(default_factory=dict[str, Message])
    """Messages that the planned steps would write or send, by their ids."""
    as_left: Mapping[tuple[str, str], ResultRef] = field(default_factory=dict[tuple[str, str], ResultRef])

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        found = await self.base.inbox(limit + len(self._changed_ids()), include_read=include_read)
        listed = [one for one in await self._with_changed(found) if one.mailbox == "inbox"]
        return tuple(one for one in listed if include_read or "read" not in one.flags)[:limit]

    async def search(self, wanted: DatedCriteria) -> tuple[Message, ...]:
        limit = wanted.criteria.limit
        wider = replace(wanted, criteria=replace(wanted.criteria, limit=limit + len(self._changed_ids())))
        found = await self._with_changed(await self.base.search(wider))
        # The store has already checked the unchanged messages. It also searched the text that a list leaves out.
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

    async def free_path(self, path: str, name: str) -> SavePlace:
        free = await self.base.free_path(path, name)
        if any(isinstance(step, SaveAttachment) and step.path == free.path for step in self.steps):
            raise ProviderError(f"{quoted(free.path)} is taken by an earlier step; give another name", "path.taken")
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
        """Return the found, changed and written messages as they would be after the steps, newest first."""
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
    """Return a view of the mail in which `step` has been done.

    Facts that the step makes true become references to the change `ref`.
    """
    before = seen if isinstance(seen, MailOverlay) else MailOverlay(seen, seen.context)
    left = {fact.key: ResultRef(fact.about, fact.fact, ref.change, ref.action) for fact in step.leaves()}
    message = step.new_message(now)
    written = {**before.written, message.message_id: message} if message else before.written
    return dataclasses.replace(before, steps=(*before.steps, step), written=written, as_left={**before.as_left, **left})


MOST = 20_000
"""The most messages whose places are remembered."""
LISTED = 65_536
"""The most characters of the text of a message in a list; a message that is read by its id has all of its text."""


class KnownPlaces:
    """The places at which messages were last seen, by their ids. The oldest are dropped."""

    def __init__(self) -> None:
        self._places: OrderedDict[str, MailPlace] = OrderedDict()

    def __getitem__(self, id_: str) -> MailPlace | None:
        """Return where a message was last seen; None if that is not known."""
        return self._places.get(id_)

    def put(self, id_: str, place: MailPlace) -> None:
        """Remember where a message was seen."""
        self._places[id_] = place
        self._places.move_to_end(id_)
        if len(self._places) > MOST:
            self._places.popitem(last=False)


def shorten_message(message: Message, most: int = LISTED) -> Message:
    """Return a message with at most the first `most` characters of its text."""
    left = len(message.body_text) - most
    if left <= 0:
        return message
    return replace(message, body_text=message.body_text[:most], text_left=message.text_left + left)


def tell_apart(messages: Iterable[Message], known: KnownPlaces) -> tuple[Message, ...]:
    """Return messages with unique ids, and remember where each was seen.

    If several messages have the same Message-ID, each of them gets its place as its id.
    """
    found = tuple(messages)
    count = Counter(message.message_id for message in found)
    listed: list[Message] = []
    for message in found:
        id_ = message.message_id if count[message.message_id] == 1 else str(message.place)
        listed.append(replace(message, message_id=id_))
        known.put(id_, message.place)
    return tuple(listed)


@dataclass(frozen=True)
class StoredMail(Mail):
    """The methods of `Mail` that are the same for every store with real mailboxes."""

    known: KnownPlaces
    context: MailContext
    outgoing: Outgoing
    saver: AttachmentSaver

    @abstractmethod
    async def find_attachment(self, id_: str, number: int) -> AttachmentFile | None:
        """Return attachment `number` of a message; None if there is no such message."""
        ...

    async def attachment(self, id_: str, number: int) -> AttachmentFile:
        found = await self.find_attachment(id_, number)
        if found is None:
            raise unknown([id_])
        return found

    async def free_path(self, path: str, name: str) -> SavePlace:
        return await self.saver.free_path(path, name)

    def fact(self, fact: Fact) -> Fact:
        return fact

    async def keeps_draft(self, length: int) -> bool:
        return not await self.outgoing.composer.opens(length)

    def check_sending(self) -> None:
        read_server(self.outgoing.context.settings)


M = TypeVar("M", bound=StoredMail)


class MailBackend(ABC, Generic[M]):
    """A backend for real mailboxes. A subclass changes messages and adds drafts; this class does everything else."""

    imagines = True
    note = ""
    reads: M

    def __init__(self, context: BackendContext, sent: SentMailbox) -> None:
        self.context = context
        self.outgoing = Outgoing(context, sent, secret_of, Composer(ProgramRunner(context.environ, context.ids)))
        self.saver = AttachmentSaver(context)

    @abstractmethod
    async def change(self, step: Changing | ComposeMessage, expects: Facts) -> Applied:
        """Change messages or save a draft. Raises `ProviderError` if something is not as expected."""

    @abstractmethod
    async def settle_change(self, step: Changing | ComposeMessage, expects: Facts) -> Settlement:
        """Return whether an interrupted step was done, as far as the mailboxes show it."""

    async def send(self, step: SendMessage) -> Applied:
        """Send a mail, at most once."""
        return await self.outgoing.send(step)

    async def settle_sent(self, step: SendMessage) -> Settlement:
        """Return whether an interrupted sending sent the mail."""
        return await self.outgoing.settle(step)

    async def open(self, step: ComposeMessage) -> Applied:
        """Open a window with a mail."""
        return await self.outgoing.composer.open(step)

    async def settle_opened(self, step: ComposeMessage) -> Settlement:
        """Return whether an interrupted step opened a window."""
        return CannotTell("whether a window was opened cannot be seen")

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Do a step, after checking everything that it expects."""
        try:
            match step:
                case SendMessage():
                    return await self.send(step)
                case ComposeMessage(draft=False):
                    return await self.open(step)
                case SaveAttachment() | RemoveSaved():
                    return await self.saver.execute(step, expects, self.reads.attachment)
                case _:
                    return await self.change(step, expects)
        except SetupError as missing:
            # A missing permission may be noticed only now, and then nothing was changed.
            raise ProviderError(str(missing), missing.code) from missing

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        """Return whether an interrupted step was done, as far as that can be found out."""
        match step:
            case SendMessage():
                return await self.settle_sent(step)
            case ComposeMessage(draft=False):
                return await self.settle_opened(step)
            case SaveAttachment() | RemoveSaved():
                return await self.saver.settle(step, expects)
            case _:
                return await self.settle_change(step, expects)

    def holds(self, step: Steps) -> float:
        """Return how many seconds a step is delayed so that it can be undone."""
        return self.outgoing.holds(step)

    def tells(self, step: Steps, left: Applied) -> str:
        """Return a note for the person if the result differs from what was asked for; empty otherwise."""
        return self.outgoing.tells(step, left)

    def imagine(self, seen: Mail, step: Steps, ref: ChangeRef) -> MailOverlay:
        """Return a view of the mail in which the step has been done; nothing is changed and no server contacted."""
        return imagine_step(seen, step, ref, write_time(self.context.clock.now()))

    def result_of(self, step: Changing | ComposeMessage, places: dict[str, MailPlace]) -> Applied:
        """Return the result of a step, and remember the new places of the messages."""
        for id_, place in places.items():
            self.reads.known.put(id_, place)
        return Applied(step.leaves(places))

    def kill(self, step: Steps, when: str) -> None:
        """Call the kill point before or after a step, at which a test may end the process."""
        self.context.kill(f"{step.step}.{when}")


def search_capability() -> Capability:
    """Return whether mail can be searched with queries."""
    if find_spec("lark") is None:
        return _missing("mail search", no_queries())
    return Capability("mail search", "lark", "Gmail's queries can be read")


def sending_capability(context: BackendContext) -> Capability:
    """Return which server sends mail. The server is not contacted."""
    try:
        server = read_server(context.settings)
    except SetupError as missing:
        return _missing("sending mail", str(missing))
    if find_spec("aiosmtplib") is None:
        return _missing("sending mail", no_sending())
    return Capability("sending mail", f"{server.host}:{server.port}", "mail.smtp_host names it")


def _missing(name: str, sentence: str) -> Capability:
    says, _, fix = sentence.partition("; ")
    return Capability(name, "", says, fix)
