"""What an operation may look at of the desktop: the reads of the desktop store."""

from typing import Protocol

from msgspec import Struct

from sayso.core.plan import Fact


class VolumeLevel(Struct, frozen=True):
    """The output volume, with the fact that it is so; what is muted keeps its level and is not heard."""

    level: int
    fact: Fact
    muted: bool = False
    channels: tuple[int, ...] = ()
    """How loud each channel is, as the sound server counts: their balance. Empty where that is not told."""


class FocusMode(Struct, frozen=True):
    """Whether do-not-disturb is on, with the fact that it is so."""

    on: bool
    fact: Fact
    until: str = ""
    """When it ends by itself, as the system writes that; empty where it does not."""


class Desktop(Protocol):
    """The reads. In a batch the same reads show the world as the earlier plans would leave it.

    What this machine cannot do raises `SetupError` with what to install or allow.
    """

    async def clipboard(self) -> str:
        """Return the clipboard's text, empty when it holds none."""
        ...

    async def clipboard_loses(self) -> str:
        """Say in one sentence what of the clipboard would not come back if it were put back; empty for nothing."""
        ...

    async def sound_loses(self, sound: str) -> str:
        """Say in one sentence that a sound asked for with a notification would not be heard; empty otherwise."""
        ...

    async def volume(self) -> VolumeLevel:
        """Return the output volume."""
        ...

    async def focus(self) -> FocusMode | None:
        """Return whether do-not-disturb is on; None where the system does not tell.

        Raises `SetupError` with set-up instructions where it cannot be switched at all (T-38).
        """
        ...

    async def shortcuts(self) -> tuple[str, ...] | None:
        """Return the names of the shortcuts; None where they cannot be listed."""
        ...

    def token(self) -> str:
        """Return a new name that nobody can guess."""
        ...
