"""Events and reminders through EventKit, Apple's library, where PyObjC is installed.

It is faster than scripts, reminders may repeat, and single times of repeating events can be changed. It answers what
`scripts/calendar.js` answers, and more. EventKit saves an entry completely or not at all. It was never run on a real
Mac.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from importlib.util import find_spec
from threading import Lock
from typing import Any

from sayso.core.encoding import Json
from sayso.core.lazy import load
from sayso.providers.calendar.apple.kit import EVENTS, REMINDERS, Answer, Kit
from sayso.providers.calendar.apple.kit_events import KitEvents
from sayso.providers.calendar.apple.kit_reminders import KitReminders

SECONDS = 60.0
"""How long an answer of EventKit, or of the person to the question of macOS, may take."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def find_eventkit() -> "EventKit | None":
    """Return EventKit; None if PyObjC is not installed, as on every other system."""
    if find_spec("EventKit") is None:
        return None
    return EventKit(load("EventKit"), load("Foundation"))


class EventKit:
    """Reads and changes events and reminders; `kit` and `foundation` are the modules of PyObjC."""

    def __init__(self, kit: Any, foundation: Any, seconds: float = SECONDS) -> None:
        self._kit = Kit(kit, foundation, seconds)
        self._lock = Lock()

    def run(self, data: Mapping[str, Json], now: datetime = EPOCH, zone: tzinfo = UTC) -> Answer:
        """Do what the script would do with this data; `zone` is that of events without one of their own.

        Raises `SetupError` if macOS does not allow it, `ProviderError` if nothing was changed, and `Uncertain` if a
        part was.
        """
        with self._lock:  # whoever opens the store drops what others have read from it
            return self._run(data, now, zone)

    def _run(self, data: Mapping[str, Json], now: datetime, zone: tzinfo) -> Answer:
        kind = EVENTS if data["kind"] == "event" else REMINDERS
        store = self._kit.store(kind)
        events = KitEvents(self._kit, now, zone)
        entries = events if kind == EVENTS else KitReminders(self._kit)
        does: dict[Json, Callable[[Any, Mapping[str, Any]], Answer]] = {
            "list": entries.list_all,
            "look": entries.look,
            "make": entries.make,
            "write": entries.write,
            "remove": entries.remove,
            "adopt": events.adopt,
        }
        return does[data["do"]](store, data)
