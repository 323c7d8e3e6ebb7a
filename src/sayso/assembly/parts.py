"""The parts of sayso: its own providers and dialects, and the providers of other packages."""

from collections.abc import Mapping
from typing import cast

from sayso.assembly.offers import offered
from sayso.core.dialect import Dialect, EndsTexts
from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.provider import Provider
from sayso.providers import index

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
