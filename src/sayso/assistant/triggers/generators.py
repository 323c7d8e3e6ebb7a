"""Generators: what looks at the moment and makes an action of it, or none, and then rests for a while (S0-72)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Protocol, cast

from sayso.core.canonical import Json
from sayso.core.sessions import Told
from sayso.core.values import dataclass


class Known(Protocol):
    """What is known of the moment."""

    @property
    def now(self) -> datetime:
        """Return the time."""
        ...

    @property
    def told(self) -> Sequence[Told]:
        """Return what the person and other programs told, such as insights."""
        ...


@dataclass(frozen=True)
class Action:
    """What a generator makes: a message for the person (S0-75)."""

    title: str
    message: str
    source: str
    """The name of the generator."""
    type: str = "automation"
    priority: int = 3


class Generator(Protocol):
    """Something that notices when an action is due."""

    @property
    def name(self) -> str:
        """Return what the settings call it."""
        ...

    @property
    def cooldown_minutes(self) -> int:
        """Return how long it rests after it produced an action (T-54)."""
        ...

    def fires(self, known: Known) -> bool:
        """Say whether it should fire for this moment; nothing is changed."""
        ...

    async def make(self, known: Known) -> Action | None:
        """Return the action, or none."""
        ...


class Automated:
    """Fires when an insight speaks of organizing (S0-73, S0-74)."""

    name = "Automated"
    cooldown_minutes = 30

    def fires(self, known: Known) -> bool:
        """Say whether an insight does."""
        return self._insight(known) is not None

    async def make(self, known: Known) -> Action | None:
        """Return an action that names the insight."""
        insight = self._insight(known)
        return Action("Automated Action", insight, self.name) if insight else None

    def _insight(self, known: Known) -> str | None:
        return next((text for text in insights(known) if "organize" in text.lower()), None)


def insights(known: Known) -> tuple[str, ...]:
    """Return the texts of what was told as `insights`: one text, or a list of texts or of tables with a `text`."""
    told = next((one.value for one in known.told if one.name == "insights"), None)
    entries = cast("list[Json]", told) if isinstance(told, list) else [told]
    texts = [cast("Mapping[str, Json]", one).get("text") if isinstance(one, Mapping) else one for one in entries]
    return tuple(text for text in texts if isinstance(text, str))


GENERATORS: Mapping[str, Generator] = MappingProxyType({"Automated": Automated()})
"""The generators that a trigger may name."""
