"""Providers that other packages offer, as entry points of the group `sayso.providers`."""

import os
import sys
from collections.abc import Iterable
from typing import Protocol, cast

from sayso.core.lazy import load
from sayso.core.provider import Provider

GROUP = "sayso.providers"
_STANDARD = frozenset({"BuiltinImporter", "FrozenImporter", "PathFinder"})
_TOLD = (".dist-info", ".egg-info", "egg-info")
"""Endings of the names of the folders that contain the metadata of packages."""


class Offer(Protocol):
    """An entry point of another package."""

    module: str

    def load(self) -> Provider:
        """Import the provider and return it."""
        ...


def list_offers() -> Iterable[Offer]:
    """Return the entry points of providers; Python's slow search is used only if a package may offer a provider."""
    if not any(_may_offer(place) for place in sys.path) and not _has_other_finders():
        return ()
    return cast("Iterable[Offer]", load("importlib.metadata:entry_points")(group=GROUP))


def offered() -> tuple[Provider, ...]:
    """Return the providers of other packages."""
    return tuple(offer.load() for offer in list_offers())


def foreign_sections() -> tuple[str, ...]:
    """Return the sections of settings that belong to providers of other packages."""
    return tuple(provider.settings_section for provider in offered())


def _has_other_finders() -> bool:
    """Return whether packages may be found in other ways than in the folders of `sys.path`."""
    finders = [finder for finder in sys.meta_path if getattr(finder, "find_distributions", None) is not None]
    return any(getattr(finder, "__name__", "") not in _STANDARD for finder in finders)


def _may_offer(place: str) -> bool:
    """Return whether a package in this folder of `sys.path` may offer providers."""
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
