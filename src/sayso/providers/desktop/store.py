"""The reads of the desktop store: clipboard, volume, do-not-disturb and shortcuts."""

from typing import Protocol

from msgspec import Struct

from sayso.core.plan import Fact


class VolumeLevel(Struct, frozen=True):
    """The output volume, with the fact that it is so; a muted output keeps its level and is not heard."""

    level: int
    fact: Fact
    muted: bool = False
    channels: tuple[int, ...] = ()
    """How loud each channel is, in the numbers of the sound server; empty where it does not tell."""


class FocusMode(Struct, frozen=True):
    """Whether do-not-disturb is on, with the fact that it is so."""

    on: bool
    fact: Fact
    until: str = ""
    """When it ends by itself, in the form of the system; empty where it does not."""


class Desktop(Protocol):
    """The reads. In a batch they show everything as the earlier plans would leave it.

    Where this machine cannot do something, they raise `SetupError` with what to install or allow.
    """

    async def clipboard(self) -> str:
        """Return the clipboard's text, empty when it holds none."""
        ...

    async def clipboard_loses(self) -> str:
        """Say in one sentence which part of the clipboard could not be put back; empty where all of it could."""
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
