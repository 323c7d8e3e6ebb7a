"""What can start an automation: events, and the generators that detect when an action is useful."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Protocol, cast

from msgspec import Struct

from sayso.core.conversation import Trigger, UserNote
from sayso.core.encoding import Json
from sayso.core.errors import Refused
from sayso.policy.rules import allows
from sayso.providers.calendar.store import Calendar
from sayso.providers.files.store import Files
from sayso.providers.mail.store import Mail
from sayso.runtime.services import Services

NEEDS: Mapping[str, str] = MappingProxyType({"file": "file.list", "mail": "mail.inbox", "calendar": "calendar.today"})
"""The operation that the settings must allow, by the kind of event that it detects."""
MOST_FILES = 10_000
MOST_MAILS = 100


async def snapshot_of(trigger: Trigger, tools: Services) -> Mapping[str, str]:
    """Return a description of each file, mail or event that exists now, by its stable name. Raises `SaysoError`."""
    needed = NEEDS[trigger.event or "file"]
    if not allows(tools.policy(), needed):
        raise Refused(f"the trigger “{trigger.name}” needs {needed}, which is switched off", "policy.operation_off")
    match trigger.event:
        case "mail":
            return await _mails(tools.backend("mail").reads)
        case "calendar":
            return await _events(tools.backend("calendar").reads, trigger.minutes_before)
        case _:
            return await _files(tools.backend("files").reads, trigger)


async def _files(files: Files, trigger: Trigger) -> Mapping[str, str]:
    entries = (await files.list(trigger.folder, MOST_FILES)).entries
    return {
        entry.path: entry.name
        for entry in entries
        if entry.kind == "file" and not entry.name.startswith(".") and fnmatchcase(entry.name, trigger.pattern)
    }


async def _mails(mail: Mail) -> Mapping[str, str]:
    messages = await mail.inbox(MOST_MAILS, include_read=True)
    return {message.message_id: f"{message.from_address}: {message.subject}" for message in messages}


async def _events(calendar: Calendar, minutes: int) -> Mapping[str, str]:
    """Return the events that begin within `minutes` minutes and have not begun."""
    now = calendar.now()
    until = now + timedelta(minutes=minutes)
    found = await calendar.between(now, until + timedelta(seconds=1))
    timed = [(event, datetime.fromisoformat(event.start)) for event in found.events if not event.all_day]
    near = [(event, start) for event, start in timed if now <= start <= until]
    return {f"{event.uid} {event.start}": f"{event.title}, {start:%H:%M}" for event, start in near}


class GeneratorInput(Protocol):
    """The information on which a generator bases its decision."""

    @property
    def now(self) -> datetime:
        """Return the current time."""
        ...

    @property
    def told(self) -> Sequence[UserNote]:
        """Return the notes that the person and other programs stored, such as insights."""
        ...


class GeneratedAction(Struct, frozen=True):
    """The action of a generator: a message for the person (S0-75)."""

    title: str
    message: str
    source: str
    """The name of the generator."""
    type: str = "automation"
    priority: int = 3


class Generator(Protocol):
    """Detects when an action is useful, and makes it."""

    @property
    def name(self) -> str:
        """Return the generator's name in the settings."""
        ...

    @property
    def cooldown_minutes(self) -> int:
        """Return the number of minutes to wait after an action before the next one (T-54)."""
        ...

    def fires(self, known: GeneratorInput) -> bool:
        """Say whether the generator should fire now; nothing is changed."""
        ...

    async def make(self, known: GeneratorInput) -> GeneratedAction | None:
        """Return the action; None if there is nothing to do."""
        ...


class Automated:
    """Fires if an insight contains “organize” (S0-73, S0-74)."""

    name = "Automated"
    cooldown_minutes = 30

    def fires(self, known: GeneratorInput) -> bool:
        """Say whether there is such an insight."""
        return self._insight(known) is not None

    async def make(self, known: GeneratorInput) -> GeneratedAction | None:
        """Return an action that names the insight."""
        insight = self._insight(known)
        return GeneratedAction("Automated Action", insight, self.name) if insight else None

    def _insight(self, known: GeneratorInput) -> str | None:
        return next((text for text in insights(known) if "organize" in text.lower()), None)


def insights(known: GeneratorInput) -> tuple[str, ...]:
    """Return the texts in the note `insights`: a text, or a list of texts or of tables with a `text`."""
    told = next((one.value for one in known.told if one.name == "insights"), None)
    entries = cast("list[Json]", told) if isinstance(told, list) else [told]
    texts = [cast("Mapping[str, Json]", one).get("text") if isinstance(one, Mapping) else one for one in entries]
    return tuple(text for text in texts if isinstance(text, str))


GENERATORS: Mapping[str, Generator] = MappingProxyType({"Automated": Automated()})
"""The generators that a trigger may name."""
