"""Events through EventKit; each answer is what `scripts/calendar.js` would answer, with what scripts do not know.

EventKit gives the single times of repeating events, and does not say which were taken out: these are the ones that the
rule has and EventKit does not, in a span of years around now.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise, takewhile
from typing import Any

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, Uncertain
from sayso.providers.calendar.apple.kit import COMMIT, EVENTS, Answer, Kit, milliseconds
from sayso.providers.calendar.apple.kit_rules import Rules
from sayso.providers.calendar.event_texts import at, instant, write_moment
from sayso.providers.calendar.ical.parse import find_zone
from sayso.providers.calendar.repeats import times

CANCELED = 3
"""`EKEventStatusCanceled`."""
THIS, FUTURE = 0, 1
"""`EKSpanThisEvent` and `EKSpanFutureEvents`."""
YEARS = timedelta(days=730)
"""How long before and after now repeating events are compared with their rules."""
LONGEST = timedelta(days=1400)
"""How long a span of one question may be; EventKit answers for the first four years only."""
A_DAY = timedelta(days=1)
TEXTS = {"title": "Title", "notes": "Notes", "location": "Location"}
SHARED = ("title", "notes", "location", "url", "alarms")
"""What all times of a repeating event have in common, unless one was changed."""
Entry = dict[str, Any]
Span = tuple[datetime, datetime]


class KitEvents:
    """Reads and changes events; `zone` is that of events without one of their own."""

    def __init__(self, kit: Kit, now: datetime, zone: tzinfo) -> None:
        self._kit = kit
        self._now = now
        self._zone = zone
        self._rules = Rules(kit, "Calendar")

    def list_all(self, store: Any, data: Mapping[str, Any]) -> Answer:
        """Return all calendars with their events from `first` to `last`, or of the years around now.

        With `names`, their events are not read.
        """
        standard = store.defaultCalendarForNewEvents()
        days = [_day(data[name]) for name in ("first", "last") if data.get(name)]
        span = self._span(days)
        wanted = (days[0] - A_DAY, days[-1] + 2 * A_DAY) if days else span
        shelves: list[Json] = []
        for shelf in store.calendarsForEntityType_(EVENTS):
            parts = {} if data.get("names") else self._parts(store, shelf, span)
            parts = {uid: each for uid, each in parts.items() if any(_touches(one, wanted) for one in each)}
            entries: list[Json] = [self._series(store, uid, each, span) for uid, each in parts.items()]
            writable = bool(shelf.allowsContentModifications())
            shelves.append({"name": str(shelf.title()), "writable": writable, "entries": entries})
        return {"standard": None if standard is None else str(standard.title()), "shelves": shelves}

    def look(self, store: Any, data: Mapping[str, Any]) -> Answer:
        """Return one event as it is now, with the name of its calendar."""
        found = self._find(store, data["uid"])
        return {"entry": None} if found is None else self._seen(store, found)

    def adopt(self, store: Any, data: Mapping[str, Any]) -> Answer:
        """Return the event that a script made, whose identifier in EventKit is another one."""
        found = list(store.calendarItemsWithExternalIdentifier_(data["uid"]) or ())
        if len(found) != 1:
            raise Uncertain("Calendar made the event and EventKit does not show it yet; look there", "calendar.unseen")
        return self._seen(store, found[0])

    def _find(self, store: Any, uid: str) -> Any:
        found = store.calendarItemWithIdentifier_(uid)
        return found if isinstance(found, self._kit.kit.EKEvent) else None

    def make(self, store: Any, data: Mapping[str, Any]) -> Answer:
        """Make an event with all that differs at single times."""
        shelf = self._kit.shelf(store, EVENTS, data["shelf"])
        if shelf is None:
            return {"refused": "no calendar"}
        made = self._kit.kit.EKEvent.eventWithEventStore_(store)
        made.setCalendar_(shelf)
        self._put(made, {}, data["entry"])
        self._save(store, made, FUTURE if data["entry"]["repeat"] else THIS)
        self._set_apart(store, made, {"without": [], "changed": []}, data["entry"])
        return self._seen(store, made)

    def write(self, store: Any, data: Mapping[str, Any]) -> Answer:
        """Write what differs into an event and its single times, if it is as it was."""
        found = self._find(store, data["uid"])
        if found is None or self._seen(store, found)["entry"] != data["was"]:
            return {"refused": "gone" if found is None else "changed"}
        was, entry = data["was"], data["entry"]
        if set(was["without"]) - set(entry["without"]):
            return self._anew(store, found, data)
        begun = self._put(found, was, entry)
        if begun:
            self._save(store, found, FUTURE if was["repeat"] or entry["repeat"] else THIS)
        self._set_apart(store, found, was, entry, begun=begun)
        return self._seen(store, self._find(store, data["uid"]) or found)

    def remove(self, store: Any, data: Mapping[str, Any]) -> Answer:
        """Remove an event with all its times, if it is as it was."""
        found = self._find(store, data["uid"])
        if found is None or self._seen(store, found)["entry"] != data["was"]:
            return {"refused": "gone" if found is None else "changed"}
        self._remove(store, found, FUTURE if data["was"]["repeat"] else THIS)
        return {"entry": None}

    def _anew(self, store: Any, found: Any, data: Mapping[str, Any]) -> Answer:
        """Make an event again to which a time returns that was taken out; EventKit cannot put one back."""
        if data["was"]["people"]:
            raise ProviderError(
                "EventKit cannot put back one time of an event with invited people; nothing was done",
                "calendar.one_time",
            )
        made = self.make(store, data)
        if "refused" not in made:
            self._remove(store, found, FUTURE, begun=True)
        return made

    def _set_apart(self, store: Any, item: Any, was: Entry, entry: Entry, *, begun: bool = True) -> None:
        """Take out single times, and change those that differ from what they were."""
        before = {one["occurrence"]: one for one in was["changed"]}
        after = {one["occurrence"]: one for one in entry["changed"]}
        gone = [when for when in entry["without"] if when not in set(was["without"])]
        differ = [when for when in {**before, **after} if before.get(when) != after.get(when) and when not in gone]
        if not gone and not differ:
            return
        span = self._span([self._utc(when) for when in (*gone, *differ)])
        parts = self._parts(store, item.calendar(), span, only=item).get(str(item.calendarItemIdentifier()), [])
        for when in (*gone, *differ):
            one = next((part for part in parts if self._original(part) == when), None)
            if one is None:
                self._kit.require((False, None), "Calendar", begun=begun)
            elif when in gone:
                self._remove(store, one, THIS, begun=begun)
            else:
                self._put(one, self._plain(one), after.get(when) or self._regular(entry, when))
                self._save(store, one, THIS, begun=begun)
            begun = True

    def _save(self, store: Any, item: Any, span: int, *, begun: bool = False) -> None:
        self._kit.require(store.saveEvent_span_commit_error_(item, span, COMMIT, None), "Calendar", begun=begun)

    def _remove(self, store: Any, item: Any, span: int, *, begun: bool = False) -> None:
        self._kit.require(store.removeEvent_span_commit_error_(item, span, COMMIT, None), "Calendar", begun=begun)

    def _put(self, item: Any, was: Entry, entry: Entry) -> bool:
        """Set what differs, so that what sayso does not know stays; return whether anything does."""
        differs = {name for name in entry if entry[name] != was.get(name)}
        for name in differs & TEXTS.keys():
            getattr(item, f"set{TEXTS[name]}_")(entry[name] or None)
        if "url" in differs:
            item.setURL_(self._kit.foundation.NSURL.URLWithString_(entry["url"]) if entry["url"] else None)
        if "zone" in differs and entry["zone"]:
            item.setTimeZone_(self._kit.foundation.NSTimeZone.timeZoneWithName_(entry["zone"]))
        if differs & {"start", "end"}:
            day = isinstance(entry["start"], str)
            item.setAllDay_(day)
            item.setStartDate_(self._kit.date_of(entry["start"]))
            # An event of days ends on its last day, and in iCalendar on the day after it.
            last = (_day(entry["end"]) - A_DAY).date().isoformat() if day else entry["end"]
            item.setEndDate_(self._kit.date_of(max(last, entry["start"])))
        if "alarms" in differs:
            for alarm in list(item.alarms() or ()):
                item.removeAlarm_(alarm)
            for seconds in entry["alarms"]:
                item.addAlarm_(self._kit.kit.EKAlarm.alarmWithRelativeOffset_(seconds))
        if "repeat" in differs and entry["occurrence"] is None:
            self._rules.put(item, self._rules.rule(entry["repeat"]))
        return bool(differs & {*SHARED, "start", "end", "zone", "repeat"})

    def _seen(self, store: Any, item: Any) -> dict[str, Any]:
        uid, shelf, span = str(item.calendarItemIdentifier()), item.calendar(), self._span([])
        parts = self._parts(store, shelf, span, only=item).get(uid) if item.recurrenceRules() else None
        return {"entry": self._series(store, uid, parts or [item], span), "shelf": str(shelf.title())}

    def _span(self, days: list[datetime]) -> Span:
        return min([self._now - YEARS, *days]) - A_DAY, max([self._now + YEARS, *days]) + A_DAY

    def _parts(self, store: Any, shelf: Any, span: Span, only: Any = None) -> dict[str, list[Any]]:
        """Return the events of a calendar, or one of them, each with its times, by their identifiers."""
        first, last = span
        ends = [first + LONGEST * number for number in range((last - first) // LONGEST + 1)]
        found: dict[tuple[str, Json], Any] = {}
        for begins, until in pairwise((*ends, last)):
            dates = (self._kit.date(one.timestamp() * 1000) for one in (begins, until))
            wanted = store.predicateForEventsWithStartDate_endDate_calendars_(*dates, [shelf])
            for one in store.eventsMatchingPredicate_(wanted) or ():
                if int(one.status()) != CANCELED:
                    found[_series_of(one), self._original(one)] = one
        grouped: dict[str, list[Any]] = {}
        for (series, _), one in found.items():
            if only is None or series == _series_of(only):
                grouped.setdefault(series, []).append(one)
        return {self._identifier(store, only or each[0]): each for each in grouped.values()}

    def _identifier(self, store: Any, one: Any) -> str:
        """Return the identifier of an event; that of one changed time may be another one."""
        if one.isDetached():
            same = store.calendarItemsWithExternalIdentifier_(one.calendarItemExternalIdentifier()) or ()
            one = next((item for item in same if item.recurrenceRules() and not item.isDetached()), one)
        return str(one.calendarItemIdentifier())

    def _series(self, store: Any, uid: str, parts: list[Any], span: Span) -> Entry:
        """Return an event with what differs at its single times."""
        first = parts[0]
        if first.recurrenceRules() or first.isDetached():
            first = self._find(store, uid) or first
        entry = {**self._plain(first), "uid": uid, "occurrence": None}
        entry["repeat"] = self._rules.of(first, day=isinstance(entry["start"], str))
        if not entry["repeat"]:
            return entry
        there = {self._original(one): one for one in parts}
        due = list(takewhile(lambda when: self._utc(when) < span[1] - A_DAY, self._times(entry)))
        entry["without"] = [when for when in due if when not in there and self._utc(when) > span[0] + A_DAY]
        regular = set(due)
        ordered = sorted(there.items(), key=lambda item: str(item[0]))
        each: list[Entry] = [{**self._plain(one), "people": []} for _, one in ordered]
        # A time that is not one of the rule stands for itself too.
        entry["changed"] = [
            one
            for one in each
            if one != self._regular(entry, one["occurrence"])
            or (one["occurrence"] not in regular and self._utc(one["occurrence"]) < span[1] - A_DAY)
        ]
        return entry

    def _regular(self, entry: Entry, when: Any) -> Entry:
        """Return one time of a repeating event that was not changed."""
        same: Entry = {**{name: entry[name] for name in (*SHARED, "zone")}, "uid": "", "repeat": "", "without": []}
        if isinstance(when, str):
            end: Json = (_day(when) + (_day(entry["end"]) - _day(entry["start"]))).date().isoformat()
        else:
            end = when + entry["end"] - entry["start"]
        return {**same, "people": [], "changed": [], "occurrence": when, "start": when, "end": end}

    def _times(self, entry: Entry) -> Iterator[Json]:
        """Yield the original starts of all times of a repeating event."""
        zone = find_zone(entry["zone"]) or self._zone
        start = entry["start"]
        if isinstance(start, str):
            yield from times(entry["repeat"], start, zone)
            return
        first = write_moment(datetime.fromtimestamp(start / 1000, UTC).astimezone(zone))
        for text in times(entry["repeat"], first, zone):
            yield round(instant(at(text, zone)).timestamp() * 1000)

    def _plain(self, item: Any) -> Entry:
        """Return one event, or one time of it, without what differs at single times."""
        day = bool(item.isAllDay())
        start, end, url, zone = item.startDate(), item.endDate(), item.URL(), item.timeZone()
        alarms = [
            int(alarm.relativeOffset())
            if alarm.absoluteDate() is None
            else (milliseconds(alarm.absoluteDate()) - milliseconds(start)) // 1000
            for alarm in item.alarms() or ()
        ]
        return {
            "uid": "",
            "title": str(item.title() or ""),
            "notes": str(item.notes() or ""),
            "location": str(item.location() or ""),
            "url": "" if url is None else str(url.absoluteString()),
            "start": self._kit.day_of(start) if day else milliseconds(start),
            "end": (_day(self._kit.day_of(end)) + A_DAY).date().isoformat() if day else milliseconds(end),
            "repeat": "",
            "without": [],
            "people": _people(item),
            "zone": "" if day or zone is None else str(zone.name()),
            "alarms": alarms,
            "occurrence": self._original(item),
            "changed": [],
        }

    def _original(self, item: Any) -> Any:
        """Return when a time of a repeating event began before it was moved."""
        original = item.occurrenceDate() or item.startDate()
        return self._kit.day_of(original) if item.isAllDay() else milliseconds(original)

    def _utc(self, when: Any) -> datetime:
        return _day(when) if isinstance(when, str) else datetime.fromtimestamp(when / 1000, UTC)


def _touches(one: Any, span: Span) -> bool:
    first, last = (moment.timestamp() for moment in span)
    return bool(one.startDate().timeIntervalSince1970() < last and one.endDate().timeIntervalSince1970() > first)


def _series_of(one: Any) -> str:
    return str(one.calendarItemExternalIdentifier() or one.calendarItemIdentifier())


def _people(item: Any) -> list[str]:
    addresses = (str(one.URL().resourceSpecifier()) for one in item.attendees() or ())
    return [address for address in addresses if "@" in address]


def _day(text: str) -> datetime:
    digits = text.replace("-", "")
    return datetime(int(digits[:4]), int(digits[4:6]), int(digits[6:8]), tzinfo=UTC)
