"""What the backends for desktops share: checking and imagining steps, doing them, and what undo would lose."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import timedelta

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, Facts, NotDone, ResultRef, Settlement, Step
from sayso.core.ports import BackendContext
from sayso.core.quotes import quoted
from sayso.providers.desktop.model import (
    DesktopFact,
    DesktopState,
    DesktopStep,
    DoNotDisturb,
    OutputVolume,
    RestoreClipboard,
    Steps,
    describe_change,
)
from sayso.providers.desktop.stash import ClipboardStash
from sayso.providers.desktop.store import Desktop, FocusMode, VolumeLevel


class ImaginedDesktop(Struct, frozen=True):
    """Implements `Desktop` as it would be after one step; `below` may be an `ImaginedDesktop` too."""

    below: Desktop
    step: Step
    ref: ChangeRef

    async def clipboard(self) -> str:
        """Return the clipboard's real text, not an imagined one.

        An action that reads the clipboard is planned only after the earlier actions have been done.
        """
        return await self.below.clipboard()

    async def clipboard_loses(self) -> str:
        """Return what undo could not restore to the clipboard."""
        return await self.below.clipboard_loses()

    async def sound_loses(self, sound: str) -> str:
        """Return why a sound would not be heard."""
        return await self.below.sound_loses(sound)

    async def volume(self) -> VolumeLevel:
        now = await self.below.volume()
        after = self._execute(DesktopState(volume=now.level, muted=now.muted), OutputVolume)
        return now if after is None else VolumeLevel(after.volume, self._result(now.fact, OutputVolume), after.muted)

    async def focus(self) -> FocusMode | None:
        """Return whether do-not-disturb is on."""
        now = await self.below.focus()
        if now is None:
            return None
        after = self._execute(DesktopState(do_not_disturb=now.on, until=now.until), DoNotDisturb)
        if after is None:
            return now
        return FocusMode(bool(after.do_not_disturb), self._result(now.fact, DoNotDisturb), after.until)

    async def shortcuts(self) -> tuple[str, ...] | None:
        """Return the names of the shortcuts."""
        return await self.below.shortcuts()

    def token(self) -> str:
        """Return a new token."""
        return self.below.token()

    def _execute(self, state: DesktopState, changes: type[DesktopFact]) -> DesktopState | None:
        """Return the state after the step; None when no fact of this kind results from the step."""
        if not isinstance(self.step, DesktopStep):
            return None
        after, facts = self.step.execute(state)
        return after if any(isinstance(fact, changes) for fact in facts) else None

    def _result(self, now: Fact, kind: type[DesktopFact]) -> ResultRef:
        return ResultRef(now.about, kind.fact, self.ref.change, self.ref.action)


def settle_fact(now: Fact | None, wanted: Fact, expects: Facts) -> Settlement:
    """Return whether a step was done: its fact holds now, or what it expects still does, or nobody can tell."""
    if now == wanted:
        return Applied((wanted,))
    if now is not None and now in expects:
        return NotDone("it is still as it was")
    return CannotTell("it is neither as it was before nor as it was meant to become")


_KEEP_SECONDS = 90 * 86400


class DesktopBackend(ABC):
    """A backend for the desktop of this computer. A subclass does the steps and looks at what they expect."""

    imagines = True
    note = ""

    def __init__(self, context: BackendContext, stash: ClipboardStash) -> None:
        seconds = context.options.get("undo_keep_seconds")
        self._age = timedelta(seconds=seconds if isinstance(seconds, int) else _KEEP_SECONDS)
        self._clock, self._kill, self._stash = context.clock, context.kill, stash

    @abstractmethod
    async def do_step(self, step: Steps) -> Applied:
        """Do a step. Raises `SetupError` if a program or permission is missing, before anything was changed."""

    @abstractmethod
    async def is_true(self, fact: Fact) -> bool:
        """Return whether a fact is true."""

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Do a step if all that it expects is true."""
        await self.check(expects)
        self._kill(f"{step.step}.before")
        try:
            left = await self.do_step(step)
        except SetupError as error:
            raise ProviderError(str(error), error.code) from error
        self._kill(f"{step.step}.after")
        return left

    async def check(self, expects: Facts) -> None:
        """Raise `ProviderError` for the first of these facts that is not true."""
        for fact in expects:
            if not await self.is_true(fact):
                raise ProviderError(f"{describe_change(fact)}; nothing was changed", "world.changed")

    def imagine(self, seen: Desktop, step: Steps, ref: ChangeRef) -> Desktop:
        """Return an `ImaginedDesktop`, which shows the desktop as it would be after `step`."""
        return ImaginedDesktop(seen, step, ref)

    def foretells(self, step: Steps) -> str:
        """Return what undo would not restore; empty when it restores everything."""
        return self._stash.lost(step.kept) if isinstance(step, RestoreClipboard) else ""

    def prune(self) -> int:
        """Remove former contents of the clipboard that are too old; return how many were removed."""
        return self._stash.prune(self._clock.now(), self._age)


def focus_shortcuts(settings: Mapping[str, Json]) -> dict[bool, str]:
    """Return the shortcuts that the settings name for switching do-not-disturb on and off."""
    names = {on: settings.get(key) for on, key in ((True, "dnd_on"), (False, "dnd_off"))}
    return {on: name for on, name in names.items() if isinstance(name, str) and name}


def require_path(path: str) -> None:
    """Raise `ProviderError` unless something is at the path, and no part of the path is a link."""
    if not os.path.lexists(path):
        raise ProviderError(f"{quoted(path)} is no longer there", "world.changed")
    if os.path.realpath(path) != path:
        raise ProviderError(f"{quoted(path)} leads somewhere else by now; it was not opened", "world.changed")
