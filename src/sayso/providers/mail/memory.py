"""Mail kept in memory: the mailboxes, the effect of each step on them, and the backend."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, Uncertain
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View, explain_odd_world
from sayso.core.plan import Fact, Facts
from sayso.core.ports import BackendContext, Clock, Ids, KillPoint, no_kill_point
from sayso.core.quotes import quoted
from sayso.policy.paths import normal
from sayso.providers.mail.addresses import sender_of
from sayso.providers.mail.messages import (
    fulfils,
    no_file,
    parse_query,
    query_message,
    received_time,
    unknown,
    write_time,
)
from sayso.providers.mail.model import (
    ComposeMessage,
    MailAt,
    MailComposed,
    MailFile,
    MailFlag,
    MailLabel,
    MailSent,
    RemoveSaved,
    SaveAttachment,
    SendMessage,
    Steps,
)
from sayso.providers.mail.outbox import AGAIN
from sayso.providers.mail.query.match import QueryMessage, matches
from sayso.providers.mail.store import (
    HIDDEN,
    MOST_FILE,
    AttachmentFile,
    DatedCriteria,
    Mail,
    MailContext,
    Message,
    SavePlace,
)


class MailWorld(Struct, frozen=True):
    """The mailboxes in memory: the messages, each with its UID, and what was composed, sent and saved."""

    messages: Mapping[str, Message] = field(default_factory=dict[str, Message])
    last_uid: int = 0
    composed: tuple[ComposeMessage, ...] = ()
    sent: tuple[SendMessage, ...] = ()
    saved: Mapping[str, str] = field(default_factory=dict[str, str])
    """SHA-256 of each attachment that was saved, by its path. No file is written."""

    def message(self, message_id: str) -> Message:
        """Return a message. Raises `ProviderError` if it is gone."""
        if message_id not in self.messages:
            raise ProviderError(f"the message {message_id} is gone; nothing was done", "world.changed")
        return self.messages[message_id]

    def put(self, message: Message) -> "MailWorld":
        """Return the mailboxes with this message in place of the one with the same id."""
        return replace(self, messages={**self.messages, message.message_id: message})

    def deliver(self, message: Message) -> "MailWorld":
        """Return the mailboxes with this message under a new UID, as after a move or a delivery."""
        numbered = replace(self, last_uid=self.last_uid + 1)
        return numbered.put(replace(message, uid=str(numbered.last_uid), uidvalidity=1))


def deliver_all(messages: tuple[Message, ...]) -> MailWorld:
    """Return mailboxes with these messages, with UIDs in their order."""
    numbered = (replace(one, uid=str(number), uidvalidity=1) for number, one in enumerate(messages, 1))
    return MailWorld({message.message_id: message for message in numbered}, len(messages))


def after(world: MailWorld, step: Steps, now: str) -> tuple[MailWorld, Facts]:
    """Return the mailboxes after a step, and the facts that are true then."""
    for id_ in step.changes:
        message = world.message(id_)
        changed = step.apply_to(message)
        world = world.put(changed) if changed.mailbox == message.mailbox else world.deliver(changed)
    written = step.new_message(now)
    if written is not None:
        world = world.deliver(written)
    places = {id_: message.place for id_, message in world.messages.items()}
    return _record(world, step), step.leaves(places)


def _record(world: MailWorld, step: Steps) -> MailWorld:
    """Return the mailboxes with a record of what a step does outside of them."""
    match step:
        case SendMessage():
            if holds(world, MailSent(step.message_id)):
                raise Uncertain(AGAIN, "mail.sent_before")
            return replace(world, sent=(*world.sent, step))
        case ComposeMessage():
            return replace(world, composed=(*world.composed, step))
        case SaveAttachment(path=path, sha256=sha256):
            if path in world.saved:
                raise ProviderError(f"{quoted(path)} is there already; nothing was saved", "world.changed")
            return replace(world, saved={**world.saved, path: sha256})
        case RemoveSaved(path):
            return replace(world, saved={one: sha256 for one, sha256 in world.saved.items() if one != path})
        case _:
            return world


def holds(world: MailWorld, fact: Fact) -> bool:
    """Return whether a fact about messages is true in these mailboxes."""
    match fact:
        case MailAt():
            return fact.about in world.messages and MailAt.of(world.messages[fact.about]) == fact
        case MailFlag() | MailLabel():
            message = world.messages.get(fact.message_id)
            return message is not None and fact.agrees(message.flags, message.labels)
        case MailSent():
            return any(step.message_id == fact.about for step in world.sent)
        case MailFile():
            return world.saved.get(fact.about) == fact.sha256
        case MailComposed():
            return any(step.message_id == fact.about for step in world.composed)
        case _:
            return False


def must_hold(world: MailWorld, fact: Fact) -> bool:
    """Return true if a fact is true. Otherwise raises `ProviderError`, which names the message."""
    if not holds(world, fact):
        raise ProviderError(f"{_subject_of(world, fact)} is not as it was; nothing was done", "world.changed")
    return True


def _subject_of(world: MailWorld, fact: Fact) -> str:
    """Return the subject and sender of the message that a fact is about."""
    message_id = fact.message_id if isinstance(fact, MailFlag | MailLabel) else fact.about
    message = world.messages.get(message_id)
    return f"{quoted(message.subject)} from {message.from_address}" if message else "a message"


YOU = "you@example.invalid"
HOME = "/home/you"


def build(context: BackendContext) -> MemoryBackend[MailWorld]:
    """Build the backend from the settings: `world` has the mailboxes, `name` and `address` the sender."""
    settings = context.settings
    sender = sender_of(str(settings.get("address") or YOU), str(settings.get("name") or ""))
    world, hold = parse_world(settings.get("world", {})), settings.get("hold_seconds")
    delay = hold if isinstance(hold, int | float) else 0
    return memory_backend(context.clock, context.ids, world, sender, delay=delay, kill=context.kill, home=context.home)


def memory_backend(  # noqa: PLR0913 - what a world of mail is made of
    clock: Clock,
    ids: Ids,
    world: MailWorld,
    sender: str = YOU,
    *,
    delay: float = 0,
    lasting: bool = False,
    kill: KillPoint = no_kill_point,
    home: str = HOME,
) -> MemoryBackend[MailWorld]:
    """Return a backend for these mailboxes; `world.sent` records the messages that would have been sent."""
    rules = MemoryRules(
        does=lambda world, step, expects: after(world, step, write_time(clock.now())),
        holds=must_hold,
        reads=lambda seen: MemoryMail(seen, MailContext(sender, ids, clock), home),
        held=lambda step: delay if isinstance(step, SendMessage) else 0,
    )
    return MemoryBackend(world, rules, note="in memory, nothing was sent", lasting=lasting, kill=kill)


class PlantedMail(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mailboxes as the settings describe them, under `world`."""

    messages: tuple[Message, ...] = ()


