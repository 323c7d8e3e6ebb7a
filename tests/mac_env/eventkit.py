"""A stand-in for the modules `EventKit` and `Foundation` of PyObjC, with only the names that sayso uses.

Its names and behaviour were written down from Apple's documentation; nothing of it was compared with a real Mac.
Changes of an entry are seen by others only after it was saved, and what the store returns are copies.
"""

from collections.abc import Callable
from copy import copy
from datetime import datetime, timedelta, timezone, tzinfo
from functools import partial
from threading import Thread
from types import SimpleNamespace
from typing import Any, Self
from zoneinfo import ZoneInfo

from dateutil.rrule import rrule

UNDEFINED = 2**63 - 1
DENIED, NOT_ASKED, FULL, ADD_ONLY = 2, 0, 3, 4
FOUR_YEARS = 4 * 365 * 86_400
ZONE = ZoneInfo("Europe/Vienna")
"""Where the Mac stands."""


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


class Zone:
    """A time zone by its name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name


class Address:
    """An address such as that of a page, or of a person."""

    def __init__(self, text: str) -> None:
        self._text = text

    def absoluteString(self) -> str:
        return self._text

    def resourceSpecifier(self) -> str:
        return self._text.partition(":")[2]


def timezone_of(seconds: int) -> tzinfo:
    return timezone(timedelta(seconds=seconds))


def foundation(zone: tzinfo) -> Any:
    """Return the module `Foundation` on a Mac in this time zone."""
    return SimpleNamespace(
        NSDate=NSDate,
        NSDateComponents=NSDateComponents,
        NSCalendar=SimpleNamespace(currentCalendar=lambda: Calendar(zone)),
        NSTimeZone=SimpleNamespace(timeZoneForSecondsFromGMT_=timezone_of, timeZoneWithName_=Zone),
        NSURL=SimpleNamespace(URLWithString_=Address),
    )


class Alarm:
    def __init__(self, date: NSDate | None = None, seconds: float = 0.0) -> None:
        self._date, self._seconds = date, seconds

    def absoluteDate(self) -> NSDate | None:
        return self._date

    def relativeOffset(self) -> float:
        return self._seconds


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


class Item:
    """What a reminder and an event have in common; it is kept by the store once it was saved."""

    texts: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.values: dict[str, Any] = dict.fromkeys(self.texts)
        self.lists: dict[str, list[Any]] = {"alarms": [], "recurrenceRules": []}
        self.uid = ""

    def copied(self) -> Self:
        made = copy(self)
        made.values, made.lists = dict(self.values), {name: list(value) for name, value in self.lists.items()}
        return made

    def calendarItemIdentifier(self) -> str:
        return self.uid

    def addAlarm_(self, alarm: Alarm) -> None:
        self.lists["alarms"].append(alarm)

    def removeAlarm_(self, alarm: Alarm) -> None:
        self.lists["alarms"].remove(alarm)

    def addRecurrenceRule_(self, rule: Rule) -> None:
        self.lists["recurrenceRules"].append(rule)

    def removeRecurrenceRule_(self, rule: Rule) -> None:
        self.lists["recurrenceRules"].remove(rule)

    def __getattr__(self, name: str) -> Any:
        if name in {"alarms", "recurrenceRules"}:
            return lambda: list(self.lists[name]) or None
        for one in self.texts:
            if name == one:
                return lambda: self.values[one]
            if name == f"set{one[0].upper()}{one[1:]}_":
                return partial(self.values.__setitem__, one)
        raise AttributeError(name)


class Reminder(Item):
    texts = ("title", "notes", "calendar", "dueDateComponents", "startDateComponents", "completionDate")

    @classmethod
    def reminderWithEventStore_(cls, store: "Store") -> "Reminder":
        return cls()

    def isCompleted(self) -> bool:
        return self.values["completionDate"] is not None

    def setCompleted_(self, done: bool) -> None:
        self.values["completionDate"] = NSDate(1_900_000_000) if done else None


class Person:
    """One who is invited."""

    def __init__(self, email: str) -> None:
        self._address = Address(f"mailto:{email}")

    def URL(self) -> Address:
        return self._address


class Event(Item):
    """An event, or one time of one that repeats; the kept event holds which times were removed or saved apart."""

    texts = ("title", "notes", "calendar", "location", "URL", "startDate", "endDate", "allDay", "timeZone")

    def __init__(self) -> None:
        super().__init__()
        self.original: NSDate | None = None
        self.detached = self.canceled = False
        self.more: list[datetime] = []
        """Local times at which it takes place beside those of its rule."""
        self.people: list[Person] = []
        self.gone: set[float] = set()
        self.apart: dict[float, Event] = {}

    @classmethod
    def eventWithEventStore_(cls, store: "Store") -> "Event":
        return cls()

    def copied(self) -> Self:
        made = super().copied()
        made.gone, made.apart = set(self.gone), dict(self.apart)
        return made

    def isAllDay(self) -> bool:
        return bool(self.values["allDay"])

    def attendees(self) -> list[Person] | None:
        return self.people or None

    def status(self) -> int:
        return 3 if self.canceled else 0

    def isDetached(self) -> bool:
        return self.detached

    def occurrenceDate(self) -> NSDate | None:
        return self.original or self.values["startDate"]

    def calendarItemExternalIdentifier(self) -> str:
        return f"{self.uid}@outside"

    def times(self) -> "list[Event]":
        """Return the event, or all its times; those of days and those by clocks stay at their hour."""
        start, rules = self.values["startDate"].seconds, self.lists["recurrenceRules"]
        local = datetime.fromtimestamp(start, ZONE).replace(tzinfo=None)
        starts = [local]
        if rules:
            values = rules[0].values
            end = values["recurrenceEnd"]
            count = end.occurrenceCount() if end else 0
            until = end.endDate() if end else None
            last = (
                datetime.fromtimestamp(until.seconds, ZONE).replace(tzinfo=None) if until else local.replace(year=2040)
            )
            # EventKit numbers what repeats daily, weekly, monthly and yearly from 0, and the library from 3 down.
            frequency, until = 3 - values["frequency"], None if count else last
            starts = list(rrule(frequency, local, values["interval"], count=count or None, until=until))
        return [one for one in map(self._time, (*starts, *self.more)) if one is not None]

    def _time(self, local: datetime) -> "Event | None":
        when = local.replace(tzinfo=ZONE).timestamp()
        if when in self.gone:
            return None
        if when in self.apart:
            return self.apart[when].copied()
        made = self.copied()
        length = self.values["endDate"].seconds - self.values["startDate"].seconds
        made.values.update(startDate=NSDate(when), endDate=NSDate(when + length))
        made.original = NSDate(when)
        return made


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
        self.calendars = [Shelf("Home"), Shelf("Work"), Shelf("Holidays", writable=False)]
        self.kept: dict[str, Reminder] = {}
        self.events: dict[str, Event] = {}
        self.made = 0
        self.by_calendar: Callable[[], list[dict[str, Any]]] = list
        """Returns the events that the application Calendar made by itself."""
        self.status, self.asked = FULL, FULL
        self.refuses = self.refuses_removals = self.silent = False
        self.questions = 0

    def alloc(self) -> "Store":
        return self

    def init(self) -> "Store":
        return self

    def reset(self) -> None:
        """Forget what was read; here, nothing is kept of it."""

    def authorizationStatusForEntityType_(self, kind: int) -> int:
        return self.status

    def requestFullAccessToEventsWithCompletion_(self, answer: Any) -> None:
        self.requestFullAccessToRemindersWithCompletion_(answer)

    def requestFullAccessToRemindersWithCompletion_(self, answer: Any) -> None:
        self.questions += 1
        self.status = self.asked
        Thread(target=answer, args=(self.status == FULL, None)).start()

    def defaultCalendarForNewReminders(self) -> Shelf:
        return self.shelves[0]

    def defaultCalendarForNewEvents(self) -> Shelf:
        return self.calendars[0]

    def calendarsForEntityType_(self, kind: int) -> list[Shelf]:
        return list(self.shelves if kind else self.calendars)

    def predicateForEventsWithStartDate_endDate_calendars_(
        self, start: NSDate, end: NSDate, shelves: list[Shelf]
    ) -> Any:
        # More than four years are cut off.
        return start.seconds, min(end.seconds, start.seconds + FOUR_YEARS), shelves

    def eventsMatchingPredicate_(self, predicate: tuple[float, float, list[Shelf]]) -> list[Event] | None:
        first, last, shelves = predicate
        every = [one for event in self.events.values() if event.values["calendar"] in shelves for one in event.times()]
        ends = [(one, one.values["startDate"].seconds, one.values["endDate"].seconds) for one in every]
        return [one for one, start, end in ends if start < last and end > first] or None

    def calendarItemsWithExternalIdentifier_(self, uid: str) -> list[Event]:
        for one in self.by_calendar():
            if one["uid"] == uid:
                made = Event()
                dates = {
                    name: NSDate(datetime.fromisoformat(one[name]).timestamp()) for name in ("startDate", "endDate")
                }
                made.values.update(title=one["summary"], calendar=self.calendars[0], allDay=False, **dates)
                made.people = [Person(each["email"]) for each in one["attendees"]]
                self.saveEvent_span_commit_error_(made, 0, True, None)
                return [made]
        return [event.copied() for event in self.events.values() if event.calendarItemExternalIdentifier() == uid]

    def saveEvent_span_commit_error_(
        self, event: Event, span: int, commit: bool, error: None
    ) -> tuple[bool, Fault | None]:
        if self.refuses or not event.values["calendar"].allowsContentModifications():
            return False, Fault()
        kept = self.events.get(event.uid)
        if event.isAllDay():
            # The last second of the last day.
            end = datetime.fromtimestamp(event.values["endDate"].seconds, ZONE)
            event.values["endDate"] = NSDate(end.replace(hour=23, minute=59, second=59).timestamp())
        elif event.values["timeZone"] is None:
            event.values["timeZone"] = Zone(ZONE.key)
        if kept is not None and kept.lists["recurrenceRules"] and span == 0 and event.original is not None:
            event.detached = True
            kept.apart[event.original.seconds] = event.copied()
            return True, None
        if not event.uid:
            self.made += 1
            event.uid = f"EV-{self.made}"
        self.events[event.uid] = event.copied()
        return True, None

    def removeEvent_span_commit_error_(
        self, event: Event, span: int, commit: bool, error: None
    ) -> tuple[bool, Fault | None]:
        if self.refuses or self.refuses_removals:
            return False, Fault()
        kept = self.events[event.uid]
        if kept.lists["recurrenceRules"] and span == 0 and event.original is not None:
            kept.gone.add(event.original.seconds)
            kept.apart.pop(event.original.seconds, None)
        else:
            del self.events[event.uid]
        return True, None

    def predicateForRemindersInCalendars_(self, shelves: list[Shelf]) -> list[Shelf]:
        return shelves

    def fetchRemindersMatchingPredicate_completion_(self, shelves: list[Shelf], take: Any) -> None:
        found = [one.copied() for one in self.kept.values() if one.values["calendar"] in shelves]
        Thread(target=take, args=(None if self.silent else found,)).start()

    def calendarItemWithIdentifier_(self, uid: str) -> Item | None:
        if uid in self.events:
            return self.events[uid].copied()
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
        EKEvent=Event,
        EKAlarm=SimpleNamespace(alarmWithAbsoluteDate_=Alarm, alarmWithRelativeOffset_=partial(Alarm, None)),
        EKRecurrenceRule=Rule,
        EKRecurrenceDayOfWeek=SimpleNamespace(dayOfWeek_weekNumber_=Weekday),
        EKRecurrenceEnd=SimpleNamespace(
            recurrenceEndWithOccurrenceCount_=partial(End, date=None), recurrenceEndWithEndDate_=partial(End, 0)
        ),
    )
