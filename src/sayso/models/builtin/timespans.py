"""Read spans of time: from one time to another, or several days."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from msgspec import Struct

from sayso.models.builtin import times
from sayso.models.builtin.times import (
    PointInTime,
    TimeOfDay,
    UnclearTime,
    duration_at,
    number,
    parse_time,
    plain_time_of_day_at,
)

_RANGE = re.compile(r"(?P<first>\d[\w:.]*)[-–](?P<second>\d[\w:.]*)")
_TO = frozenset({"to", "till", "until", "-", "–", "and"})
_BY_DAY = range(8, 18)
"""If a start may be in the morning or in the evening, the one within these hours of the day is chosen."""
_AFTER_NOON = range(13, 24)
_BEFORE = frozenset({"from", "between", "at", "since"})
_LONGEST = 6
"""The most words of the time at which a span begins."""


class TimeSpan(Struct, frozen=True):
    """A start and an end, in the form that operations take."""

    start: str
    end: str


def parse_time_span(words: Sequence[str], now: datetime) -> TimeSpan | UnclearTime | None:
    """Return the span of time that these folded words mean; None if they mean none."""
    said = _split_ranges(words)
    return _start_with_duration(said, now) or _start_to_end(said, now)


def _split_ranges(words: Sequence[str]) -> list[str]:
    """Split `12:30-13:30` into two words with `-` between them."""
    found: list[str] = []
    for word in words:
        both = _RANGE.fullmatch(word)
        is_range = both is not None and word.count("-") + word.count("–") == 1
        found += [both["first"], "-", both["second"]] if both is not None and is_range else [word]
    return found


def _start_with_duration(words: Sequence[str], now: datetime) -> TimeSpan | UnclearTime | None:
    for at, word in enumerate(words):
        long = duration_at(words, at + 1) if word == "for" else None
        if long is not None and long[0].minutes:
            start = parse_time([*words[:at], *words[long[1] :]], now)
            if isinstance(start, PointInTime) and start.clock is not None:
                return TimeSpan(start.text, start.after(long[0].minutes).text)
            return start if isinstance(start, UnclearTime) else None
    return None


def _start_to_end(words: Sequence[str], now: datetime) -> TimeSpan | UnclearTime | None:
    for at, word in enumerate(words):
        if word not in _TO or at == 0:
            continue
        for begin in range(max(0, at - _LONGEST), at):
            found = _two_times(words, begin, at)
            if found is not None:
                first, second, end = found
                before = words[: begin - (begin > 0 and words[begin - 1] in _BEFORE)]
                return _span_on_day([*before, *words[end:]], first, second, now)
    return None


def _two_times(words: Sequence[str], begin: int, at: int) -> tuple[TimeOfDay, TimeOfDay, int] | None:
    before = words[:at]
    first = _with_part(before, times.time_of_day_at(before, begin) or _clock_at(before, begin))
    second = None
    if at + 1 < len(words):
        second = _with_part(words, times.time_of_day_at(words, at + 1) or _clock_at(words, at + 1))
    if first is None or second is None or first[1] != at:
        return None
    return first[0], second[0], second[1]


def _with_part(words: Sequence[str], found: tuple[TimeOfDay, int] | None) -> tuple[TimeOfDay, int] | None:
    """Return a time of day in the part of the day that is named behind it, as in “nine in the morning”."""
    if found is None or list(words[found[1] : found[1] + 2]) != ["in", "the"] or found[1] + 2 >= len(words):
        return found
    part = times.PARTS_OF_DAY.get(words[found[1] + 2])
    if part is None:
        return found
    return found[0] if found[0].sure else found[0].in_half(part), found[1] + 3


def _clock_at(words: Sequence[str], at: int) -> tuple[TimeOfDay, int] | None:
    """Return the time of day that begins at a word, and the index after it; a bare hour such as `13` is accepted."""
    hour = number(words[at])
    return plain_time_of_day_at(words, at) if hour is None or hour not in _AFTER_NOON else (TimeOfDay(hour), at + 1)


def _span_on_day(
    rest: Sequence[str], first: TimeOfDay, second: TimeOfDay, now: datetime
) -> TimeSpan | UnclearTime | None:
    day = parse_time(rest, now) if rest else PointInTime(now.date())
    if not isinstance(day, PointInTime) or day.clock is not None:
        return day if isinstance(day, UnclearTime) else None
    pair = _resolve_halves(first, second)
    if pair is None:
        return UnclearTime("say whether it is in the morning or in the evening, such as 14:00.")
    start, end = (PointInTime(day.day, time(clock.hour, clock.minute)) for clock in pair)
    if (start.day, start.clock) <= (now.date(), now.time()):
        return UnclearTime("that time is past today.")
    return TimeSpan(start.text, end.text)


def _resolve_halves(first: TimeOfDay, second: TimeOfDay) -> tuple[TimeOfDay, TimeOfDay] | None:
    """Return both times in the right half of the day; None if this is unclear, or if the end is not after the start."""
    firsts = [first] if first.sure else [first.in_half(0), first.in_half(12)]
    seconds = [second] if second.sure else [second.in_half(0), second.in_half(12)]
    pairs = [(one, other) for one in firsts for other in seconds if _minutes(one) < _minutes(other)]
    shortest = min(map(_length, pairs), default=0)
    short = [pair for pair in pairs if _length(pair) == shortest]
    by_day = [pair for pair in short if pair[0].hour in _BY_DAY]
    if len(short) == 1:
        return short[0]
    return by_day[0] if len(by_day) == 1 else None


def _length(pair: tuple[TimeOfDay, TimeOfDay]) -> int:
    return _minutes(pair[1]) - _minutes(pair[0])


def _minutes(clock: TimeOfDay) -> int:
    return clock.hour * 60 + clock.minute


_WEEK = 7


_AROUND_DAYS = frozenset({"on", "for", "the", "in", "my", "of", "coming", "over", "during", "at"})


def several_days(words: Sequence[str], today: date) -> tuple[date, date] | None:
    """Return the first day and the day after the last of several days, such as `next week`; None for other words."""
    said = [word.removesuffix("'s") for word in words if word not in _AROUND_DAYS]
    monday = today - timedelta(days=today.weekday())
    if said[-2:] == ["this", "week"] and said[0] not in {"rest", "this"}:
        said = said[:-2]
    match said:
        case ["this", "week"] | ["rest", "this", "week"] | ["week"] | ["whole", "week"]:
            return today, monday + timedelta(days=_WEEK)
        case ["next", "week"] | ["week", "after"] | ["following", "week"]:
            return monday + timedelta(days=_WEEK), monday + timedelta(days=2 * _WEEK)
        case ["weekend"] | ["this", "weekend"]:
            return monday + timedelta(days=5), monday + timedelta(days=_WEEK)
        case ["next", "weekend"]:
            return monday + timedelta(days=5 + _WEEK), monday + timedelta(days=2 * _WEEK)
        case ["next" | "following", count, "days"] if (
            days := 3 if count == "few" else number(count)
        ) is not None and 0 < days < times.HALF_A_YEAR.days:
            return today, today + timedelta(days=days)
        case _:
            return None


_SHIFTS = {"later": 1, "earlier": -1, "forward": -1, "back": 1, "sooner": -1, "down": 1}


def shift_of(words: Sequence[str]) -> int | None:
    """Return the minutes by which something moves, negative for “earlier”: `half an hour later`; None for others."""
    said = [word for word in words if word != "by"]
    sign = _SHIFTS.get(said[-1] if said else "")
    found = duration_at(said, 0)
    if sign is None or found is None or found[1] != len(said) - 1:
        return None
    return sign * (found[0].minutes + found[0].days * 24 * 60)


_ONE_DAY = frozenset({*times.WEEKDAYS, "today", "tomorrow", "tonight"})


def bare_day(word: str) -> str:
    """Return the day that “Friday's”, “fridays” or “todays” is a form of; another word as it is."""
    bare = word.removesuffix("'s").removesuffix("s'").removesuffix("'")
    bare = bare if bare in _ONE_DAY else bare.removesuffix("s")
    return bare if bare in _ONE_DAY else word


def is_many_days(word: str) -> bool:
    """Say whether a word is the plural of a weekday, as in “mondays at nine”."""
    return word.endswith("s") and word.removesuffix("s") in times.WEEKDAYS
