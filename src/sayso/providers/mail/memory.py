"""Mail kept in memory: what each step makes of the mailboxes, and the backend over them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from email.utils import parseaddr

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.datetimes import LocalZone
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View
from sayso.core.plan import Fact, Facts
from sayso.core.ports import BackendContext, Clock, Ids, KillPoint, no_kill_point
from sayso.policy.paths import normal
from sayso.providers.mail.addresses import sender_of
from sayso.providers.mail.messages import fulfils, has_label, no_file, received_time, unknown, with_label
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
from sayso.providers.mail.query.match import Letter, matches
from sayso.providers.mail.query.parser import Asked, parse
from sayso.providers.mail.store import MOST_FILE, Came, Flag, Mail, Message, Wanted


class World(Struct, frozen=True):
    """The messages, the UID of each in its mailbox, and what was composed."""

    messages: Mapping[str, Message] = field(default_factory=dict[str, Message])
    uids: Mapping[str, int] = field(default_factory=dict[str, int])
    last_uid: int = 0
    composed: tuple[ComposeMessage, ...] = ()
    sent: tuple[SendMessage, ...] = ()
    saved: Mapping[str, str] = field(default_factory=dict[str, str])
    """What would have been saved: digests by paths."""

    def given(self, message: Message) -> "World":
        """Return the world with this message under a new UID, as after a move or a delivery."""
        uid = self.last_uid + 1
        return replace(
            self,
            messages={**self.messages, message.message_id: message},
            uids={**self.uids, message.message_id: uid},
            last_uid=uid,
        )


def deliver_all(messages: tuple[Message, ...]) -> World:
    """Return a world with these messages, numbered in their order."""
    numbers = {message.message_id: number for number, message in enumerate(messages, 1)}
    return World({message.message_id: message for message in messages}, numbers, len(messages))


def after(world: World, step: Steps, now: str) -> tuple[World, Facts]:
    """Return the world after a step, and what the step left."""
    match step:
        case MoveMessages(ids, destination=destination):
            for one in ids:
                world = world.given(replace(_there(world, one), mailbox=destination))
            return world, tuple(at(world, one) for one in ids)
        case SetFlag(ids, flag, on):
            changed = {one: _with_flag(_there(world, one), flag, on=on) for one in ids}
            facts = tuple(flag_of(one, flag) for one in changed.values())
            return replace(world, messages={**world.messages, **changed}), facts
        case SetLabel(ids, label, on):
            changed = {one: with_label(_there(world, one), label, on=on) for one in ids}
            facts = tuple(label_of(one, label) for one in changed.values())
            return replace(world, messages={**world.messages, **changed}), facts
        case SendMessage(message_id, sender, to, subject, body):
            message = Message(message_id, sender, to, subject, body, now, (), ("read",), "sent", step.cc)
            return replace(world.given(message), sent=(*world.sent, step)), (MailSent(message_id),)
        case ComposeMessage():
            return replace(world, composed=(*world.composed, step)), (MailComposed(step.message_id),)
        case SaveAttachment() | RemoveSaved():
            return _save_attachment(world, step)


def _save_attachment(world: World, step: SaveAttachment | RemoveSaved) -> tuple[World, Facts]:
    others = {path: sha256 for path, sha256 in world.saved.items() if path != step.path}
    if isinstance(step, RemoveSaved):
        return replace(world, saved=others), ()
    if step.path in world.saved:
        raise ProviderError(f"“{step.path}” is there already; nothing was saved", "world.changed")
    return replace(world, saved={**others, step.path: step.sha256}), (MailFile(step.path, step.sha256),)


def holds(world: World, fact: Fact) -> bool:
    """Say whether a fact about messages is so in this world."""
    match fact:
        case MailAt():
            return fact.about in world.messages and at(world, fact.about) == fact
        case MailFlag():
            there = world.messages.get(fact.message_id)
            return there is not None and (fact.flag in there.flags) is fact.on
        case MailLabel():
            there = world.messages.get(fact.message_id)
            return there is not None and has_label(there, fact.label) is fact.on
        case MailSent():
            return any(step.message_id == fact.about for step in world.sent)
        case MailFile():
            return world.saved.get(fact.about) == fact.sha256
        case MailComposed():
            return any(step.message_id == fact.about for step in world.composed)
        case _:
            return False


def flag_of(message: Message, flag: Flag) -> MailFlag:
    """Return whether a message has a flag."""
    return MailFlag(f"{flag} {message.message_id}", message.message_id, flag, flag in message.flags)


def label_of(message: Message, label: str) -> MailLabel:
    """Return whether a message has a label, in whatever case it is written."""
    return MailLabel(f"{label} {message.message_id}", message.message_id, label, has_label(message, label))


def at(world: World, message_id: str) -> MailAt:
    """Return where a message is."""
    return MailAt(message_id, world.messages[message_id].mailbox, str(world.uids[message_id]))


def _there(world: World, message_id: str) -> Message:
    if message_id not in world.messages:
        raise ProviderError(f"the message {message_id} is gone; nothing was done", "world.changed")
    return world.messages[message_id]


def _with_flag(message: Message, flag: Flag, *, on: bool) -> Message:
    others = tuple(one for one in message.flags if one != flag)
    return replace(message, flags=(*others, flag) if on else others)


def subject_of(world: World, fact: Fact) -> str:
    """Return how a person knows the message a fact is about."""
    one = fact.message_id if isinstance(fact, MailFlag | MailLabel) else fact.about
    named = world.messages.get(one)
    return f"“{named.subject}” from {named.from_address}" if named else "a message"


YOU = "you@example.invalid"


def build(ground: BackendContext) -> MemoryBackend[World]:
    """Build it with what the settings may plant under `world`, sending as `name` and `address`."""
    name, address = str(ground.settings.get("name") or ""), str(ground.settings.get("address") or YOU)
    sender = sender_of(address, name)
    world, hold = parse_world(ground.settings.get("world", {})), ground.settings.get("hold_seconds")
    held = hold if isinstance(hold, int | float) else 0
    return memory_backend(ground.clock, ground.ids, world, sender, held=held, kill=ground.kill, home=ground.home)


def memory_backend(  # noqa: PLR0913 - what a world of mail is made of
    clock: Clock,
    ids: Ids,
    world: World,
    sender: str = YOU,
    *,
    held: float = 0,
    lasting: bool = False,
    kill: KillPoint = no_kill_point,
    home: str = "/home/you",
) -> MemoryBackend[World]:
    """Return a backend over these mailboxes; `world.sent` holds what would have been sent."""

    def does(world: World, step: Steps, expects: Facts) -> tuple[World, Facts]:
        return after(world, step, clock.now().isoformat(timespec="seconds").replace("+00:00", "Z"))

    laws = MemoryRules(
        does=does,
        holds=must_hold,
        reads=lambda seen: Reads(seen, ids, clock, sender, home),
        held=lambda step: held if isinstance(step, SendMessage) else 0,
    )
    return MemoryBackend(world, laws, note="in memory, nothing was sent", lasting=lasting, kill=kill)


class Planted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mailboxes as the settings write them, under `world`."""

    messages: tuple[Message, ...] = ()


