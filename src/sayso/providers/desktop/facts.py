"""What may be expected of the desktop, each fact about one thing of it."""

import hashlib
from typing import ClassVar

from sayso.core.plan import Fact
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Clipboard(Fact):
    """The clipboard holds the text with this SHA-256; texts themselves never stand in a fact."""

    fact: ClassVar[str] = "clipboard"
    sha256: str


@dataclass(frozen=True, slots=True)
class Volume(Fact):
    """The output named by `about` is at this level, 0 to 100; a muted one keeps its level and is not heard.

    `channels` is how loud each channel is, where that is told: the balance is theirs.
    """

    fact: ClassVar[str] = "volume"
    level: int
    muted: bool = False
    channels: tuple[int, ...] = ()

    def tells(self, other: Fact) -> bool:
        """Say whether another fact tells the same; what one of them does not tell of channels is not compared."""
        if isinstance(other, Volume) and not (self.channels and other.channels):
            return (self.about, self.level, self.muted) == (other.about, other.level, other.muted)
        return self == other


@dataclass(frozen=True, slots=True)
class Quiet(Fact):
    """Do-not-disturb is on, or off."""

    fact: ClassVar[str] = "do_not_disturb"
    on: bool


@dataclass(frozen=True, slots=True)
class Speaking(Fact):
    """What was to be said under this token is still being said."""

    fact: ClassVar[str] = "speaking"


@dataclass(frozen=True, slots=True)
class Shown(Fact):
    """The notification of this token was shown, under the number that the notification service gave it."""

    fact: ClassVar[str] = "shown"
    number: int = 0


CLIPBOARD, OUTPUT, FOCUS = "text", "output", "focus"
"""What the facts of the one clipboard, the one output and the one switch are about."""

FACTS: tuple[type[Fact], ...] = (Clipboard, Volume, Quiet, Speaking, Shown)


def on_it(text: str) -> Clipboard:
    """Return the fact that the clipboard holds this text."""
    return Clipboard(CLIPBOARD, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def moved_on(fact: Fact) -> str:
    """Say in one clause that a fact is no longer so."""
    match fact:
        case Clipboard():
            return "the clipboard holds something else by now"
        case Volume(_, level, muted, _):
            return f"the volume is no longer {level}{' and muted' if muted else ''}"
        case Quiet(_, on):
            return f"do not disturb is no longer {'on' if on else 'off'}"
        case Speaking():
            return "nothing of this is being said any more"
        case _:
            return "the desktop is no longer as it was"
