"""The parts of sayso: its own providers and dialects, and the providers of other packages."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

from msgspec.structs import replace

from sayso.config import Settings
from sayso.config import load as load_settings
from sayso.core.dialect import Dialect, EndsTexts
from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.provider import Provider
from sayso.providers import index
from sayso.runtime.registry import names_of_operations

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


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Return the settings of the home that these variables name. Raises `SetupError` when one of them is invalid."""
    return load_settings(environ, others=foreign_sections())


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
"""Where each dialect is defined; it is imported at its first use."""


def providers() -> tuple[Provider, ...]:
    """Return sayso's own providers and those that other packages offer under `sayso.providers`."""
    return (*PROVIDERS, *offered())


def providers_with(now: Settings) -> tuple[Provider, ...]:
    """Return all providers, with the tools of the MCP servers that these settings wrap."""
    return with_wrapped_tools(providers(), now)


def with_wrapped_tools(parts: Sequence[Provider], now: Settings) -> tuple[Provider, ...]:
    """Return the providers; the one of wrapped MCP servers has the tools of the servers that the settings name.

    A server named like the beginning of another provider's operations is left out.
    """
    servers = now.sections.get("mcp", {}).get("servers")
    if not servers:
        return tuple(parts)
    others = {id_.partition(".")[0] for part in parts for id_ in names_of_operations(part.operations)}
    taken = {name: one for name, one in cast("Mapping[str, Any]", servers).items() if name not in others}
    places = now.places
    found = load("sayso.providers.mcp.tool_operation:wrapped_operations")(taken, str(places.home), str(places.person))
    return tuple(replace(part, operations=found, outside=("mcp",)) if part.store == "mcp" else part for part in parts)


def dialect(name: str, end_word: str = "") -> Dialect:
    """Return a dialect by name; with `end_word`, only this word ends a text in it, where it has such texts.

    Raises `SetupError` when there is none of this name.
    """
    if name not in DIALECTS:
        raise SetupError(f"there is no dialect “{name}”; there are: {', '.join(DIALECTS)}", "dialect.unknown")
    found = cast("Dialect", load(DIALECTS[name]))
    return found.ending(end_word) if end_word and isinstance(found, EndsTexts) else found


def takes_exact_names(name: str) -> bool:
    """Return whether this is a dialect in which names must match letter for letter (T-98)."""
    return name in DIALECTS and dialect(name).exact_names
