"""Lamps kept in memory: for trying things out, and for tests."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View
from sayso.core.plan import Fact, Facts
from sayso.core.ports import BackendContext, KillPoint, no_kill_point

from lamps.facts import Shines
from lamps.steps import SetLamp
from lamps.store import Lamps


class World(Struct, frozen=True):
    """How bright each lamp shines."""

    lamps: Mapping[str, int]


@dataclass(frozen=True)
class Reads(Lamps):
    """The reads, on the world as it is or as earlier steps of a batch would leave it."""

    seen: View[World]

    async def brightness(self, name: str) -> int:
        lamps = self.seen.look().lamps
        if name not in lamps:
            raise ProviderError(f"there is no lamp “{name}”; there are: {', '.join(lamps)}", "lamp.missing")
        return lamps[name]

    async def shines(self, name: str) -> Fact:
        return self.seen.fact(Shines(name, await self.brightness(name)))


def build(ground: BackendContext) -> MemoryBackend[World]:
    """Build the backend; `names` in the section `[lamps]` says which lamps there are. All are off."""
    return pretended(named(ground.settings.get("names", ["desk", "hall"])), kill=ground.kill)


def named(names: Json) -> World:
    """Return lamps of these names. Raises `SetupError` for what is no list of names."""
    try:
        return World(dict.fromkeys(msgspec.convert(names, list[str]), 0))
    except msgspec.ValidationError as wrong:
        raise SetupError(f"names in [lamps] must be a list of texts: {wrong}", "config.value") from wrong


def pretended(world: World, *, kill: KillPoint = no_kill_point) -> MemoryBackend[World]:
    """Return a backend over these lamps."""
    return MemoryBackend(world, MemoryRules(does=does, holds=holds, reads=Reads), kill=kill)


def does(world: World, step: SetLamp, expects: Facts) -> tuple[World, Facts]:
    """Return the lamps after this step, and what it left."""
    return replace(world, lamps={**world.lamps, step.name: step.brightness}), (Shines(step.name, step.brightness),)


def holds(world: World, fact: Fact) -> bool:
    """Say whether a lamp shines as this fact says."""
    return isinstance(fact, Shines) and world.lamps.get(fact.about) == fact.brightness
