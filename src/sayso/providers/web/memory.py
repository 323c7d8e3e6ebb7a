"""The web in memory: requests are recorded, and answered with replies from the settings."""

from dataclasses import dataclass

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View, explain_odd_world
from sayso.core.plan import Fact, Facts
from sayso.core.ports import BackendContext, Ids, KillPoint, no_kill_point
from sayso.providers.web.model import Fetch, Fetched, Web


class PlantedReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The reply to a method and an address."""

    url: str
    method: str = "GET"
    status: int = 200
    headers: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    body: str = ""


class WebWorld(Struct, frozen=True):
    """The planted replies, and every request that was recorded."""

    replies: tuple[PlantedReply, ...] = ()
    sent: tuple[Fetch, ...] = ()


def build(context: BackendContext) -> MemoryBackend[WebWorld]:
    """Build it with what the settings may plant under `world`."""
    return memory_backend(context.ids, parse_world(context.settings.get("world", {})), kill=context.kill)


class PlantedWeb(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Replies as the settings write them, under `world`."""

    replies: tuple[PlantedReply, ...] = ()


def parse_world(world: Json) -> WebWorld:
    """Read replies from plain data. Raises `SetupError` for what is no reply."""
    with explain_odd_world("[web] world in the settings", "settings.invalid"):
        return WebWorld(msgspec.convert(world, PlantedWeb).replies)


def memory_backend(
    ids: Ids, world: WebWorld, *, lasting: bool = False, kill: KillPoint = no_kill_point
) -> MemoryBackend[WebWorld]:
    """Return a backend over these replies."""
    rules = MemoryRules(does=do_step, holds=holds, reads=lambda seen: MemoryWeb(seen, ids), resists=resists)
    return MemoryBackend(world, rules, note="answered from memory, nothing was sent", lasting=lasting, kill=kill)


@dataclass(frozen=True)
class MemoryWeb(Web):
    """The reads; in memory every host is allowed, since no request is sent."""

    seen: View[WebWorld]
    ids: Ids

    def may_reach(self, host: str) -> bool:
        return True

    def new_id(self) -> str:
        return self.ids.token()


def do_step(world: WebWorld, step: Fetch, expects: Facts) -> tuple[WebWorld, Facts]:
    """Return the world in which this request is recorded, and the reply it left."""
    reply = reply_to(world, step) or PlantedReply(step.url, step.method, 0)
    headers = tuple(f"{name}: {value}" for name, value in reply.headers.items())
    return replace(world, sent=(*world.sent, step)), (Fetched(step.id, reply.status, headers, reply.body),)


def resists(world: WebWorld, step: Fetch, expects: Facts) -> str | None:
    """Return why a request is refused: the settings have no reply to it."""
    if reply_to(world, step) is None:
        return f"no reply is planted for {step.method} {step.url}; nothing was sent"
    return None


def reply_to(world: WebWorld, step: Fetch) -> PlantedReply | None:
    """Return the reply to a request."""
    return next((one for one in world.replies if (one.url, one.method) == (step.url, step.method)), None)


def holds(world: WebWorld, fact: Fact) -> bool:
    """Say whether a recorded request left this fact."""
    return isinstance(fact, Fetched) and any(step.id == fact.about for step in world.sent)
