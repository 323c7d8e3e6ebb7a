"""The reads of the desktop as the earlier steps of a batch would leave it."""

from msgspec import Struct

from sayso.core.plan import ChangeRef, Fact, ResultRef, Step
from sayso.providers.desktop.model import DesktopFact, DesktopState, DesktopStep, DoNotDisturb, OutputVolume
from sayso.providers.desktop.store import Desktop, FocusMode, VolumeLevel


class ImaginedDesktop(Struct, frozen=True):
    """Reads in which one step has been done; the reads below may be imagined too."""

    below: Desktop
    step: Step
    ref: ChangeRef

    async def clipboard(self) -> str:
        """Return the clipboard's text as it is: an answer is read in its turn, when the step has really been done."""
        return await self.below.clipboard()

    async def clipboard_loses(self) -> str:
        """Say what of the clipboard would not come back."""
        return await self.below.clipboard_loses()

    async def sound_loses(self, sound: str) -> str:
        """Say that a sound would not be heard."""
        return await self.below.sound_loses(sound)

    async def volume(self) -> VolumeLevel:
        """Return the output volume."""
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
        """Return a new name."""
        return self.below.token()

    def _execute(self, state: DesktopState, changes: type[DesktopFact]) -> DesktopState | None:
        """Return the state after the step; None where the step leaves no fact of this kind."""
        if not isinstance(self.step, DesktopStep):
            return None
        after, facts = self.step.execute(state)
        return after if any(isinstance(fact, changes) for fact in facts) else None

    def _result(self, now: Fact, kind: type[DesktopFact]) -> ResultRef:
        return ResultRef(now.about, kind.fact, self.ref.change, self.ref.action)
