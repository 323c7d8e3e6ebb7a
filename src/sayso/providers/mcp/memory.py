"""The simulated MCP servers: they record calls, and answer them with results from the settings."""

import json
from collections.abc import Mapping
from typing import cast

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View, explain_odd_world
from sayso.core.plan import Fact, Facts
from sayso.core.ports import BackendContext, Ids, KillPoint, no_kill_point
from sayso.providers.mcp.model import CallTool, Steps, ToolAnswered, WrappedServers


class ServersWorld(Struct, frozen=True):
    """The state of the simulation: the results by `SERVER.TOOL`, and the recorded calls."""

    results: Mapping[str, Json] = field(default_factory=dict[str, Json])
    called: tuple[Steps, ...] = ()


class _Planted(Struct, frozen=True, forbid_unknown_fields=True):
    results: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])


class MemoryServers(WrappedServers):
    """What operations can read of the simulation."""

    def __init__(self, seen: View[ServersWorld], ids: Ids) -> None:
        self.seen = seen
        self._ids = ids

    def new_id(self) -> str:
        return self._ids.token()

    def resolve(self, path: str) -> str:
        return path


def build(context: BackendContext) -> MemoryBackend[ServersWorld]:
    """Return a backend with the results from the setting `world`. Raises `SetupError` if they are invalid."""
    with explain_odd_world("[mcp] world in the settings", "settings.invalid"):
        planted = msgspec.convert(context.settings.get("world", {}), _Planted)
    return memory_backend(context.ids, ServersWorld(cast("Mapping[str, Json]", planted.results)), kill=context.kill)


def memory_backend(
    ids: Ids, world: ServersWorld, *, lasting: bool = False, kill: KillPoint = no_kill_point
) -> MemoryBackend[ServersWorld]:
    """Return a backend that starts with this state."""
    rules = MemoryRules(does=_do, holds=_holds, reads=lambda seen: MemoryServers(seen, ids), resists=_resists)
    return MemoryBackend(world, rules, note="answered from memory, no server was asked", lasting=lasting, kill=kill)


def _do(world: ServersWorld, step: Steps, expects: Facts) -> tuple[ServersWorld, Facts]:
    result = json.dumps(world.results.get(f"{step.server}.{step.tool}") or {"content": []})
    left = (ToolAnswered(step.id, step.server, step.tool, result),) if isinstance(step, CallTool) else ()
    return replace(world, called=(*world.called, step)), left


def _resists(world: ServersWorld, step: Steps, expects: Facts) -> str | None:
    name = f"{step.server}.{step.tool}"
    return None if name in world.results else f"no result is planted for {name}; nothing was called"


def _holds(world: ServersWorld, fact: Fact) -> bool:
    return isinstance(fact, ToolAnswered) and any(step.id == fact.about for step in world.called)
