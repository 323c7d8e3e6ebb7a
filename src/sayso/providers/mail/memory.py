"""Mail kept in memory: mailboxes that were planted, and a list of what would have been sent."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from typing import Any

import msgspec

from sayso.core.canonical import Json
from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.core.plan import AsLeft, CannotTell, Fact, Facts, Left, NotDone, Ref, Settled
from sayso.core.ports import Clock, Ground, Ids
from sayso.core.when import LocalZone, read_when
from sayso.providers.mail.steps import ComposeMessage, SendMessage, Steps
from sayso.providers.mail.store import Flag, Mail, Message, Wanted
from sayso.providers.mail.world import World, after, at, flag_of, holds, label_of, planted, subject_of

YOU = "you@example.invalid"


def build(ground: Ground) -> "MemoryMail":
    """Build it with the messages planted under `messages` in the settings, sending as `name` and `address`."""
    name, address = str(ground.settings.get("name") or ""), str(ground.settings.get("address") or YOU)
    return MemoryMail(ground.clock, ground.ids, _messages(ground.settings), f"{name} <{address}>" if name else address)


def _messages(settings: Mapping[str, Json]) -> tuple[Message, ...]:
    try:
        messages = msgspec.convert(settings.get("messages", []), tuple[Message, ...])
        return tuple(sorted(messages, key=received))
    except (msgspec.ValidationError, ProposalError) as wrong:
        raise SetupError(f"[mail] messages in the settings: {wrong}", "settings.invalid") from wrong


@dataclass
class Shelf:
    """Where the present world stands, so that reads and backend see the same one."""

    world: World


@dataclass(frozen=True)
class Reads(Mail):
    """The reads over a world; `imagined` says which facts an earlier step of the batch will have left."""

    shelf: Shelf
    ids: Ids
    address: str = YOU
    imagined: Mapping[tuple[str, str], AsLeft] = field(default_factory=dict[tuple[str, str], AsLeft])

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        there = (one for one in self._newest() if one.mailbox == "inbox")
        return tuple(one for one in there if include_read or "read" not in one.flags)[:limit]

    async def search(self, wanted: Wanted) -> tuple[Message, ...]:
        return tuple(one for one in self._newest() if fulfils(one, wanted))[: wanted.criteria.limit]

    async def query(self, query: str, limit: int) -> tuple[Message, ...]:
        raise ProviderError(
            "Gmail's query language is not available with mail in memory; use mail.search with criteria",
            "mail.query_unavailable",
        )

    async def get(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        messages = self.shelf.world.messages
        return tuple(messages[one] for one in ids if one in messages)

    def where(self, message: Message) -> Fact:
        return self._as_left(at(self.shelf.world, message.message_id))

    def flag(self, message: Message, flag: Flag) -> Fact:
        return self._as_left(flag_of(message, flag))

    def label(self, message: Message, label: str) -> Fact:
        return self._as_left(label_of(message, label))

    def sender(self) -> str:
        return self.address

    def new_message_id(self) -> str:
        domain = self.address.rpartition("@")[2].rstrip(">")
        return f"<{self.ids.token()}@{domain}>"

    def zone(self) -> tzinfo:
        return LocalZone()

    def _newest(self) -> list[Message]:
        there = (one for one in self.shelf.world.messages.values() if one.mailbox != "trash")
        return sorted(there, key=received, reverse=True)

    def _as_left(self, fact: Fact) -> Fact:
        return self.imagined.get(fact.key, fact)


class MemoryMail:
    """The backend; what it sends is only recorded."""

    name = "memory"
    imagines = True
    note = "in memory, nothing was sent"
    reads: Any

    def __init__(self, clock: Clock, ids: Ids, messages: tuple[Message, ...] = (), sender: str = YOU) -> None:
        self._clock = clock
        self._shelf = Shelf(planted(messages))
        self._done: dict[Steps, Left] = {}
        self.reads = Reads(self._shelf, ids, sender)

    @property
    def world(self) -> World:
        """Return what there is now: the messages, and all that would have been sent or opened."""
        return self._shelf.world

    async def apply(self, step: Steps, expects: Facts) -> Left:
        for fact in expects:
            if not holds(self._shelf.world, fact):
                raise ProviderError(
                    f"{subject_of(self._shelf.world, fact)} is not as it was; nothing was done", "expects.changed"
                )
        self._shelf.world, facts = after(self._shelf.world, step, self._now())
        self._done[step] = Left(facts)
        return self._done[step]

    async def settle(self, step: Steps, expects: Facts) -> Settled:
        world = self._shelf.world
        if isinstance(step, SendMessage | ComposeMessage):
            return self._done.get(step) or NotDone("there is no message with this id")
        if all(holds(world, fact) for fact in expects):
            return NotDone("the messages are as they were")
        return self._done.get(step) or CannotTell("the messages are not as they were; somebody else may have done it")

    def _now(self) -> str:
        return self._clock.now().isoformat(timespec="seconds").replace("+00:00", "Z")

    def imagine(self, seen: Reads, step: Steps, ref: Ref) -> Reads:
        world, facts = after(seen.shelf.world, step, self._now())
        left = {fact.key: AsLeft(fact.about, fact.fact, ref.change, ref.action) for fact in facts}
        return replace(seen, shelf=Shelf(world), imagined={**seen.imagined, **left})


def received(message: Message) -> datetime:
    """Return when a message came; one without a time counts as the oldest."""
    if not message.received_at:
        return datetime.min.replace(tzinfo=UTC)
    return read_when(message.received_at).at(UTC)


def fulfils(message: Message, wanted: Wanted) -> bool:
    """Say whether a message is one that is searched for."""
    criteria = wanted.criteria
    texts = (
        (criteria.sender, message.from_address),
        (criteria.to, "\n".join((*message.to, *message.cc))),
        (criteria.subject, message.subject),
        (criteria.text, f"{message.subject}\n{message.body_text}"),
    )
    return (
        all(part is None or part.casefold() in whole.casefold() for part, whole in texts)
        and (criteria.label is None or criteria.label in message.labels)
        and (criteria.unread is None or criteria.unread is ("read" not in message.flags))
        and (wanted.after is None or received(message) >= wanted.after)
        and (wanted.before is None or received(message) < wanted.before)
    )
