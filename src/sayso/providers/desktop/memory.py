"""A desktop kept in memory: it records what it would show, say or run."""

from collections.abc import Mapping

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View
from sayso.core.plan import Fact, Facts, OpenFile, RevealFile, Step
from sayso.core.ports import BackendContext, Ids, KillPoint, no_kill_point
from sayso.providers.desktop import store
from sayso.providers.desktop.model import (
    FOCUS,
    OUTPUT,
    ClipboardText,
    DoNotDisturb,
    NotificationShown,
    OutputVolume,
    RestoreClipboard,
    RunShortcut,
    SetClipboard,
    SetDoNotDisturb,
    SetVolume,
    ShowNotification,
    Speak,
    SpeechRunning,
    Steps,
    StopSpeaking,
    clipboard_fact,
    describe_change,
)

NOTE = "recorded, not shown"


class PlantedDesktop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A world as the settings write it, under `world`."""

    clipboard: str = ""
    volume: int = 50
    muted: bool = False
    do_not_disturb: bool | None = False
    """None: this system does not tell."""
    shortcuts: tuple[str, ...] | None = None
    """None: they cannot be listed, and each one runs."""
    failing: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    """Shortcuts that fail, with their error text."""


class DesktopState(Struct, frozen=True):
    """What there is; `recorded` is every step that was done, in order."""

    clipboard: str = ""
    volume: int = 50
    muted: bool = False
    do_not_disturb: bool | None = False
    shortcuts: tuple[str, ...] | None = None
    failing: Mapping[str, str] = field(default_factory=dict[str, str])
    kept: tuple[tuple[str, str], ...] = ()
    """What the clipboard held, by the name it is kept under."""
    speaking: frozenset[str] = frozenset()
    recorded: tuple[Step, ...] = ()


class MemoryDesktop(Struct, frozen=True):
    """The reads of the desktop store over a world in memory."""

    seen: View[DesktopState]
    ids: Ids

    async def clipboard(self) -> str:
        """Return the clipboard's text."""
        return self.seen.look().clipboard

    async def clipboard_loses(self) -> str:
        """Return nothing: all of it is text."""
        return ""

    async def sound_loses(self, sound: str) -> str:
        """Return nothing: it is recorded with the notification."""
        return ""

    async def volume(self) -> store.VolumeLevel:
        """Return the output volume."""
        world = self.seen.look()
        fact = self.seen.fact(OutputVolume(OUTPUT, world.volume, world.muted))
        return store.VolumeLevel(world.volume, fact, world.muted)

    async def focus(self) -> store.FocusMode | None:
        """Return whether do-not-disturb is on."""
        on = self.seen.look().do_not_disturb
        return None if on is None else store.FocusMode(on, self.seen.fact(DoNotDisturb(FOCUS, on)))

    async def shortcuts(self) -> tuple[str, ...] | None:
        """Return the names of the shortcuts."""
        return self.seen.look().shortcuts

    def token(self) -> str:
        """Return a new name."""
        return self.ids.token()


def holds(world: DesktopState, fact: Fact) -> bool:
    """Say whether a fact is so; one that another domain handed over is none of ours."""
    match fact:
        case ClipboardText():
            return clipboard_fact(world.clipboard) == fact
        case OutputVolume(_, level, muted, _):
            return (world.volume, world.muted) == (level, muted)
        case DoNotDisturb(_, on):
            return world.do_not_disturb == on
        case SpeechRunning(token):
            return token in world.speaking
        case _:
            return True


def resists(world: DesktopState, step: Steps, expects: Facts) -> str | None:
    """Say why the world would not do a step."""
    match step:
        case RunShortcut(name) if name in world.failing:
            return f"the shortcut “{name}” failed: {world.failing[name]}"
        case RestoreClipboard(kept) if kept not in dict(world.kept):
            return "what the clipboard held before is no longer kept"
        case _:
            return None


def does(world: DesktopState, step: Steps, expects: Facts) -> tuple[DesktopState, Facts]:
    """Return the world after a step, and what it left."""
    world = replace(world, recorded=(*world.recorded, step))
    match step:
        case SetClipboard() | RestoreClipboard():
            return copy_to_clipboard(world, step)
        case SetVolume(level, muted, _):
            return replace(world, volume=level, muted=muted), (OutputVolume(OUTPUT, level, muted),)
        case SetDoNotDisturb(on):
            return replace(world, do_not_disturb=on), (DoNotDisturb(FOCUS, on),)
        case Speak(_, token):
            return replace(world, speaking=world.speaking | {token}), (SpeechRunning(token),)
        case StopSpeaking(token):
            return replace(world, speaking=world.speaking - {token}), ()
        case ShowNotification() | RunShortcut() | OpenFile() | RevealFile():
            return world, (NotificationShown(step.token),) if isinstance(step, ShowNotification) else ()


def copy_to_clipboard(world: DesktopState, step: SetClipboard | RestoreClipboard) -> tuple[DesktopState, Facts]:
    """Return the world with something else on the clipboard; what it held is kept until it is put back."""
    match step:
        case SetClipboard(text, name):
            kept = {**dict(world.kept), name: world.clipboard}
        case RestoreClipboard(name):
            kept = dict(world.kept)
            text = kept.pop(name, "")
    return replace(world, clipboard=text, kept=tuple(kept.items())), (clipboard_fact(text),)


def build(ground: BackendContext) -> MemoryBackend[DesktopState]:
    """Return a backend over the desktop that the settings describe."""
    return backend(parse_world(ground.settings.get("world", {})), ground.ids, kill=ground.kill)


def backend(
    world: DesktopState, ids: Ids, *, lasting: bool = False, kill: KillPoint = no_kill_point
) -> MemoryBackend[DesktopState]:
    """Return a backend over a world at hand."""
    laws = MemoryRules(does, holds, lambda seen: MemoryDesktop(seen, ids), resists, describe_change)
    return MemoryBackend(world, laws, note=NOTE, lasting=lasting, kill=kill)


def parse_world(document: Json) -> DesktopState:
    """Read a world from plain data. Raises `SetupError` that names what is wrong."""
    try:
        told = msgspec.convert(document, PlantedDesktop)
    except msgspec.ValidationError as wrong:
        raise SetupError(f"the memory world of [desktop] in the settings is wrong: {wrong}", "config.world") from wrong
    return DesktopState(told.clipboard, told.volume, told.muted, told.do_not_disturb, told.shortcuts, told.failing)
