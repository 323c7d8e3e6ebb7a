"""A stand-in for the modules `EventKit` and `Foundation` of PyObjC, with only the names that sayso uses.

Its names and behaviour were written down from Apple's documentation; nothing of it was compared with a real Mac.
Changes of an entry are seen by others only after it was saved, and what the store returns are copies.
"""

from copy import copy
from datetime import datetime, timedelta, timezone, tzinfo
from functools import partial
from threading import Thread
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

UNDEFINED = 2**63 - 1
DENIED, NOT_ASKED, FULL = 2, 0, 3


class NSObject:
    """What is made by `alloc().init()`."""

    @classmethod
    def alloc(cls) -> Any:
        return cls.__new__(cls)

    def init(self) -> Any:
        return self


class NSDate:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    @classmethod
    def dateWithTimeIntervalSince1970_(cls, seconds: float) -> "NSDate":
        return cls(seconds)

    def timeIntervalSince1970(self) -> float:
        return self.seconds


PARTS = ("year", "month", "day", "hour", "minute", "second")


class NSDateComponents(NSObject):
    zone: tzinfo | None = None

    def init(self) -> "NSDateComponents":
        self.parts: dict[str, int] = dict.fromkeys(PARTS, UNDEFINED)
        return self

    def setTimeZone_(self, zone: tzinfo) -> None:
        self.zone = zone

    def __getattr__(self, name: str) -> Any:
        if name in PARTS:
            return lambda: self.parts[name]
        if name.startswith("set") and name[3:-1].lower() in PARTS:
            return partial(self.parts.__setitem__, name[3:-1].lower())
        raise AttributeError(name)


class Calendar:
    """The calendar of the person, in their time zone."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone

    def components_fromDate_(self, units: int, date: NSDate) -> NSDateComponents:
        moment = datetime.fromtimestamp(date.seconds, self._zone)
        made = NSDateComponents.alloc().init()
        for bit, name in zip((4, 8, 16, 32, 64, 128), PARTS, strict=True):
            if units & bit:
                made.parts[name] = getattr(moment, name)
        return made

    def dateFromComponents_(self, components: NSDateComponents) -> NSDate:
        known = [0 if value == UNDEFINED else value for value in components.parts.values()]
        return NSDate(datetime(*known, tzinfo=components.zone or self._zone).timestamp())


def timezone_of(seconds: int) -> tzinfo:
    return timezone(timedelta(seconds=seconds))


def foundation(zone: tzinfo) -> Any:
    """Return the module `Foundation` on a Mac in this time zone."""
    return SimpleNamespace(
        NSDate=NSDate,
        NSDateComponents=NSDateComponents,
        NSCalendar=SimpleNamespace(currentCalendar=lambda: Calendar(zone)),
        NSTimeZone=SimpleNamespace(timeZoneForSecondsFromGMT_=timezone_of),
    )


class Alarm:
    def __init__(self, date: NSDate) -> None:
        self._date = date

    def absoluteDate(self) -> NSDate:
        return self._date


class Weekday:
    def __init__(self, day: int, week: int) -> None:
        self._day, self._week = day, week

    def dayOfTheWeek(self) -> int:
        return self._day

    def weekNumber(self) -> int:
        return self._week


class End:
    def __init__(self, count: int, date: NSDate | None) -> None:
        self._count, self._date = count, date

    def occurrenceCount(self) -> int:
        return self._count

    def endDate(self) -> NSDate | None:
        return self._date


RULE = (
    "frequency",
    "interval",
    "daysOfTheWeek",
    "daysOfTheMonth",
    "monthsOfTheYear",
    "weeksOfTheYear",
    "daysOfTheYear",
)
INIT = (
    "initRecurrenceWithFrequency_interval_daysOfTheWeek_daysOfTheMonth_monthsOfTheYear_weeksOfTheYear_daysOfTheYear_"
    "setPositions_end_"
)


class Rule(NSObject):
    values: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        if name == INIT:
            return self._begin
        if name in self.values:
            return lambda: self.values[name]
        raise AttributeError(name)

    def _begin(self, *values: Any) -> "Rule":
        self.values = dict(zip((*RULE, "setPositions", "recurrenceEnd"), values, strict=True))
        return self


class Shelf:
    def __init__(self, title: str, *, writable: bool = True) -> None:
        self._title, self._writable = title, writable

    def title(self) -> str:
        return self._title

    def allowsContentModifications(self) -> bool:
        return self._writable


TEXTS = ("title", "notes", "calendar", "dueDateComponents", "startDateComponents", "completionDate")


class Reminder:
    """A reminder; it is kept by the store once it was saved."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = dict.fromkeys(TEXTS)
        self.lists: dict[str, list[Any]] = {"alarms": [], "recurrenceRules": []}
        self.uid = ""

    @classmethod
    def reminderWithEventStore_(cls, store: "Store") -> "Reminder":
        return cls()

    def copied(self) -> "Reminder":
        made = copy(self)
        made.values, made.lists = dict(self.values), {name: list(value) for name, value in self.lists.items()}
        return made

    def calendarItemIdentifier(self) -> str:
        return self.uid

    def isCompleted(self) -> bool:
        return self.values["completionDate"] is not None

    def setCompleted_(self, done: bool) -> None:
        self.values["completionDate"] = NSDate(1_900_000_000) if done else None

    def addAlarm_(self, alarm: Alarm) -> None:
        self.lists["alarms"].append(alarm)

    def removeAlarm_(self, alarm: Alarm) -> None:
        self.lists["alarms"].remove(alarm)

    def addRecurrenceRule_(self, rule: Rule) -> None:
        self.lists["recurrenceRules"].append(rule)

    def removeRecurrenceRule_(self, rule: Rule) -> None:
        self.lists["recurrenceRules"].remove(rule)

    def __getattr__(self, name: str) -> Any:
        if name in TEXTS:
            return lambda: self.values[name]
        if name in {"alarms", "recurrenceRules"}:
            return lambda: list(self.lists[name]) or None
        if name.startswith("set") and name[3].lower() + name[4:-1] in TEXTS:
            return partial(self.values.__setitem__, name[3].lower() + name[4:-1])
        raise AttributeError(name)


