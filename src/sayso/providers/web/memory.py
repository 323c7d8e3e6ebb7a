"""The simulated web backend: it records requests, and answers them with replies from the settings."""

from dataclasses import dataclass

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View, explain_odd_world
from sayso.core.plan import Fact, Facts
from sayso.core.ports import BackendContext, Ids, KillPoint, no_kill_point
from sayso.providers.web.addresses import WebAddress
from sayso.providers.web.model import Fetch, Fetched, Web


class PlantedReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The reply to requests with this method and address."""

    url: str
    method: str = "GET"
    status: int = 200
    headers: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    body: str = ""


class WebWorld(Struct, frozen=True):
    """The state of the simulation: the replies from the settings, and the recorded requests."""

    replies: tuple[PlantedReply, ...] = ()
    sent: tuple[Fetch, ...] = ()


def build(context: BackendContext) -> MemoryBackend[WebWorld]:
    """Return a backend with the replies from the setting `world`."""
    return memory_backend(context.ids, parse_world(context.settings.get("world", {})), kill=context.kill)


class PlantedWeb(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the section `world` in the settings."""

    replies: tuple[PlantedReply, ...] = ()


def parse_world(world: Json) -> WebWorld:
    """Parse the replies from plain data. Raises `SetupError` if the data is invalid."""
    with explain_odd_world("[web] world in the settings", "settings.invalid"):
        return WebWorld(msgspec.convert(world, PlantedWeb).replies)


def memory_backend(
    ids: Ids, world: WebWorld, *, lasting: bool = False, kill: KillPoint = no_kill_point
) -> MemoryBackend[WebWorld]:
    """Return a backend that starts with this state."""
    rules = MemoryRules(does=do_step, holds=holds, reads=lambda seen: MemoryWeb(seen, ids), resists=resists)
    return MemoryBackend(world, rules, note="answered from memory, nothing was sent", lasting=lasting, kill=kill)


@dataclass(frozen=True)
class MemoryWeb(Web):
    """What operations can read of the simulation; every host is allowed, because no request is sent."""

    seen: View[WebWorld]
    ids: Ids

    def why_refused(self, there: WebAddress) -> str:
        return ""

    def new_id(self) -> str:
        return self.ids.token()


def do_step(world: WebWorld, step: Fetch, expects: Facts) -> tuple[WebWorld, Facts]:
    """Return the state after this request, and the fact with the reply."""
    reply = reply_to(world, step) or PlantedReply(step.url, step.method, 0)
    headers = tuple(f"{name}: {value}" for name, value in reply.headers.items())
    return replace(world, sent=(*world.sent, step)), (Fetched(step.id, reply.status, headers, reply.body),)


def resists(world: WebWorld, step: Fetch, expects: Facts) -> str | None:
    """Return why a request fails: there is no reply for it in the settings. Otherwise None."""
    if reply_to(world, step) is None:
        return f"no reply is planted for {step.method} {step.url}; nothing was sent"
    return None


def reply_to(world: WebWorld, step: Fetch) -> PlantedReply | None:
    """Return the reply to a request; None if the settings have no reply for it."""
    return next((one for one in world.replies if (one.url, one.method) == (step.url, step.method)), None)


def holds(world: WebWorld, fact: Fact) -> bool:
    """Say whether a recorded request made this fact true."""
    return isinstance(fact, Fetched) and any(step.id == fact.about for step in world.sent)