def parse_world(world: Json) -> MailWorld:
    """Read mailboxes from plain data. Raises `SetupError` if the data is invalid."""
    with explain_odd_world("[mail] world in the settings", "settings.invalid"):
        given = msgspec.convert(world, PlantedMail)
        return deliver_all(tuple(sorted(given.messages, key=received_time)))


@dataclass(frozen=True)
class MemoryMail(Mail):
    """Looks at the mailboxes, as they are or as they would be after the earlier steps of a batch."""

    seen: View[MailWorld]
    context: MailContext
    home: str = HOME

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        listed = (one for one in self._newest() if one.mailbox == "inbox")
        return tuple(one for one in listed if include_read or "read" not in one.flags)[:limit]

    async def search(self, wanted: DatedCriteria) -> tuple[Message, ...]:
        listed = (one for one in self._newest() if one.mailbox not in HIDDEN and fulfils(one, wanted))
        return tuple(listed)[: wanted.criteria.limit]

    async def query(self, query: str, limit: int) -> tuple[Message, ...]:
        parsed = parse_query(query, self.context)
        return tuple(one for one in self._newest() if matches(parsed, memory_query_message(one)))[:limit]

    async def get(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        messages = self.seen.look().messages
        return tuple(messages[one] for one in ids if one in messages)

    async def heads(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        return tuple(replace(one, body_text="", attachments=()) for one in await self.get(ids))

    async def attachment(self, id_: str, number: int) -> AttachmentFile:
        for message in await self.get((id_,)):
            found = next((one for one in message.attachments if one.number == number), None)
            if found is None:
                raise no_file(number, len(message.attachments))
            # Memory keeps no bytes of attachments, so it returns zeros, as many as the size in the settings says.
            data = bytes(min(found.size, MOST_FILE))
            return AttachmentFile(message.from_address, message.subject, found.name, data)
        raise unknown([id_])

    async def free_path(self, path: str, name: str) -> SavePlace:
        place = normal(path, self.home) + (f"/{name}" if path.endswith("/") else "")
        if place in self.seen.look().saved:
            raise ProviderError(f"{quoted(place)} is taken; what is there is never overwritten", "path.taken")
        return SavePlace(place)

    def fact(self, fact: Fact) -> Fact:
        return self.seen.fact(fact)

    async def keeps_draft(self, length: int) -> bool:
        return False

    def check_sending(self) -> None:
        return

    def _newest(self) -> list[Message]:
        return sorted(self.seen.look().messages.values(), key=received_time, reverse=True)


def memory_query_message(message: Message) -> QueryMessage:
    """Return a message as a query sees it; its size is that of its text, and it has few headers and no attachments."""
    size = sum(len(line.encode()) + 2 for line in message.body_text.splitlines() or [""])
    return replace(query_message(message), size=size, body=message.body_text)
