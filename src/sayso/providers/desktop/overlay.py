"""The reads of the desktop as the earlier steps of a batch would leave it."""

from msgspec import Struct

from sayso.core.plan import ChangeRef, ResultRef
from sayso.providers.desktop.model import DoNotDisturb, OutputVolume, SetDoNotDisturb, SetVolume, Steps
from sayso.providers.desktop.store import Desktop, FocusMode, VolumeLevel


class ImaginedDesktop(Struct, frozen=True):
    """Reads in which one step has been done."""

    seen: Desktop
    step: Steps
    ref: ChangeRef

    async def clipboard(self) -> str:
        """Return the clipboard's text as it is: reads of a batch act in their turn."""
        return await self.seen.clipboard()

    async def clipboard_loses(self) -> str:
        """Say what of the clipboard would not come back."""
        return await self.seen.clipboard_loses()

    async def sound_loses(self, sound: str) -> str:
        """Say that a sound would not be heard."""
        return await self.seen.sound_loses(sound)

    async def volume(self) -> VolumeLevel:
        """Return the output volume."""
        now = await self.seen.volume()
        match self.step:
            case SetVolume(level, muted):
                return VolumeLevel(
                    level, ResultRef(now.fact.about, OutputVolume.fact, self.ref.change, self.ref.action), muted
                )
            case _:
                return now

    async def focus(self) -> FocusMode | None:
        """Return whether do-not-disturb is on."""
        now = await self.seen.focus()
        match self.step:
            case SetDoNotDisturb(on, until) if now is not None:
                return FocusMode(
                    on, ResultRef(now.fact.about, DoNotDisturb.fact, self.ref.change, self.ref.action), until
                )
            case _:
                return now

    async def shortcuts(self) -> tuple[str, ...] | None:
        """Return the names of the shortcuts."""
        return await self.seen.shortcuts()

    def token(self) -> str:
        """Return a new name."""
        return self.seen.token()


def imagine(seen: Desktop, step: Steps, ref: ChangeRef) -> Desktop:
    """Return reads in which `step` has been done."""
    return ImaginedDesktop(seen, step, ref)
