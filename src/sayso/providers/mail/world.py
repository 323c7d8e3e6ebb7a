"""What each step makes of the mailboxes: plain functions from one world to the next."""

from collections.abc import Mapping
from dataclasses import field, replace

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact, Facts
from sayso.core.values import dataclass
from sayso.providers.mail.facts import MailAt, MailComposed, MailFile, MailFlag, MailLabel, MailSent
from sayso.providers.mail.labels import has_label, with_label
from sayso.providers.mail.steps import (
    ComposeMessage,
    MoveMessages,
    RemoveSaved,
    SaveAttachment,
    SendMessage,
    SetFlag,
    SetLabel,
    Steps,
)
from sayso.providers.mail.store import Flag, Message


@dataclass(frozen=True)
class World:
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


def delivered(messages: tuple[Message, ...]) -> World:
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
            changed = {one: _flagged(_there(world, one), flag, on=on) for one in ids}
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
            return _saved(world, step)


def _saved(world: World, step: SaveAttachment | RemoveSaved) -> tuple[World, Facts]:
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


def _flagged(message: Message, flag: Flag, *, on: bool) -> Message:
    others = tuple(one for one in message.flags if one != flag)
    return replace(message, flags=(*others, flag) if on else others)


def subject_of(world: World, fact: Fact) -> str:
    """Return how a person knows the message a fact is about."""
    one = fact.message_id if isinstance(fact, MailFlag | MailLabel) else fact.about
    named = world.messages.get(one)
    return f"“{named.subject}” from {named.from_address}" if named else "a message"
