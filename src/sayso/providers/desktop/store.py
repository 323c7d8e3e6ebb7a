"""The interface of the desktop store: it reads clipboard, volume, do-not-disturb and shortcuts."""

from typing import Protocol

from msgspec import Struct

from sayso.core.plan import Fact


class VolumeLevel(Struct, frozen=True):
    """The output volume, with the fact about it; a muted output keeps its level and is silent."""

    level: int
    fact: Fact
    muted: bool = False
    channels: tuple[int, ...] = ()
    """The volumes of the channels, in the numbers of the sound server; empty where it does not report them."""


class FocusMode(Struct, frozen=True):
    """Whether do-not-disturb is on, with the fact about it."""

    on: bool
    fact: Fact
    until: str = ""
    """When do-not-disturb ends by itself, in the format of the system; empty when it does not."""


class Desktop(Protocol):
    """The read methods of the store. In a batch they show the desktop as it would be after the earlier plans.

    A method that this machine cannot serve raises `SetupError`, which says what to install or allow.
    """

    async def clipboard(self) -> str:
        """Return the clipboard's text; empty when it holds no text."""
        ...

    async def clipboard_loses(self) -> str:
        """Return one sentence about what undo could not restore to the clipboard; empty when there is nothing."""
        ...

    async def sound_loses(self, sound: str) -> str:
        """Return one sentence saying that the sound of a notification would not be heard; empty when it would."""
        ...

    async def volume(self) -> VolumeLevel:
        """Return the output volume."""
        ...

    async def focus(self) -> FocusMode | None:
        """Return whether do-not-disturb is on; None where the system does not report it.

        Raises `SetupError` with set-up instructions where it cannot be switched at all (T-38).
        """
        ...

    async def shortcuts(self) -> tuple[str, ...] | None:
        """Return the names of the shortcuts; None where they cannot be listed."""
        ...

    def token(self) -> str:
        """Return a new token that nobody can guess."""
        ...
