"""Find what a wish mentions: times, places on the screen, addresses, paths, quotes, and things that are known here."""

from collections.abc import Sequence

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.models.builtin.match import Choice
from sayso.models.builtin.tokens import Token
from sayso.models.builtin.world import Utterance

KINDS = (
    "time", "repeat", "number", "size", "area", "monitor", "quote", "path", "url", "site", "address", "pronoun",
    "tab", "app", "preset", "file", "folder", "task", "done", "habit", "event", "reminder",
)  # fmt: skip
"""The kinds of mentions; `time` is also a day, a span or a duration, `done` a completed task."""


class Mention(Struct, frozen=True):
    """Words, from the index `start` up to `end`, that mean a value of a kind, or one of several.

    Mentions of different kinds may overlap: “wine” may be in a task and in a tab.
    """

    kind: str
    start: int
    end: int
    value: Json
    strength: float = 1.0
    """How surely the words mean this value, up to 1: a whole name is 1, one of several words of a name less."""
    rivals: tuple[Choice, ...] = ()
    """Other values that the same words mean as well."""


def find_mentions(words: Sequence[Token], utterance: Utterance) -> tuple[Mention, ...]:
    """Return the mentions in these words, in their order."""
    raise NotImplementedError
