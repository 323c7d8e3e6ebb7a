"""What may be expected of the desktop, each fact about one thing of it."""

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
    """The output volume is at this level, 0 to 100."""

    fact: ClassVar[str] = "volume"
    level: int


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
    """The notification of this token was shown."""

    fact: ClassVar[str] = "shown"


FACTS: tuple[type[Fact], ...] = (Clipboard, Volume, Quiet, Speaking, Shown)


def moved_on(fact: Fact) -> str:
    """Say in one clause that a fact is no longer so."""
    match fact:
        case Clipboard():
            return "the clipboard holds something else by now"
        case Volume(_, level):
            return f"the volume is no longer {level}"
        case Quiet(_, on):
            return f"do not disturb is no longer {'on' if on else 'off'}"
        case Speaking():
            return "nothing of this is being said any more"
        case _:
            return "the desktop is no longer as it was"
