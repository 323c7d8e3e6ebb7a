"""A simulated desktop in memory: it records what a real one would show, say or run."""

from collections.abc import Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View, explain_odd_world
from sayso.core.plan import Fact, Facts, Step, unchecked
from sayso.core.ports import BackendContext, Ids, KillPoint, no_kill_point
from sayso.providers.desktop import store
from sayso.providers.desktop.model import (
    FOCUS,
    OUTPUT,
    DesktopFact,
    DesktopState,
    DesktopStep,
    DoNotDisturb,
    OutputVolume,
    describe_change,
)

NOTE = "recorded, not shown"


class PlantedDesktop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The simulated desktop that the settings describe under `world`; its fields mean the same as in `DesktopState`."""

    clipboard: str = ""
    volume: int = 50
    muted: bool = False
    do_not_disturb: bool | None = False
    shortcuts: tuple[str, ...] | None = None
    failing: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])


class MemoryDesktop(Struct, frozen=True):
    """Implements `Desktop` over a state in memory."""

    seen: View[DesktopState]
    ids: Ids

    async def clipboard(self) -> str:
        """Return the clipboard's text."""
        return self.seen.look().clipboard

    async def clipboard_loses(self) -> str:
        """Return an empty string: this clipboard holds only text, and undo restores text in full."""
        return ""

    async def sound_loses(self, sound: str) -> str:
        """Return an empty string: every sound is recorded with its notification, so none is lost."""
        return ""

    async def volume(self) -> store.VolumeLevel:
        state = self.seen.look()
        fact = self.seen.fact(OutputVolume(OUTPUT, state.volume, state.muted))
        return store.VolumeLevel(state.volume, fact, state.muted)

    async def focus(self) -> store.FocusMode | None:
        """Return whether do-not-disturb is on."""
        state = self.seen.look()
        if state.do_not_disturb is None:
            return None
        return store.FocusMode(
            state.do_not_disturb, self.seen.fact(DoNotDisturb(FOCUS, state.do_not_disturb)), state.until
        )

    async def shortcuts(self) -> tuple[str, ...] | None:
        """Return the names of the shortcuts."""
        return self.seen.look().shortcuts

    def token(self) -> str:
        """Return a new token that nobody can guess."""
        return self.ids.token()


def execute(state: DesktopState, step: Step, expects: Facts) -> tuple[DesktopState, Facts]:
    """Return the desktop after a step and the facts that now hold; opening or showing a file is only recorded."""
    state = replace(state, recorded=(*state.recorded, step))
    return step.execute(state) if isinstance(step, DesktopStep) else (state, ())


def refusal(state: DesktopState, step: Step, expects: Facts) -> str | None:
    """Return the reason this desktop refuses a step, or None when it accepts it."""
    return step.refusal(state) if isinstance(step, DesktopStep) else None


def holds(state: DesktopState, fact: Fact) -> bool:
    """Return whether a fact holds. Raises `Refused` for one that is not about the desktop."""
    if not isinstance(fact, DesktopFact):
        raise unchecked(fact)
    return fact.holds(state)


def build(context: BackendContext) -> MemoryBackend[DesktopState]:
    """Return a backend over the desktop that the settings describe."""
    return backend(parse_world(context.settings.get("world", {})), context.ids, kill=context.kill)


def backend(
    state: DesktopState, ids: Ids, *, lasting: bool = False, kill: KillPoint = no_kill_point
) -> MemoryBackend[DesktopState]:
    """Return a backend over this state."""
    rules = MemoryRules(execute, holds, lambda seen: MemoryDesktop(seen, ids), refusal, describe_change)
    return MemoryBackend(state, rules, note=NOTE, lasting=lasting, kill=kill)


def parse_world(document: Json) -> DesktopState:
    """Read a desktop from plain data. Raises `SetupError` that names what is wrong."""
    with explain_odd_world("the memory world of [desktop] in the settings is wrong", "config.world"):
        planted = msgspec.convert(document, PlantedDesktop)
    return DesktopState(**msgspec.structs.asdict(planted))
