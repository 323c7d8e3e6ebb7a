"""The desktop as it would be after the earlier steps of a batch, for every backend of a real desktop."""

from msgspec import Struct

from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, Facts, NotDone, ResultRef, Settlement, Step
from sayso.providers.desktop.model import DesktopFact, DesktopState, DesktopStep, DoNotDisturb, OutputVolume
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
