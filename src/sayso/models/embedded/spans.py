"""Read from when to when something takes place: `tomorrow from 14:00 to 15:00`, `today at 3 pm for two hours`."""

import re
from collections.abc import Sequence
from datetime import datetime, time

from sayso.core.values import dataclass
from sayso.models.embedded.clocks import Clock, plain_clock_at
from sayso.models.embedded.lapses import long_at
from sayso.models.embedded.numbers import number
from sayso.models.embedded.times import Unclear, When, when

_RANGE = re.compile(r"(?P<first>\d[\w:.]*)[-–](?P<second>\d[\w:.]*)")
_TO = frozenset({"to", "till", "until", "-", "–", "and"})
_BY_DAY = range(8, 18)
"""Hours that are meant when a beginning may be in either half of the day."""
_AFTER_NOON = range(13, 24)
_BEFORE = frozenset({"from", "between", "at"})


@dataclass(frozen=True, slots=True)
class Span:
    """A beginning and an end, as operations take them."""

    start: str
    end: str


def span(words: Sequence[str], now: datetime) -> Span | Unclear | None:
    """Return from when to when these folded words say; None where they say no such thing."""
    said = _apart(words)
    return _for_so_long(said, now) or _from_to(said, now)


def _apart(words: Sequence[str]) -> list[str]:
    """Return `12:30-13:30` as two words with `-` between."""
    found: list[str] = []
    for word in words:
        both = _RANGE.fullmatch(word)
        is_range = both is not None and word.count("-") + word.count("–") == 1
        found += [both["first"], "-", both["second"]] if both is not None and is_range else [word]
    return found


def _for_so_long(words: Sequence[str], now: datetime) -> Span | Unclear | None:
    for at, word in enumerate(words):
        long = long_at(words, at + 1) if word == "for" else None
        if long is not None and long[0].minutes:
            start = when([*words[:at], *words[long[1] :]], now)
            if isinstance(start, When) and start.clock is not None:
                return Span(start.text, start.after(long[0].minutes).text)
            return start if isinstance(start, Unclear) else None
    return None


def _from_to(words: Sequence[str], now: datetime) -> Span | Unclear | None:
    for at, word in enumerate(words):
        if word not in _TO or at == 0:
            continue
        for begin in range(at - 1, -1, -1):
            found = _both(words, begin, at)
            if found is not None:
                first, second, end = found
                before = words[: begin - (begin > 0 and words[begin - 1] in _BEFORE)]
                return _on([*before, *words[end:]], first, second, now)
    return None


def _both(words: Sequence[str], begin: int, at: int) -> tuple[Clock, Clock, int] | None:
    first = _clock_at(words, begin)
    second = _clock_at(words, at + 1) if at + 1 < len(words) else None
    if first is None or second is None or first[1] != at:
        return None
    return first[0], second[0], second[1]


def _clock_at(words: Sequence[str], at: int) -> tuple[Clock, int] | None:
    """Return the time of day that begins at a word; beside another time, `13` is one too."""
    hour = number(words[at])
    return plain_clock_at(words, at) if hour is None or hour not in _AFTER_NOON else (Clock(hour), at + 1)


def _on(rest: Sequence[str], first: Clock, second: Clock, now: datetime) -> Span | Unclear | None:
    day = when(rest, now) if rest else When(now.date())
    if not isinstance(day, When) or day.clock is not None:
        return day if isinstance(day, Unclear) else None
    pair = _halves(first, second)
    if pair is None:
        return Unclear("say whether it is in the morning or in the evening, such as 14:00.")
    start, end = (When(day.day, time(clock.hour, clock.minute)) for clock in pair)
    if (start.day, start.clock) <= (now.date(), now.time()):
        return Unclear("that time is past today.")
    return Span(start.text, end.text)


def _halves(first: Clock, second: Clock) -> tuple[Clock, Clock] | None:
    """Return both times with the half of the day they are meant in; None where that is open, or the end is no later."""
    firsts = [first] if first.sure else [first.in_half(0), first.in_half(12)]
    seconds = [second] if second.sure else [second.in_half(0), second.in_half(12)]
    pairs = [(one, other) for one in firsts for other in seconds if _minutes(one) < _minutes(other)]
    shortest = min(map(_length, pairs), default=0)
    short = [pair for pair in pairs if _length(pair) == shortest]
    by_day = [pair for pair in short if pair[0].hour in _BY_DAY]
    if len(short) == 1:
        return short[0]
    return by_day[0] if len(by_day) == 1 else None


def _length(pair: tuple[Clock, Clock]) -> int:
    return _minutes(pair[1]) - _minutes(pair[0])


def _minutes(clock: Clock) -> int:
    return clock.hour * 60 + clock.minute
