"""The simulated talk backend: it records all steps, and model replies come from the settings."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View, explain_odd_world
from sayso.core.plan import Fact, Facts
from sayso.core.ports import BackendContext, Ids, KillPoint, no_kill_point
from sayso.providers.talk.model import CallModel, Steps
from sayso.providers.talk.store import Instance, Talk, Template


class TalkWorld(Struct, frozen=True):
    """The state of the simulation: the content from the settings, and the recorded steps."""

    templates: tuple[Template, ...] = ()
    instances: tuple[Instance, ...] = ()
    context: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The content from which questions are answered: lines, by heading."""
    replies: tuple[str, ...] = ()
    """The model's replies, in the order of the calls; a call fails when all replies are used."""
    session: str = ""
    done: tuple[Steps, ...] = ()

    @property
    def calls(self) -> int:
        """Return the number of model calls so far."""
        return sum(isinstance(step, CallModel) for step in self.done)


class PlantedTalk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the section `world` in the settings."""

    templates: tuple[Template, ...] = ()
    instances: tuple[Instance, ...] = ()
    context: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict[str, tuple[str, ...]])
    replies: tuple[str, ...] = ()
    session: str = ""


def build(context: BackendContext) -> MemoryBackend[TalkWorld]:
    """Return a backend with the state from the setting `world`."""
    return memory_backend(context.ids, parse_world(context.settings.get("world", {})), kill=context.kill)


def parse_world(world: Json) -> TalkWorld:
    """Parse the state from plain data. Raises `SetupError` if the data is invalid."""
    with explain_odd_world("[talk] world in the settings", "settings.invalid"):
        planted = msgspec.convert(world, PlantedTalk)
    return TalkWorld(planted.templates, planted.instances, planted.context, planted.replies, planted.session)


def memory_backend(
    ids: Ids, world: TalkWorld, *, lasting: bool = False, kill: KillPoint = no_kill_point
) -> MemoryBackend[TalkWorld]:
    """Return a backend that starts with this state."""
    rules = MemoryRules(does=do_step, holds=holds, reads=lambda seen: MemoryTalk(seen, ids), resists=resists)
    return MemoryBackend(world, rules, note="recorded in memory only", lasting=lasting, kill=kill)


@dataclass(frozen=True)
class MemoryTalk(Talk):
    """What operations can read of a simulated state."""

    seen: View[TalkWorld]
    ids: Ids

    def session(self) -> str:
        return self.seen.look().session

    def model(self) -> str:
        return "memory"

    def new_id(self) -> str:
        return self.ids.token()

    async def templates(self) -> tuple[Template, ...]:
        return tuple(sorted(self.seen.look().templates, key=lambda one: one.id))

    async def instance(self, instance_id: str, session_id: str) -> Instance | None:
        wanted = (instance_id, session_id)
        found = (one for one in self.seen.look().instances if (one.instance_id, one.session_id) == wanted)
        return next(found, None)

    async def result(self, instance_id: str, session_id: str) -> Mapping[str, Json] | None:
        return None

    def may_look(self, tool: str) -> bool:
        return True

    async def answer(self, question: str) -> str:
        context = self.seen.look().context
        if not any(context.values()):
            return "Nothing is known here that could answer this."
        parts = [
            f"{heading}:\n" + "\n".join(f"- {line}" for line in lines) for heading, lines in context.items() if lines
        ]
        return "\n\n".join(parts)


def do_step(world: TalkWorld, step: Steps, expects: Facts) -> tuple[TalkWorld, Facts]:
    """Return the state after this step, and the fact that is true after it."""
    reply = world.replies[world.calls] if world.calls < len(world.replies) else ""
    return replace(world, done=(*world.done, step)), (step.result(reply),)


def resists(world: TalkWorld, step: Steps, expects: Facts) -> str | None:
    """Return why the step fails: a model call fails if all replies are used. Otherwise None."""
    if isinstance(step, CallModel) and world.calls >= len(world.replies):
        return "no model answers here; only planted replies do"
    return None


def holds(world: TalkWorld, fact: Fact) -> bool:
    """Say whether a recorded step made this fact true."""
    return any(step.result("").key == fact.key for step in world.done)
