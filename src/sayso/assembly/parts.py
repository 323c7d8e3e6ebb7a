"""What sayso is made of here: its own providers and dialects, and those of other packages."""

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Protocol, cast

from sayso.core.dialect import Dialect
from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.provider import Provider
from sayso.providers import index

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


def list_offers() -> Iterable[Offer]:
    """Return what is offered; Python's own search takes long, so it is asked only where there may be something."""
    if not any(_may_offer(place) for place in sys.path) and not _has_other_finders():
        return ()
    return cast("Iterable[Offer]", load("importlib.metadata:entry_points")(group=GROUP))


def _has_other_finders() -> bool:
    """Say whether packages may be found by other means than the folders of `sys.path`."""
    finders = [finder for finder in sys.meta_path if getattr(finder, "find_distributions", None) is not None]
    return any(getattr(finder, "__name__", "") not in _STANDARD for finder in finders)


def _may_offer(place: str) -> bool:
    """Say whether a package in a folder of `sys.path` may offer providers."""
    try:
        with os.scandir(place or ".") as entries:
            names = [entry.name for entry in entries if entry.name.lower().endswith(_TOLD)]
    except NotADirectoryError:
        return True  # an archive
    except OSError:
        return False
    for name in names:
        try:
            with os.fdopen(os.open(f"{place or '.'}/{name}/entry_points.txt", os.O_RDONLY), "rb") as file:
                if GROUP.encode() in file.read():
                    return True
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return True
    return False


PROVIDERS: tuple[Provider, ...] = tuple(load(place) for place in index.PROVIDERS.values())
DIALECTS: Mapping[str, str] = {
    "auto": "sayso.dialects.detect:AUTO",
    "lines": "sayso.dialects.lines:LINES",
    "tools": "sayso.dialects.tools:TOOLS",
    "blocks": "sayso.dialects.blocks:BLOCKS",
    "actions": "sayso.dialects.actions:ACTIONS",
    "commands": "sayso.dialects.commands:COMMANDS",
    "chat": "sayso.dialects.detect:CHAT",
}
"""Where each dialect is; it is imported when it is asked for."""


def providers() -> tuple[Provider, ...]:
    """Return sayso's own providers and those that other packages offer under `sayso.providers`."""
    return (*PROVIDERS, *(offer.load() for offer in list_offers()))


def dialect(name: str) -> Dialect:
    """Return a dialect by name. Raises `SetupError` for one that there is not."""
    if name not in DIALECTS:
        raise SetupError(f"there is no dialect “{name}”; there are: {', '.join(DIALECTS)}", "dialect.unknown")
    return cast("Dialect", load(DIALECTS[name]))


def takes_exact_names(name: str) -> bool:
    """Say whether this is a dialect in which a name is taken letter for letter (T-98)."""
    return name in DIALECTS and dialect(name).exact_names
