"""The table of what may be said, and which operation it means: `intents.toml`, read into values."""

import tomllib
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from importlib.resources import files

import msgspec

from sayso.core.canonical import Json
from sayso.core.values import dataclass
from sayso.models.embedded.patterns import Parts, firsts, parsed

PLACE = "intents.toml"


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of the table, as it is written."""

    means: str
    says: tuple[str, ...]
    arguments: dict[str, Json] = {}
    sure: float = 1.0
    alone: bool = False
    whole: bool = False
    ask: str = ""


@dataclass(frozen=True)
class Pattern:
    """One way of saying something."""

    written: str
    parts: Parts
    firsts: frozenset[str] | None
    """The words it may begin with; None where that may be any."""


@dataclass(frozen=True)
class Intent:
    """Ways of saying something, and the operation with its arguments that is meant by them."""

    means: str
    patterns: tuple[Pattern, ...]
    arguments: Mapping[str, Json] = field(default_factory=dict[str, Json])
    sure: float = 1.0
    """How surely it is meant where something else may be too."""
    alone: bool = False
    """It is meant only when nothing else was said."""
    whole: bool = False
    """A thing it takes must be named by its whole name, or the person is asked whether it is meant."""
    ask: str = ""
    """What is asked instead of doing it."""


@lru_cache(maxsize=1)
def intents() -> tuple[Intent, ...]:
    """Return the table."""
    text = files(__package__ or "").joinpath(PLACE).read_text("utf-8")
    rows = msgspec.convert(tomllib.loads(text)["intent"], tuple[Row, ...])
    return tuple(_intent(row) for row in rows)


def _intent(row: Row) -> Intent:
    patterns = tuple(_pattern(written) for written in row.says)
    return Intent(row.means, patterns, row.arguments, row.sure, row.alone, row.whole, row.ask)


def _pattern(written: str) -> Pattern:
    parts = parsed(written)
    return Pattern(written, parts, firsts(parts))
