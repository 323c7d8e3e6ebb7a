"""Rules by which entries repeat, as RRULE and as EventKit has them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sayso.core.errors import ProviderError
from sayso.core.quotes import quoted
from sayso.providers.calendar.apple.kit import DATE_UNITS, Kit
from sayso.providers.calendar.repeats import members_of

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


class Rules:
    """Reads and writes the rules of entries of one application."""

    def __init__(self, kit: Kit, app: str) -> None:
        self._at = kit
        self._app = app

    def put(self, item: Any, rule: Any) -> None:
        """Let an entry repeat by this rule alone; by none if it is None."""
        for known in list(item.recurrenceRules() or ()):
            item.removeRecurrenceRule_(known)
        if rule is not None:
            item.addRecurrenceRule_(rule)

    def of(self, item: Any, *, day: bool) -> str:
        """Return the rule of an entry as an RRULE; empty if it does not repeat. `day` says that it is one of days."""
        rules = list(item.recurrenceRules() or ())
        return self._rule_text(rules[0], day=day) if rules else ""

    def rule(self, text: str) -> Any:
        """Return the rule for an entry, or None. Raises `ProviderError` for a rule that EventKit does not have."""
        given = members_of(text)
        if not given:
            return None
        known = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "WKST", *NUMBERS}
        if not given.keys() <= known or given.get("FREQ") not in FREQUENCIES:
            raise ProviderError(f"{self._app} cannot repeat by {quoted(text)}; nothing was done", "calendar.no_repeat")
        days = [self._weekday(one) for one in given["BYDAY"].split(",")] if "BYDAY" in given else None
        numbers = [[int(one) for one in given[name].split(",")] if name in given else None for name in NUMBERS]
        begin = getattr(self._at.kit.EKRecurrenceRule.alloc(), _BEGIN)
        return begin(FREQUENCIES.index(given["FREQ"]), int(given.get("INTERVAL", 1)), days, *numbers, self._end(given))

    def _weekday(self, text: str) -> Any:
        number = text[:-2]
        day = WEEKDAYS.index(text[-2:]) + 1
        return self._at.kit.EKRecurrenceDayOfWeek.dayOfWeek_weekNumber_(day, int(number) if number else 0)

    def _end(self, given: Mapping[str, str]) -> Any:
        end = self._at.kit.EKRecurrenceEnd
        if "COUNT" in given:
            return end.recurrenceEndWithOccurrenceCount_(int(given["COUNT"]))
        if "UNTIL" not in given:
            return None
        until = given["UNTIL"]
        components = self._at.components(f"{until[:4]}-{until[4:6]}-{until[6:8]}")
        if "T" in until:
            for name, text in zip(("Hour", "Minute", "Second"), (until[9:11], until[11:13], until[13:15]), strict=True):
                getattr(components, f"set{name}_")(int(text))
        if until.endswith("Z"):
            components.setTimeZone_(self._at.foundation.NSTimeZone.timeZoneForSecondsFromGMT_(0))
        return end.recurrenceEndWithEndDate_(
            self._at.foundation.NSCalendar.currentCalendar().dateFromComponents_(components)
        )

    def _rule_text(self, rule: Any, *, day: bool) -> str:
        """Return a rule of EventKit as an RRULE; `day` says that the entry is one of days."""
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
            calendar = self._at.foundation.NSCalendar.currentCalendar()
            until = self._at.moment_of(calendar.components_fromDate_(DATE_UNITS, last))
            return ";".join((*parts, f"UNTIL={str(until).replace('-', '')}"))
        moment = datetime.fromtimestamp(float(last.timeIntervalSince1970()), UTC)
        return ";".join((*parts, f"UNTIL={moment:%Y%m%dT%H%M%SZ}"))
