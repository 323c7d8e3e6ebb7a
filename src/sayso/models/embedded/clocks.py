"""Read a time of day in words or digits: `18:30`, `6 pm`, `half past six`, `noon`."""

import re
from collections.abc import Sequence

from sayso.core.values import dataclass
from sayso.models.embedded.numbers import number

_DIGITS = re.compile(r"(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2}))?(?P<half>am|pm|a\.m\.?|p\.m\.?)?")
_HALVES = {"am": 0, "a.m": 0, "a.m.": 0, "pm": 12, "p.m": 12, "p.m.": 12}
NAMED = {"noon": 12, "midday": 12, "midnight": 0}
_FRACTIONS = {
    "half": 30,
    "quarter": 15,
    "five": 5,
    "ten": 10,
    "twenty": 20,
    "twenty-five": 25,
    "5": 5,
    "10": 10,
    "20": 20,
    "15": 15,
}
_DAY, _HALF_DAY, _HOUR = 24, 12, 60
_LEAST_MINUTES = 10
"""Fewer are not said alone: “six ten”, and never “six five”."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day; not `sure` is one that may be in the morning or in the evening."""

    hour: int
    minute: int = 0
    sure: bool = True

    def in_half(self, start: int) -> "Clock":
        """Return it in the half of the day that begins at hour 0 or 12."""
        return Clock(self.hour % _HALF_DAY + start, self.minute) if self.hour <= _HALF_DAY else self


def clock_at(words: Sequence[str], at: int) -> tuple[Clock, int] | None:
    """Return the time of day that begins at a word, and where it ends; None where there is none."""
    if at >= len(words):
        return None
    if words[at] in NAMED:
        return Clock(NAMED[words[at]]), at + 1
    return _past_or_to(words, at) or plain_clock_at(words, at)


def _past_or_to(words: Sequence[str], at: int) -> tuple[Clock, int] | None:
    start = at + 1 if words[at] == "a" else at
    if start + 2 >= len(words) or words[start] not in _FRACTIONS:
        return None
    minutes, middle = _FRACTIONS[words[start]], start + 1
    if words[middle] == "minutes":
        middle += 1
    if middle + 1 >= len(words) or words[middle] not in {"past", "after", "to", "before"}:
        return None
    found = clock_at(words, middle + 1)
    if found is None or found[0].minute:
        return None
    clock, end = found
    if words[middle] in {"past", "after"}:
        return Clock(clock.hour, minutes, clock.sure), end
    return Clock(
        (clock.hour - 1) % _DAY if clock.sure else clock.hour - 1 or _HALF_DAY, _HOUR - minutes, clock.sure
    ), end


def plain_clock_at(words: Sequence[str], at: int) -> tuple[Clock, int] | None:
    """Return the time of day that begins at a word, where “10 to 11” is no time before eleven."""
    found = _digits(words[at]) or _words(words, at)
    if found is None:
        return None
    clock, ahead = found
    end = at + ahead
    if end < len(words) and words[end] in {"o'clock", "oclock", "sharp"}:
        clock, end = Clock(clock.hour, clock.minute, clock.sure), end + 1
    if end < len(words) and words[end] in _HALVES and clock.hour <= _HALF_DAY:
        return clock.in_half(_HALVES[words[end]]), end + 1
    return clock, end


def _digits(word: str) -> tuple[Clock, int] | None:
    found = _DIGITS.fullmatch(word)
    if found is None:
        return None
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if hour >= _DAY or minute >= _HOUR:
        return None
    half = found["half"]
    if half:
        return (Clock(hour, minute).in_half(_HALVES[half]), 1) if 1 <= hour <= _HALF_DAY else None
    full = found["hour"].startswith("0") or not 1 <= hour <= _HALF_DAY
    if full and not found["minute"]:
        return None if hour else (Clock(0), 1)
    return Clock(hour, minute, sure=full), 1


def _words(words: Sequence[str], at: int) -> tuple[Clock, int] | None:
    hour = number(words[at])
    if hour is None or not 1 <= hour <= _HALF_DAY or words[at].isdecimal():
        return None
    more = number(words[at + 1]) if at + 1 < len(words) else None
    if more is not None and _LEAST_MINUTES <= more < _HOUR and not words[at + 1].isdecimal():
        return Clock(hour, more, sure=False), 2
    return Clock(hour, sure=False), 1