class Fault(Exception):
    """An error as EventKit returns it."""

    def code(self) -> int:
        return 6

    def localizedDescription(self) -> str:
        return "Der Kalender ist schreibgeschützt."


class Store:
    """The store with all lists; `asked` is the answer that the person will give to the question of macOS."""

    def __init__(self) -> None:
        self.shelves = [Shelf("Reminders"), Shelf("Work"), Shelf("Shared", writable=False)]
        self.kept: dict[str, Reminder] = {}
        self.status, self.asked = FULL, FULL
        self.refuses = self.silent = False
        self.questions = 0

    def alloc(self) -> "Store":
        return self

    def init(self) -> "Store":
        return self

    def reset(self) -> None:
        """Forget what was read; here, nothing is kept of it."""

    def authorizationStatusForEntityType_(self, kind: int) -> int:
        return self.status

    def requestFullAccessToRemindersWithCompletion_(self, answer: Any) -> None:
        self.questions += 1
        self.status = self.asked
        Thread(target=answer, args=(self.status == FULL, None)).start()

    def defaultCalendarForNewReminders(self) -> Shelf:
        return self.shelves[0]

    def calendarsForEntityType_(self, kind: int) -> list[Shelf]:
        return list(self.shelves)

    def predicateForRemindersInCalendars_(self, shelves: list[Shelf]) -> list[Shelf]:
        return shelves

    def fetchRemindersMatchingPredicate_completion_(self, shelves: list[Shelf], take: Any) -> None:
        found = [one.copied() for one in self.kept.values() if one.values["calendar"] in shelves]
        Thread(target=take, args=(None if self.silent else found,)).start()

    def calendarItemWithIdentifier_(self, uid: str) -> Reminder | None:
        found = self.kept.get(uid)
        return None if found is None else found.copied()

    def saveReminder_commit_error_(self, reminder: Reminder, commit: bool, error: None) -> tuple[bool, Fault | None]:
        if self.refuses or not reminder.values["calendar"].allowsContentModifications():
            return False, Fault()
        reminder.uid = reminder.uid or f"EK-{len(self.kept) + 1}"
        self.kept[reminder.uid] = reminder.copied()
        return True, None

    def removeReminder_commit_error_(self, reminder: Reminder, commit: bool, error: None) -> tuple[bool, Fault | None]:
        if self.refuses:
            return False, Fault()
        del self.kept[reminder.uid]
        return True, None


def eventkit(store: Store) -> Any:
    """Return the module `EventKit` with this store."""
    return SimpleNamespace(
        EKEventStore=store,
        EKReminder=Reminder,
        EKAlarm=SimpleNamespace(alarmWithAbsoluteDate_=Alarm),
        EKRecurrenceRule=Rule,
        EKRecurrenceDayOfWeek=SimpleNamespace(dayOfWeek_weekNumber_=Weekday),
        EKRecurrenceEnd=SimpleNamespace(
            recurrenceEndWithOccurrenceCount_=partial(End, date=None), recurrenceEndWithEndDate_=partial(End, 0)
        ),
    )


ZONE = ZoneInfo("Europe/Vienna")
