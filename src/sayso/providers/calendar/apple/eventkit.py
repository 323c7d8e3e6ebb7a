"""Events and reminders through EventKit, Apple's library, where PyObjC is installed.

It is faster than scripts, reminders may repeat, and single times of repeating events can be changed. It answers what
`scripts/calendar.js` answers, and more. EventKit saves an entry completely or not at all. It was never run on a real
Mac. Here are reminders; events are in `kit_events.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from importlib.util import find_spec
from threading import Event, Lock
from typing import Any

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError
from sayso.core.lazy import load
from sayso.core.quotes import quoted
from sayso.providers.calendar.apple.kit import COMMIT, EVENTS, REMINDERS, Answer, Kit, milliseconds
from sayso.providers.calendar.apple.kit_events import KitEvents
from sayso.providers.calendar.apple.kit_rules import Rules


class KitReminders:
    """Reads and changes reminders."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._rules = Rules(kit, "Reminders")

    def list_all(self, store: Any, data: Mapping[str, Any]) -> Answer:
        """Return all lists with their reminders."""
        standard = store.defaultCalendarForNewReminders()
        shelves: list[Json] = []
        for shelf in store.calendarsForEntityType_(REMINDERS):
            entries: list[Json] = [self._entry(one) for one in self._fetch(store, shelf)]
            writable = bool(shelf.allowsContentModifications())
            shelves.append({"name": str(shelf.title()), "writable": writable, "entries": entries})
        return {"standard": None if standard is None else str(standard.title()), "shelves": shelves}

    def _fetch(self, store: Any, shelf: Any) -> Sequence[Any]:
        found: list[Sequence[Any]] = []
        fetched = Event()

        def take(reminders: Sequence[Any] | None) -> None:
            if reminders is not None:
                found.append(reminders)
            fetched.set()

        store.fetchRemindersMatchingPredicate_completion_(store.predicateForRemindersInCalendars_([shelf]), take)
        if not fetched.wait(self._kit.seconds):
            raise ProviderError("Reminders did not answer in time", "macos.timeout")
        if not found:
            # Nothing instead of an empty list means that it failed.
            raise ProviderError(f"the list {quoted(str(shelf.title()))} could not be read", "macos.refused")
        return found[0]

    def look(self, store: Any, data: Mapping[str, Any]) -> Answer:
        """Return one reminder as it is now."""
        found = store.calendarItemWithIdentifier_(data["uid"])
        return {"entry": None if found is None else self._entry(found)}

    def make(self, store: Any, data: Mapping[str, Any]) -> Answer:
        """Make a reminder."""
        shelf = self._kit.shelf(store, REMINDERS, data["shelf"])
        if shelf is None:
            return {"refused": "no calendar"}
        made = self._kit.kit.EKReminder.reminderWithEventStore_(store)
        made.setCalendar_(shelf)
        self._put(store, made, data["entry"])
        return {"entry": self._entry(made)}

    def write(self, store: Any, data: Mapping[str, Any]) -> Answer:
        """Write a reminder anew, if it is as it was."""
        found = store.calendarItemWithIdentifier_(data["uid"])
        if found is None or self._entry(found) != data["was"]:
            return {"refused": "gone" if found is None else "changed"}
        self._put(store, found, data["entry"])
        return {"entry": self._entry(found)}

    def remove(self, store: Any, data: Mapping[str, Any]) -> Answer:
        """Remove a reminder, if it is as it was."""
        found = store.calendarItemWithIdentifier_(data["uid"])
        if found is None or self._entry(found) != data["was"]:
            return {"refused": "gone" if found is None else "changed"}
        self._kit.require(store.removeReminder_commit_error_(found, COMMIT, None), "Reminders")
        return {"entry": None}

    def _put(self, store: Any, reminder: Any, entry: Mapping[str, Any]) -> None:
        rule = self._rules.rule(str(entry["repeat"]))
        reminder.setTitle_(entry["title"])
        reminder.setNotes_(entry["notes"] or None)
        reminder.setDueDateComponents_(self._kit.components(entry["start"]))
        reminder.setStartDateComponents_(self._kit.components(entry["start"]) if rule else None)
        for alarm in list(reminder.alarms() or ()):
            reminder.removeAlarm_(alarm)
        if entry["ring"] is not None:
            reminder.addAlarm_(self._kit.kit.EKAlarm.alarmWithAbsoluteDate_(self._kit.date(entry["ring"])))
        self._rules.put(reminder, rule)
        reminder.setCompleted_(entry["done"])
        if entry["done"] and entry["completed"] is not None:
            reminder.setCompletionDate_(self._kit.date(entry["completed"]))
        self._kit.require(store.saveReminder_commit_error_(reminder, COMMIT, None), "Reminders")

    def _entry(self, reminder: Any) -> dict[str, Json]:
        rings = [alarm.absoluteDate() for alarm in reminder.alarms() or () if alarm.absoluteDate() is not None]
        completed, start = reminder.completionDate(), self._kit.moment_of(reminder.dueDateComponents())
        return {
            "uid": str(reminder.calendarItemIdentifier()),
            "title": str(reminder.title() or ""),
            "notes": str(reminder.notes() or ""),
            "done": bool(reminder.isCompleted()),
            "completed": None if completed is None else milliseconds(completed),
            "start": start,
            "ring": milliseconds(rings[0]) if rings else None,
            "repeat": self._rules.of(reminder, day=isinstance(start, str)),
        }


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
