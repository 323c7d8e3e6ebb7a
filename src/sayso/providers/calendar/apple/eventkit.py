"""Reminders through EventKit, Apple's library, where PyObjC is installed: faster than scripts, and they may repeat.

It answers what `scripts/calendar.js` answers for reminders, with the rule by which a reminder repeats besides. EventKit
saves an entry completely or not at all. It was never run on a real Mac.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from threading import Event
from typing import Any

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.lazy import load
from sayso.core.quotes import quoted
from sayso.providers.calendar.repeats import members_of
from sayso.providers.macos.errors import HOST, SETTINGS

SECONDS = 60.0
"""How long an answer of EventKit, or of the person to the question of macOS, may take."""
DENIED, FULL = frozenset({1, 2}), 3
"""What `authorizationStatusForEntityType_` returns: restricted or denied, and full access."""
COMMIT = True
"""Whether EventKit saves a change at once."""
REMINDERS = 1
"""The number of reminders among the kinds of entries."""
FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
WEEKDAYS = ("SU", "MO", "TU", "WE", "TH", "FR", "SA")
NUMBERS = {
    "BYMONTHDAY": "daysOfTheMonth",
    "BYMONTH": "monthsOfTheYear",
    "BYWEEKNO": "weeksOfTheYear",
    "BYYEARDAY": "daysOfTheYear",
    "BYSETPOS": "setPositions",
}
"""The parts of a rule that are lists of numbers, in the order in which EventKit takes them."""
_BEGIN = (
    "initRecurrenceWithFrequency_interval_daysOfTheWeek_daysOfTheMonth_monthsOfTheYear_weeksOfTheYear_daysOfTheYear_"
    "setPositions_end_"
)
UNDEFINED = 2**63 - 1
"""`NSDateComponentUndefined`: the hour of a reminder of a day."""
DATE_UNITS, TIME_UNITS = 4 | 8 | 16, 32 | 64 | 128
Answer = dict[str, Json]


def find_eventkit() -> "EventKitReminders | None":
    """Return reminders through EventKit; None if PyObjC is not installed, as on every other system."""
    if find_spec("EventKit") is None:
        return None
    return EventKitReminders(load("EventKit"), load("Foundation"))


class EventKitReminders:
    """Reads and changes reminders; `kit` and `foundation` are the modules of PyObjC."""

    def __init__(self, kit: Any, foundation: Any, seconds: float = SECONDS) -> None:
        self._kit = kit
        self._foundation = foundation
        self._seconds = seconds
        self._opened: Any = None

    def run(self, data: Mapping[str, Json]) -> Answer:
        """Do what the script would do with this data.

        Raises `SetupError` if macOS does not allow it, and `ProviderError` if nothing was changed.
        """
        store = self._store()
        does: dict[Json, Callable[[Any, Mapping[str, Any]], Answer]] = {
            "list": self._list,
            "look": self._look,
            "make": self._make,
            "write": self._write,
            "remove": self._remove,
        }
        return does[data["do"]](store, data)

    def _store(self) -> Any:
        """Return the store, after macOS has asked the person if it must."""
        if self._opened is not None:
            return self._opened
        store = self._kit.EKEventStore.alloc().init()
        if self._status() not in {*DENIED, FULL}:
            self._ask(store)
        if self._status() != FULL:
            raise SetupError(
                f"macOS does not let sayso use Reminders; in {SETTINGS} > Reminders, turn on {HOST}", "macos.reminders"
            )
        store.reset()  # one that was opened before the person said yes may show no lists
        self._opened = store
        return store

    def _status(self) -> int:
        return int(self._kit.EKEventStore.authorizationStatusForEntityType_(REMINDERS))

    def _ask(self, store: Any) -> None:
        answered = Event()

        def answer(*_: object) -> None:
            answered.set()

        if hasattr(store, "requestFullAccessToRemindersWithCompletion_"):
            store.requestFullAccessToRemindersWithCompletion_(answer)
        else:
            store.requestAccessToEntityType_completion_(REMINDERS, answer)
        answered.wait(self._seconds)

    def _list(self, store: Any, data: Mapping[str, Any]) -> Answer:
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
        if not fetched.wait(self._seconds):
            raise ProviderError("Reminders did not answer in time", "macos.timeout")
        if not found:
            # Nothing instead of an empty list means that it failed.
            raise ProviderError(f"the list {quoted(str(shelf.title()))} could not be read", "macos.refused")
        return found[0]

    def _look(self, store: Any, data: Mapping[str, Any]) -> Answer:
        found = store.calendarItemWithIdentifier_(data["uid"])
        return {"entry": None if found is None else self._entry(found)}

    def _make(self, store: Any, data: Mapping[str, Any]) -> Answer:
        named = [one for one in store.calendarsForEntityType_(REMINDERS) if str(one.title()) == data["shelf"]]
        if not named:
            return {"refused": "no calendar"}
        made = self._kit.EKReminder.reminderWithEventStore_(store)
        made.setCalendar_(named[0])
        self._put(store, made, data["entry"])
        return {"entry": self._entry(made)}

    def _write(self, store: Any, data: Mapping[str, Any]) -> Answer:
        found = store.calendarItemWithIdentifier_(data["uid"])
        if found is None or self._entry(found) != data["was"]:
            return {"refused": "gone" if found is None else "changed"}
        self._put(store, found, data["entry"])
        return {"entry": self._entry(found)}

    def _remove(self, store: Any, data: Mapping[str, Any]) -> Answer:
        found = store.calendarItemWithIdentifier_(data["uid"])
        if found is None or self._entry(found) != data["was"]:
            return {"refused": "gone" if found is None else "changed"}
        self._require(store.removeReminder_commit_error_(found, COMMIT, None))
        return {"entry": None}

    def _put(self, store: Any, reminder: Any, entry: Mapping[str, Any]) -> None:
        rule = self._rule(str(entry["repeat"]))
        reminder.setTitle_(entry["title"])
        reminder.setNotes_(entry["notes"] or None)
        reminder.setDueDateComponents_(self._components(entry["start"]))
        reminder.setStartDateComponents_(self._components(entry["start"]) if rule else None)
        for alarm in list(reminder.alarms() or ()):
            reminder.removeAlarm_(alarm)
        if entry["ring"] is not None:
            reminder.addAlarm_(self._kit.EKAlarm.alarmWithAbsoluteDate_(self._date(entry["ring"])))
        for known in list(reminder.recurrenceRules() or ()):
            reminder.removeRecurrenceRule_(known)
        if rule is not None:
            reminder.addRecurrenceRule_(rule)
        reminder.setCompleted_(entry["done"])
        if entry["done"] and entry["completed"] is not None:
            reminder.setCompletionDate_(self._date(entry["completed"]))
        self._require(store.saveReminder_commit_error_(reminder, COMMIT, None))

    def _require(self, answer: tuple[bool, Any]) -> None:
        """Raise `ProviderError` if EventKit did not save; PyObjC returns the error beside the answer."""
        saved, error = answer
        if not saved:
            why = "it said nothing" if error is None else f"{int(error.code())}: {error.localizedDescription()}"
            raise ProviderError(f"Reminders refused, and nothing was changed ({quoted(why)})", "macos.refused")

    def _entry(self, reminder: Any) -> dict[str, Json]:
        rings = [alarm.absoluteDate() for alarm in reminder.alarms() or () if alarm.absoluteDate() is not None]
        rules = list(reminder.recurrenceRules() or ())
        completed, start = reminder.completionDate(), self._moment(reminder.dueDateComponents())
        return {
            "uid": str(reminder.calendarItemIdentifier()),
            "title": str(reminder.title() or ""),
            "notes": str(reminder.notes() or ""),
            "done": bool(reminder.isCompleted()),
            "completed": None if completed is None else _milliseconds(completed),
            "start": start,
            "ring": _milliseconds(rings[0]) if rings else None,
            "repeat": self._rule_text(rules[0], day=isinstance(start, str)) if rules else "",
        }

    def _moment(self, components: Any) -> int | str | None:
        if components is None:
            return None
        if int(components.hour()) == UNDEFINED:
            return f"{int(components.year()):04}-{int(components.month()):02}-{int(components.day()):02}"
        return _milliseconds(self._foundation.NSCalendar.currentCalendar().dateFromComponents_(components))

    def _components(self, moment: float | str | None) -> Any:
        if moment is None:
            return None
        if isinstance(moment, str):
            made = self._foundation.NSDateComponents.alloc().init()
            year, month, day = map(int, moment.split("-"))
            made.setYear_(year)
            made.setMonth_(month)
            made.setDay_(day)
            return made
        calendar = self._foundation.NSCalendar.currentCalendar()
        return calendar.components_fromDate_(DATE_UNITS | TIME_UNITS, self._date(moment))

    def _date(self, milliseconds: float) -> Any:
        return self._foundation.NSDate.dateWithTimeIntervalSince1970_(milliseconds / 1000)

    def _rule(self, text: str) -> Any:
        """Return the rule for a reminder, or None. Raises `ProviderError` for a rule that EventKit does not have."""
        given = members_of(text)
        if not given:
            return None
        known = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "WKST", *NUMBERS}
        if not given.keys() <= known or given.get("FREQ") not in FREQUENCIES:
            raise ProviderError(f"Reminders cannot repeat by {quoted(text)}; nothing was done", "calendar.no_repeat")
        days = [self._weekday(one) for one in given["BYDAY"].split(",")] if "BYDAY" in given else None
        numbers = [[int(one) for one in given[name].split(",")] if name in given else None for name in NUMBERS]
        begin = getattr(self._kit.EKRecurrenceRule.alloc(), _BEGIN)
        return begin(FREQUENCIES.index(given["FREQ"]), int(given.get("INTERVAL", 1)), days, *numbers, self._end(given))

    def _weekday(self, text: str) -> Any:
        number = text[:-2]
        day = WEEKDAYS.index(text[-2:]) + 1
        return self._kit.EKRecurrenceDayOfWeek.dayOfWeek_weekNumber_(day, int(number) if number else 0)

    def _end(self, given: Mapping[str, str]) -> Any:
        end = self._kit.EKRecurrenceEnd
        if "COUNT" in given:
            return end.recurrenceEndWithOccurrenceCount_(int(given["COUNT"]))
        if "UNTIL" not in given:
            return None
        until = given["UNTIL"]
        components = self._components(f"{until[:4]}-{until[4:6]}-{until[6:8]}")
        if "T" in until:
            for name, text in zip(("Hour", "Minute", "Second"), (until[9:11], until[11:13], until[13:15]), strict=True):
                getattr(components, f"set{name}_")(int(text))
        if until.endswith("Z"):
            components.setTimeZone_(self._foundation.NSTimeZone.timeZoneForSecondsFromGMT_(0))
        return end.recurrenceEndWithEndDate_(
            self._foundation.NSCalendar.currentCalendar().dateFromComponents_(components)
        )

    def _rule_text(self, rule: Any, *, day: bool) -> str:
        """Return a rule of EventKit as an RRULE; `day` says that the reminder is due on days."""
        parts = [f"FREQ={FREQUENCIES[int(rule.frequency())]}"]
        parts += [f"INTERVAL={int(rule.interval())}"] if int(rule.interval()) != 1 else []
        days = [
            f"{int(one.weekNumber()) or ''}{WEEKDAYS[int(one.dayOfTheWeek()) - 1]}"
            for one in rule.daysOfTheWeek() or ()
        ]
        parts += [f"BYDAY={','.join(days)}"] if days else []
        for name, property_ in NUMBERS.items():
            numbers = [str(int(one)) for one in getattr(rule, property_)() or ()]
            parts += [f"{name}={','.join(numbers)}"] if numbers else []
        end = rule.recurrenceEnd()
        if end is None:
            return ";".join(parts)
        if int(end.occurrenceCount()):
            return ";".join((*parts, f"COUNT={int(end.occurrenceCount())}"))
        last = end.endDate()
        if day:
            calendar = self._foundation.NSCalendar.currentCalendar()
            until = self._moment(calendar.components_fromDate_(DATE_UNITS, last))
            return ";".join((*parts, f"UNTIL={str(until).replace('-', '')}"))
        moment = datetime.fromtimestamp(float(last.timeIntervalSince1970()), UTC)
        return ";".join((*parts, f"UNTIL={moment:%Y%m%dT%H%M%SZ}"))


def _milliseconds(date: Any) -> int:
    return round(float(date.timeIntervalSince1970()) * 1000)