def parse_world(world: Json) -> World:
    """Read mailboxes from plain data. Raises `SetupError` for what is no message."""
    try:
        given = msgspec.convert(world, Planted)
        return deliver_all(tuple(sorted(given.messages, key=received_time)))
    except (msgspec.ValidationError, ProposalError) as wrong:
        raise SetupError(f"[mail] world in the settings: {wrong}", "settings.invalid") from wrong


@dataclass(frozen=True)
class Reads(Mail):
    """The reads over mailboxes, as they are or as earlier steps of a batch would leave them."""

    seen: View[World]
    ids: Ids
    clock: Clock
    address: str = YOU
    home: str = "/home/you"

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        there = (one for one in self._newest() if one.mailbox == "inbox")
        return tuple(one for one in there if include_read or "read" not in one.flags)[:limit]

    async def search(self, wanted: Wanted) -> tuple[Message, ...]:
        return tuple(one for one in self._newest() if fulfils(one, wanted))[: wanted.criteria.limit]

    async def query(self, query: str, limit: int) -> tuple[Message, ...]:
        meant = parse(query, Asked(self.clock.now(), self.zone(), (parseaddr(self.address)[1],)))
        there = sorted(self.seen.look().messages.values(), key=received_time, reverse=True)
        return tuple(one for one in there if matches(meant, letter_of(one)))[:limit]

    async def get(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        messages = self.seen.look().messages
        return tuple(messages[one] for one in ids if one in messages)

    async def heads(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        return tuple(replace(one, body_text="", attachments=()) for one in await self.get(ids))

    async def came(self, id_: str, number: int) -> Came:
        for message in await self.get((id_,)):
            there = next((one for one in message.attachments if one.number == number), None)
            if there is None:
                raise no_file(number, len(message.attachments))
            # Memory keeps no bytes: as many as were planted.
            return Came(message.from_address, message.subject, there.name, bytes(min(there.size, MOST_FILE)))
        raise unknown([id_])

    async def place_for(self, path: str, name: str) -> str:
        place = normal(path, self.home) + (f"/{name}" if path.endswith("/") else "")
        if place in self.seen.look().saved:
            raise ProviderError(f"“{place}” is taken; nothing is ever put over what is there", "path.taken")
        return place

    def where(self, message: Message) -> Fact:
        return self.seen.fact(at(self.seen.look(), message.message_id))

    def flag(self, message: Message, flag: Flag) -> Fact:
        return self.seen.fact(flag_of(message, flag))

    def label(self, message: Message, label: str) -> Fact:
        return self.seen.fact(label_of(message, label))

    def sender(self) -> str:
        return self.address

    def new_message_id(self) -> str:
        domain = self.address.rpartition("@")[2].rstrip(">")
        return f"<{self.ids.token()}@{domain}>"

    def now(self) -> datetime:
        return self.clock.now()

    def new_token(self) -> str:
        return self.ids.token()

    async def keeps_draft(self, length: int) -> bool:
        return False

    def may_send(self) -> None:
        return

    def zone(self) -> tzinfo:
        return LocalZone()

    def _newest(self) -> list[Message]:
        there = (one for one in self.seen.look().messages.values() if one.mailbox not in {"trash", "junk"})
        return sorted(there, key=received_time, reverse=True)


def letter_of(message: Message) -> Letter:
    """Return a message as a query sees it; what memory keeps of one has no files and few headers."""
    lines = message.body_text.splitlines() or [""]
    return Letter(
        received=received_time(message),
        size=sum(len(line.encode()) + 2 for line in lines),
        mailbox=message.mailbox,
        read="read" in message.flags,
        starred="starred" in message.flags,
        labels=message.labels,
        message_id=message.message_id,
        sender=message.from_address,
        to=message.to,
        cc=message.cc,
        subject=message.subject,
        body=message.body_text,
    )


def must_hold(world: World, fact: Fact) -> bool:
    """Say that a fact is so. Raises `ProviderError` that names the message when it is not."""
    if not holds(world, fact):
        raise ProviderError(f"{subject_of(world, fact)} is not as it was; nothing was done", "world.changed")
    return True
