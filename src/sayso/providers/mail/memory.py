"""Mail kept in memory: mailboxes that were planted, and a list of what would have been sent."""

from dataclasses import replace
from datetime import datetime, tzinfo
from email.utils import parseaddr

import msgspec

from sayso.core.canonical import Json
from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.core.plan import Fact, Facts
from sayso.core.ports import Clock, Ground, Ids, KillPoint, no_kill_point
from sayso.core.pretend import Laws, Pretended, Seen
from sayso.core.values import dataclass
from sayso.core.when import LocalZone
from sayso.policy.paths import normal
from sayso.providers.mail.addresses import sender_of
from sayso.providers.mail.criteria import fulfils, received
from sayso.providers.mail.ids import no_file, unknown
from sayso.providers.mail.query.matching import Letter, matches
from sayso.providers.mail.query.parsing import parse
from sayso.providers.mail.query.values import Asked
from sayso.providers.mail.steps import SendMessage, Steps
from sayso.providers.mail.store import MOST_FILE, Came, Flag, Mail, Message, Wanted
from sayso.providers.mail.world import World, after, at, delivered, flag_of, holds, label_of, subject_of

YOU = "you@example.invalid"


def build(ground: Ground) -> Pretended[World]:
    """Build it with what the settings may plant under `world`, sending as `name` and `address`."""
    name, address = str(ground.settings.get("name") or ""), str(ground.settings.get("address") or YOU)
    sender = sender_of(address, name)
    world, hold = planted(ground.settings.get("world", {})), ground.settings.get("hold_seconds")
    held = hold if isinstance(hold, int | float) else 0
    return pretended(ground.clock, ground.ids, world, sender, held=held, kill=ground.kill, home=ground.home)


def pretended(  # noqa: PLR0913 - what a world of mail is made of
    clock: Clock,
    ids: Ids,
    world: World,
    sender: str = YOU,
    *,
    held: float = 0,
    lasting: bool = False,
    kill: KillPoint = no_kill_point,
    home: str = "/home/you",
) -> Pretended[World]:
    """Return a backend over these mailboxes; `world.sent` holds what would have been sent."""

    def does(world: World, step: Steps, expects: Facts) -> tuple[World, Facts]:
        return after(world, step, clock.now().isoformat(timespec="seconds").replace("+00:00", "Z"))

    laws = Laws(
        does=does,
        holds=must_hold,
        reads=lambda seen: Reads(seen, ids, clock, sender, home),
        held=lambda step: held if isinstance(step, SendMessage) else 0,
    )
    return Pretended(world, laws, note="in memory, nothing was sent", lasting=lasting, kill=kill)


class Planted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mailboxes as the settings write them, under `world`."""

    messages: tuple[Message, ...] = ()


def planted(world: Json) -> World:
    """Read mailboxes from plain data. Raises `SetupError` for what is no message."""
    try:
        given = msgspec.convert(world, Planted)
        return delivered(tuple(sorted(given.messages, key=received)))
    except (msgspec.ValidationError, ProposalError) as wrong:
        raise SetupError(f"[mail] world in the settings: {wrong}", "settings.invalid") from wrong


@dataclass(frozen=True)
class Reads(Mail):
    """The reads over mailboxes, as they are or as earlier steps of a batch would leave them."""

    seen: Seen[World]
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
        there = sorted(self.seen.look().messages.values(), key=received, reverse=True)
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
        return sorted(there, key=received, reverse=True)


def letter_of(message: Message) -> Letter:
    """Return a message as a query sees it; what memory keeps of one has no files and few headers."""
    lines = message.body_text.splitlines() or [""]
    return Letter(
        received=received(message),
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
