"""What other packages offer under `sayso.providers`, found without reading all that every package says of itself."""

import os
import sys
from collections.abc import Iterable
from typing import Protocol, cast

from sayso.core.loading import load
from sayso.core.provider import Provider

GROUP = "sayso.providers"
_STANDARD = frozenset({"BuiltinImporter", "FrozenImporter", "PathFinder"})
_TOLD = (".dist-info", ".egg-info", "egg-info")
"""What folders are called in which a package says what it is."""


class Offer(Protocol):
    """An entry point."""

    module: str

    def load(self) -> Provider:
        """Import what stands there."""
        ...


def offered() -> Iterable[Offer]:
    """Return what is offered; Python's own search takes long, so it is asked only where there may be something."""
    if not any(_may_offer(place) for place in sys.path) and not _found_otherwise():
        return ()
    return cast("Iterable[Offer]", load("importlib.metadata:entry_points")(group=GROUP))


def _found_otherwise() -> bool:
    """Say whether packages may be found by other means than the folders of `sys.path`."""
    finders = [finder for finder in sys.meta_path if getattr(finder, "find_distributions", None) is not None]
    return any(getattr(finder, "__name__", "") not in _STANDARD for finder in finders)


def _may_offer(place: str) -> bool:
    try:
        with os.scandir(place or ".") as entries:
            found = [entry.name for entry in entries if entry.name.lower().endswith(_TOLD)]
    except NotADirectoryError:
        return True  # an archive
    except OSError:
        return False
    return any(_is_named(f"{place or '.'}/{name}/entry_points.txt") for name in found)


def _is_named(file: str) -> bool:
    try:
        with os.fdopen(os.open(file, os.O_RDONLY), "rb") as opened:
            return GROUP.encode() in opened.read()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
