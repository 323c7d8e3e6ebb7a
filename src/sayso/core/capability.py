"""What serves something on this machine, why that, and why nothing else does: for `doctor`."""

from collections.abc import Mapping

from sayso.core.values import dataclass


@dataclass(frozen=True)
class Other:
    """Something that could serve it too, and why it does not here."""

    name: str
    why: str
    fix: str = ""
    """What to install or set for it to serve, where that is in the person's hands."""


@dataclass(frozen=True)
class Capability:
    """One of the things that a backend can do where this machine lets it: what serves it, and why that."""

    name: str
    served: str
    """What serves it; empty where nothing does."""
    why: str
    fix: str = ""
    """What to install or set where nothing serves it."""
    others: tuple[Other, ...] = ()
    asked: bool = False
    """Whether the settings ask for it by name, so that it is trouble where nothing serves it."""


@dataclass(frozen=True)
class Fit:
    """Whether one kind of backend is for this session, and by what that shows."""

    here: bool
    says: str
    fix: str = ""


@dataclass(frozen=True)
class Fits:
    """Which kinds of backend are for this session, and what is said where none is."""

    kinds: Mapping[str, Fit]
    none: str
    fix: str
