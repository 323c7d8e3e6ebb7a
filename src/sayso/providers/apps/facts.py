"""What may be expected of applications and windows, each fact about one name or one window."""

from typing import ClassVar

from sayso.core.plan import Fact
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Running(Fact):
    """The application of this name runs as exactly these instances; none means that it does not run.

    An instance is whatever the system knows a running program by and does not use again at once: a
    process with its start time, a desktop's id.
    """

    fact: ClassVar[str] = "app_running"
    instances: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Installed(Fact):
    """The application of this name is this very one (a bundle, a desktop entry), not another of the same name."""

    fact: ClassVar[str] = "app_installed"
    id: str


@dataclass(frozen=True, slots=True)
class WindowAt(Fact):
    """The window of this id belongs to this application and has these bounds and this state, on this desktop."""

    fact: ClassVar[str] = "window"
    app: str
    left: int
    top: int
    right: int
    bottom: int
    state: str = "normal"
    desktop: str = ""


@dataclass(frozen=True, slots=True)
class Beneath(Fact):
    """These are the bounds that the window of this id had beneath its state (maximised, fullscreen).

    They were seen when the state was taken off; the way back gives both. It is known, not looked at again.
    """

    fact: ClassVar[str] = "window_beneath"
    left: int
    top: int
    right: int
    bottom: int


FACTS: tuple[type[Fact], ...] = (Running, Installed, WindowAt, Beneath)


def moved_on(fact: Fact) -> str:
    """Say in one clause that a fact is no longer so."""
    match fact:
        case Running(name):
            return f"{name} was started or ended since this was planned"
        case Installed(name):
            return f"{name} is no longer the application it was when this was planned"
        case WindowAt(_, app):
            return f"the window of {app} was moved or closed since this was planned"
        case _:
            return f"“{fact.about}” is no longer as it was when this was planned"
