"""Read numbers, times, days and durations from words."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

from msgspec import Struct

from sayso.core.datetimes import read_when
from sayso.core.errors import ProposalError
from sayso.models.builtin.tokens import word_list

_SMALL = word_list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS = word_list("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
_ROUND = {
    **{f"{ten[:-1]}ieth": 10 * (at + 2) for at, ten in enumerate(_TENS[:2])},
    **{f"{word}th": at + 13 for at, word in enumerate(_SMALL[13:])},
}
_BEHIND = frozenset({"st", "nd", "rd", "th"})
_MOST_DIGITS = 9


@lru_cache(maxsize=4096)
def number(text: str) -> int | None:
    """Return the whole number that a folded text means, such as `25`, `twenty-five` or `a hundred`; else None."""
    if _is_digits(text):
        return int(text)
    match text.replace("-", " ").split():
        case ["hundred"] | ["a" | "one", "hundred"]:
            return 100
        case [one] if one in _SMALL:
            return _SMALL.index(one)
        case [tens] if tens in _TENS:
            return _tens(tens)
        case [tens, ones] if tens in _TENS and ones in _SMALL[1:10]:
            return _tens(tens) + _SMALL.index(ones)
        case _:
            return None


def ordinal(text: str) -> int | None:
    """Return the number that an ordinal such as `third`, `3rd` or `21st` means; None for other texts."""
    if text in _ORDINALS:
        return _ORDINALS.index(text) + 1
    tens, dash, ones = text.partition("-")
    if dash and tens in _TENS and ones in _ORDINALS[:9]:
        return _tens(tens) + _ORDINALS.index(ones) + 1
    if text in _ROUND:
        return _ROUND[text]
    digits = text[:-2]
    return int(digits) if text[-2:] in _BEHIND and _is_digits(digits) else None


def _tens(word: str) -> int:
    return 10 * (_TENS.index(word) + 2)


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS


_DIGITS = re.compile(r"(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2}))?(?P<half>am|pm|a\.m\.?|p\.m\.?|a|p)?")
_HALVES = {"a": 0, "p": 12, "am": 0, "a.m": 0, "a.m.": 0, "pm": 12, "p.m": 12, "p.m.": 12}
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
_DAY, _HALF_DAY, _HOUR, _STEP = 24, 12, 60, 5
_LEAST_MINUTES = 10
"""The fewest minutes that people say right after an hour: they say “six ten”, but not “six five”."""


class TimeOfDay(Struct, frozen=True):
    """A time of day; if `sure` is False, it may be in the morning or in the evening."""

    hour: int
    minute: int = 0
    sure: bool = True

    def in_half(self, start: int) -> "TimeOfDay":
        """Return this time in the half of the day that begins at hour 0 or 12."""
        return TimeOfDay(self.hour % _HALF_DAY + start, self.minute) if self.hour <= _HALF_DAY else self


def time_of_day_at(words: Sequence[str], at: int) -> tuple[TimeOfDay, int] | None:
    """Return the time of day that begins at index `at`, and the index after it; None if there is none."""
    if at >= len(words):
        return None
    if words[at] in NAMED:
        return TimeOfDay(NAMED[words[at]]), at + 1
    return _minutes_past_or_to(words, at) or plain_time_of_day_at(words, at)


def _minutes_past_or_to(words: Sequence[str], at: int) -> tuple[TimeOfDay, int] | None:
    start = at + 1 if words[at] == "a" else at
    if start + 1 >= len(words) or words[start] not in _FRACTIONS:
        return None
    minutes, middle = _FRACTIONS[words[start]], start + 1
    if words[start] == "half" and (hour := plain_time_of_day_at(words, middle)) is not None and not hour[0].minute:
        return TimeOfDay(hour[0].hour, minutes, hour[0].sure), hour[1]
    if words[middle] == "minutes":
        middle += 1
    if middle + 1 >= len(words) or words[middle] not in {"past", "after", "to", "before"}:
        return None
    found = time_of_day_at(words, middle + 1)
    if found is None or found[0].minute:
        return None
    clock, end = found
    if words[middle] in {"past", "after"}:
        return TimeOfDay(clock.hour, minutes, clock.sure), end
    return TimeOfDay(
        (clock.hour - 1) % _DAY if clock.sure else clock.hour - 1 or _HALF_DAY, _HOUR - minutes, clock.sure
    ), end


_OCLOCK = frozenset({"o'clock", "oclock"})


def plain_time_of_day_at(words: Sequence[str], at: int) -> tuple[TimeOfDay, int] | None:
    """Return the time of day that begins at index `at`, and the index after it; None if there is none.

    Unlike `time_of_day_at`, this function does not read “10 to 11” as ten minutes before eleven.
    """
    full = words[at].isdecimal() and words[at + 1 : at + 2] and words[at + 1] in _OCLOCK
    found = _time_in_digits(f"{words[at]}:00" if full else words[at]) or _time_in_words(words, at)
    if found is None:
        return None
    clock, ahead = found
    end = at + ahead
    if end < len(words) and words[end] in _OCLOCK | {"sharp"}:
        end += 1
    if end < len(words) and len(words[end]) > 1 and words[end] in _HALVES and clock.hour <= _HALF_DAY:
        return clock.in_half(_HALVES[words[end]]), end + 1
    return clock, end


def _time_in_digits(word: str) -> tuple[TimeOfDay, int] | None:
    if len(word) == _YEAR and word.isdecimal() and word.isascii() and not int(word) % _STEP:
        word = f"{word[:2]}:{word[2:]}"  # “1515” is a time; “2027” is not
    joined = word.rstrip("apm.")
    if joined != word and joined.isdecimal() and len(joined) in {3, 4}:
        word = f"{joined[:-2]}:{word[len(joined) - 2 :]}"  # “830am”
    found = _DIGITS.fullmatch(word)
    if found is None:
        return None
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if hour >= _DAY or minute >= _HOUR:
        return None
    half = found["half"]
    if half:
        return (TimeOfDay(hour, minute).in_half(_HALVES[half]), 1) if 1 <= hour <= _HALF_DAY else None
    full = found["hour"].startswith("0") or not 1 <= hour <= _HALF_DAY
    if full and not found["minute"]:
        return None if hour else (TimeOfDay(0), 1)
    return TimeOfDay(hour, minute, sure=full), 1


def _time_in_words(words: Sequence[str], at: int) -> tuple[TimeOfDay, int] | None:
    hour = number(words[at])
    if hour is None or not 1 <= hour <= _HALF_DAY or words[at].isdecimal():
        return None
    more = number(words[at + 1]) if at + 1 < len(words) else None
    if more is not None and _LEAST_MINUTES <= more < _HOUR and not words[at + 1].isdecimal():
        return TimeOfDay(hour, more, sure=False), 2
    return TimeOfDay(hour, sure=False), 1


WEEKDAYS = word_list("monday tuesday wednesday thursday friday saturday sunday")
_SHORT_DAYS = {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6}
_MONTHS = word_list("january february march april may june july august september october november december")
_SHORT_MONTHS = word_list("jan feb mar apr may jun jul aug sep oct nov dec")
_TYPED_WRONG = dict.fromkeys(word_list("tommorow tommorrow tomorow tmrw tmr"), "tomorrow")
HALF_A_YEAR = timedelta(days=183)
"""A date without a year stays in this year if it is less than this long ago; otherwise it is in the next year."""
_WEEK, _LONGEST_MONTH, _YEAR = 7, 31, 4


class ResolvedDay(Struct, frozen=True):
    """A day that the words mean; `unclear` says why the person must be asked about it, or is empty if it is clear."""

    day: date
    unclear: str = ""


def day_at(words: Sequence[str], at: int, today: date) -> tuple[ResolvedDay, int] | None:
    """Return the day that begins at index `at`, and the index after it; None if there is none."""
    rest = [_TYPED_WRONG.get(word, word) for word in words[at : at + 7]]
    match rest:
        case ["today", *_]:
            return ResolvedDay(today), at + 1
        case ["tomorrow", *_]:
            return ResolvedDay(today + timedelta(days=1)), at + 1
        case ["the", "day", "after", "tomorrow", *_]:
            return ResolvedDay(today + timedelta(days=2)), at + 4
        case ["day", "after", "tomorrow", *_]:
            return ResolvedDay(today + timedelta(days=2)), at + 3
        case ["yesterday", *_]:
            return ResolvedDay(today - timedelta(days=1), "that day is past."), at + 1
        case _:
            return _weekday(rest, at, today) or _of_a_month(rest, at, today) or _read_written_date(rest, at)


def _weekday(rest: Sequence[str], at: int, today: date) -> tuple[ResolvedDay, int] | None:
    which, words = (rest[0], rest[1:]) if rest and rest[0] in {"this", "next", "coming", "last"} else ("", rest)
    if not words:
        return None
    wanted = WEEKDAYS.index(words[0]) if words[0] in WEEKDAYS else _SHORT_DAYS.get(words[0])
    if wanted is None:
        return None
    end = at + len(rest) - len(words) + 1
    ahead = (wanted - today.weekday()) % _WEEK
    day = today + timedelta(days=ahead or _WEEK)
    if which == "last":
        return ResolvedDay(day - timedelta(days=_WEEK), "that day is past."), end
    dated = _of_a_month(
        [word for word in words[1:] if word != "the"] if words[1:2] != ["the"] else words[1:], end, today
    )
    if dated is not None and dated[0].day.weekday() == wanted:
        return dated[0], dated[1]
    if not ahead:
        return ResolvedDay(day, f"today is a {words[0]}: is it today, or in a week?"), end
    if which == "next" and ahead <= _WEEK - 1 - today.weekday():
        return ResolvedDay(day, f"is it {day}, or the one a week later?"), end
    return ResolvedDay(day), end


def _of_a_month(rest: Sequence[str], at: int, today: date) -> tuple[ResolvedDay, int] | None:
    words = [word for word in rest if word not in {"the", "of"}]
    match words:
        case [first, second, *more] if _month(first) and (ordinal(second) or number(second)):
            month, day = _month(first), ordinal(second) or number(second)
        case [first, second, *more] if _month(second) and (ordinal(first) or number(first)):
            month, day = _month(second), ordinal(first) or number(first)
        case [first, *_] if rest[0] == "the" and ordinal(first):
            return _this_month(ordinal(first) or 0, at + 2, today)
        case _:
            return None
    year = int(more[0]) if more and more[0].isdecimal() and len(more[0]) == _YEAR else None
    used = 2 if year is None else 3
    return _make_day(year, month, day or 0, _end_of_date(rest, at, used), today)


def _end_of_date(rest: Sequence[str], at: int, used: int) -> int:
    """Return the index after a date that has this number of words, in which “the” and “of” are not counted."""
    end = 0
    while used:
        used -= rest[end] not in {"the", "of"}
        end += 1
    return at + end


def _make_day(year: int | None, month: int, day: int, end: int, today: date) -> tuple[ResolvedDay, int] | None:
    try:
        found = date(year or today.year, month, day)
        if year is None and today - found > HALF_A_YEAR:
            found = date(today.year + 1, month, day)
    except ValueError:
        return None
    return ResolvedDay(found, "that day is past." if found < today else ""), end


def _this_month(day: int, end: int, today: date) -> tuple[ResolvedDay, int] | None:
    if not 1 <= day <= _LONGEST_MONTH:
        return None
    year, month = today.year, today.month
    for _ in range(2):
        try:
            found = date(year, month, day)
        except ValueError:
            return None
        if found >= today:
            return ResolvedDay(found), end
        year, month = (year + 1, 1) if month == len(_MONTHS) else (year, month + 1)
    return None


def _read_written_date(rest: Sequence[str], at: int) -> tuple[ResolvedDay, int] | None:
    if not rest or "-" not in rest[0]:
        return None
    try:
        moment = read_when(rest[0])
    except ProposalError:
        return None
    return (ResolvedDay(moment.day), at + 1) if moment.all_day else None


def is_about_time(word: str) -> bool:
    """Say whether a word is the name of a day or a month, or a number."""
    return (
        word in WEEKDAYS or word in _SHORT_DAYS or word in _TYPED_WRONG or _month(word) > 0 or number(word) is not None
    )


def _month(word: str) -> int:
    if word in _MONTHS:
        return _MONTHS.index(word) + 1
    return _SHORT_MONTHS.index(word) + 1 if word in _SHORT_MONTHS else 0


_MINUTES = {"minute": 1, "minutes": 1, "min": 1, "mins": 1, "hour": 60, "hours": 60, "hr": 60, "hrs": 60, "h": 60}
_DAYS = {"day": 1, "days": 1, "week": 7, "weeks": 7}
_FIXED = {
    ("half", "an", "hour"): 30, ("half", "a", "hour"): 30, ("a", "half", "hour"): 30, ("a", "half-hour"): 30,
    ("a", "quarter", "of", "an", "hour"): 15, ("three", "quarters", "of", "an", "hour"): 45,
    ("an", "hour", "and", "a", "half"): 90, ("one", "hour", "and", "a", "half"): 90,
}  # fmt: skip
_OFTEN = {
    "daily": 24, "once a day": 24, "every morning": 24, "every evening": 24, "every night": 24, "every afternoon": 24,
    "hourly": 1, "weekly": 168, "once a week": 168, "twice a day": 12, "twice daily": 12, "every other day": 48,
    "every other week": 336, "biweekly": 336,
}  # fmt: skip

_COUNTED = {"once": 1, "one time": 1, "twice": 2, "two times": 2, "three times": 3, "four times": 4, "six times": 6}
_HALF, _LAPSES_HOUR = 30, 60

_LONGEST = _LAPSES_HOUR * 24 * 366


class Duration(Struct, frozen=True):
    """A duration, in minutes or in days; the other field is 0."""

    minutes: int = 0
    days: int = 0


def delay_at(words: Sequence[str], at: int) -> tuple[Duration, int] | None:
    """Return the delay that begins at index `at`, such as `in …` or `… from now`, and the index after it, or None."""
    if at < len(words) and words[at] in {"in", "after", "within"}:
        return duration_at(words, at + 1)
    found = duration_at(words, at)
    if found is not None and list(words[found[1] : found[1] + 2]) == ["from", "now"]:
        return found[0], found[1] + 2
    return None


def duration_at(words: Sequence[str], at: int) -> tuple[Duration, int] | None:
    """Return the duration that begins at index `at`, and the index after it; None if there is none."""
    found = _measure_at(words, at)
    if found is None:
        return None
    minutes, days, end = found
    if minutes and list(words[end : end + 3]) == ["and", "a", "half"] and not minutes % _LAPSES_HOUR:
        return Duration(minutes + _HALF), end + 3
    if minutes >= _LAPSES_HOUR:
        more = _measure_at(words, end + 1 if list(words[end : end + 1]) == ["and"] else end)
        if more is not None and 0 < more[0] < _LAPSES_HOUR:
            return Duration(minutes + more[0]), more[2]
    return (Duration(minutes, days), end) if 0 < minutes + days < _LONGEST else None


def interval_hours(words: Sequence[str]) -> float | None:
    """Return the hours between repetitions, from words such as `daily`, `every 4 hours` or `twice a day`; else None."""
    said = " ".join(words).replace(" per ", " a ").replace("each ", "every ")
    said = said.replace("every second ", "every other ")
    if said in _OFTEN:
        return _OFTEN[said]
    often, unit = (
        " ".join(words[:-1]).removesuffix(" a").removesuffix(" per").removesuffix(" every"),
        " ".join(words[-1:]),
    )
    if unit in _DAYS and (count := _COUNTED.get(often.removesuffix(" in"))) is not None:
        return _DAYS[unit] * 24 / count
    if not said.startswith("every "):
        return None
    rest = said.split()[1:]
    if rest[0] in _MINUTES or rest[0] in _DAYS:
        rest = ["one", *rest]
    found = duration_at(rest, 0)
    return None if found is None or found[1] != len(rest) else found[0].minutes / _LAPSES_HOUR or found[0].days * 24


def _measure_at(words: Sequence[str], at: int) -> tuple[int, int, int] | None:
    """Return the minutes, the days, and the index after a measure such as `20 minutes`, `half an hour` or `2h`."""
    fixed = next((one for one in _FIXED if tuple(words[at : at + len(one)]) == one), None)
    if fixed is not None:
        return _FIXED[fixed], 0, at + len(fixed)
    match words[at : at + 5]:
        case ["a" | "an", unit, *_] if unit not in {"couple", "few"}:
            return _measure_span(1, unit, at + 2)
        case ["a", "couple", "of", unit, *_]:
            return _measure_span(2, unit, at + 4)
        case [count, "and", "a", "half", unit] if (whole := number(count)) is not None:
            return _measure_span(whole + 0.5, unit, at + 5)
        case [tens, ones, unit, *_] if (amount := number(f"{tens} {ones}")) is not None:
            return _measure_span(amount, unit, at + 3)
        case [count, unit, *_] if (amount := _amount(count)) is not None:
            return _measure_span(amount, unit, at + 2)
        case [both, *_]:
            return _joined_measure(both, at)
        case _:
            return None


def _joined_measure(word: str, at: int) -> tuple[int, int, int] | None:
    digits = word.rstrip("abcdefghijklmnopqrstuvwxyz")
    amount = _amount(digits) if digits and digits != word else None
    return None if amount is None else _measure_span(amount, word[len(digits) :], at + 1)


def _measure_span(amount: float, unit: str, end: int) -> tuple[int, int, int] | None:
    if unit in _MINUTES or unit == "m":
        return round(amount * _MINUTES.get(unit, 1)), 0, end
    if unit in _DAYS and amount == int(amount):
        return 0, int(amount) * _DAYS[unit], end
    return None


def _amount(text: str) -> float | None:
    whole = number(text)
    if whole is not None:
        return whole
    return float(text) if text.replace(".", "", 1).isdecimal() and text.isascii() else None


_BETWEEN = frozenset({"at", "on", "by", "around", "about", "the", "in", "for", "this", ","})
"""Words that only connect the parts of a time."""
_BEFORE_CLOCK = frozenset({"at", "by", "around", "about", "for"})
_PARTS = {"morning": 9, "lunchtime": 12}
"""Parts of a day that mean a time by themselves, with the hour; the other parts do not."""

PARTS_OF_DAY = {"morning": 0, "afternoon": 12, "lunchtime": 12, "evening": 12, "night": 12, "tonight": 12}

_VAGUE = frozenset(word_list("later soon sometime someday eventually weekend week month year while ago fortnight eod"))

_EARLIEST, _MORNING, _TIMES_HALF_DAY, _LATE, _LONG_AGO = 6, 7, 12, 19, 6


class PointInTime(Struct, frozen=True):
    """A day, perhaps with a time of day, in the person's own time."""

    day: date
    clock: time | None = None

    @property
    def text(self) -> str:
        """Return the time as operations take it: `2026-01-31` or `2026-01-31 18:00`."""
        return f"{self.day:%Y-%m-%d}" if self.clock is None else f"{self.day:%Y-%m-%d} {self.clock:%H:%M}"

    def after(self, minutes: int) -> "PointInTime":
        """Return the time this many minutes later."""
        later = datetime.combine(self.day, self.clock or time()) + timedelta(minutes=minutes)
        return PointInTime(later.date(), later.time())


class UnclearTime(Struct, frozen=True):
    """Words about time that do not give a definite time; `why` says what is missing."""

    why: str


class _TimeParts(Struct, frozen=True):
    """The parts of a time that were found in the words up to now."""

    day: ResolvedDay | None = None
    clock: TimeOfDay | None = None
    part: str = ""
    lapse: Duration | None = None


def parse_time(words: Sequence[str], now: datetime) -> PointInTime | UnclearTime | None:
    """Return the time that these folded words mean; None if they mean none.

    `now` is in the person's own time zone.
    """
    said = _read_parts(words, now.date())
    if said is None or said == _TimeParts():
        return UnclearTime("say on which day, or at what time.") if _is_vague(words) else None
    if said.day is not None and said.day.unclear:
        return UnclearTime(said.day.unclear)
    if said.lapse is not None:
        return _after_delay(said, now)
    return _place_moment(said, now)


def _read_parts(words: Sequence[str], today: date) -> _TimeParts | None:
    """Return the parts of a time in these words, each at most once; None if some words are not about time."""
    said, at = _TimeParts(), 0
    while at < len(words):
        found = _next(words, at, today, said)
        if found is not None:
            said, at = found
        elif words[at] in _BETWEEN and at + 1 < len(words):
            at += 1
        else:
            return None
    return said


def _next(words: Sequence[str], at: int, today: date, said: _TimeParts) -> tuple[_TimeParts, int] | None:
    if said.lapse is None and (lapse := delay_at(words, at)) is not None:
        return _TimeParts(said.day, said.clock, said.part, lapse[0]), lapse[1]
    if said.day is None and (day := day_at(words, at, today)) is not None:
        return _TimeParts(day[0], said.clock, said.part, said.lapse), day[1]
    if not said.part and words[at] in PARTS_OF_DAY:
        return _TimeParts(said.day, said.clock, words[at], said.lapse), at + 1
    if said.clock is None and (clock := time_of_day_at(words, at)) is not None and (_tells_time(words, at, clock[1])):
        return _TimeParts(said.day, clock[0], said.part, said.lapse), clock[1]
    return None


def _tells_time(words: Sequence[str], start: int, end: int) -> bool:
    """Say whether a number is a time of day; if it is only an hour, it must follow a word such as “at”."""
    if end - start == 1 and words[start].isdecimal() and len(words[start]) == _YEAR:
        return start == 0 or words[start - 1] != "in"
    alone = end - start == 1 and (words[start].isdecimal() or words[start].isalpha()) and words[start] not in NAMED
    return not alone or (start > 0 and words[start - 1] in _BEFORE_CLOCK)


def _is_vague(words: Sequence[str]) -> bool:
    about = (
        _VAGUE
        | _BETWEEN
        | {"next", "last", "today", "tonight", "tomorrow", "day", "end", "of", "a", "on", "point", "some"}
    )
    return any(word in _VAGUE for word in words) and all(word in about for word in words)


def _after_delay(said: _TimeParts, now: datetime) -> PointInTime | UnclearTime | None:
    lapse = said.lapse
    if lapse is None or said.day is not None:
        return None
    if lapse.minutes:
        if said.clock is not None or said.part:
            return UnclearTime("say either how long from now, or at what time.")
        local = (now.astimezone(UTC) + timedelta(minutes=lapse.minutes)).astimezone(now.tzinfo)
        return PointInTime(local.date(), time(local.hour, local.minute))
    day = now.date() + timedelta(days=lapse.days)
    return _place_moment(_TimeParts(ResolvedDay(day), said.clock, said.part), now)


def _place_moment(said: _TimeParts, now: datetime) -> PointInTime | UnclearTime:
    clock = said.clock
    if clock is None and not said.part:
        return PointInTime(said.day.day if said.day else now.date())
    if clock is None and said.part not in _PARTS:
        return UnclearTime(f"at what time {said.part if said.part == 'tonight' else f'in the {said.part}'}?")
    if clock is None:
        clock = TimeOfDay(_PARTS[said.part])
    elif said.part and not clock.sure:
        clock = _in_part(clock, said.part)
    if said.day is not None and said.day.day != now.date():
        return _on_day(said.day.day, clock)
    today = said.day is not None or said.part == "tonight" or bool(said.part)
    return _next_time(clock, now, today=today)


def _in_part(clock: TimeOfDay, part: str) -> TimeOfDay:
    if part in {"night", "tonight"} and clock.hour == _TIMES_HALF_DAY:
        return TimeOfDay(0, clock.minute)
    return clock.in_half(PARTS_OF_DAY[part])


def _on_day(day: date, clock: TimeOfDay) -> PointInTime | UnclearTime:
    """Return this time on another day.

    If it may be in the morning or in the evening, the usual one is chosen; for 6 o'clock, a question is returned.
    """
    if clock.sure:
        return PointInTime(day, time(clock.hour, clock.minute))
    if clock.hour == _EARLIEST:
        return UnclearTime(f"is it {_clock_text(clock.in_half(0))} or {_clock_text(clock.in_half(_TIMES_HALF_DAY))}?")
    usual = clock.in_half(0 if _MORNING <= clock.hour < _TIMES_HALF_DAY else _TIMES_HALF_DAY)
    return PointInTime(day, time(usual.hour, usual.minute))


def _next_time(clock: TimeOfDay, now: datetime, *, today: bool) -> PointInTime | UnclearTime:
    """Return the next moment at which the clock shows this time; with `today`, it must still be today."""
    options = [clock] if clock.sure else [clock.in_half(0), clock.in_half(_TIMES_HALF_DAY)]
    ahead = [one for one in options if (one.hour, one.minute) > (now.hour, now.minute)]
    if not clock.sure:
        ahead = [one for one in ahead if one.hour >= _EARLIEST]
    if not clock.sure and not today and len(ahead) == 1 and ahead[0].hour >= _LATE:
        return UnclearTime(f"is it today at {_clock_text(ahead[0])}, or tomorrow at {_clock_text(options[0])}?")
    if ahead:
        return PointInTime(now.date(), time(ahead[0].hour, ahead[0].minute))
    if today:
        return UnclearTime("that time is past today.")
    if not clock.sure:
        return UnclearTime(f"is it tomorrow at {_clock_text(options[0])}, or at {_clock_text(options[1])}?")
    if now.hour - clock.hour < _LONG_AGO:
        return UnclearTime(f"that time is past today: is it tomorrow at {_clock_text(clock)}?")
    return PointInTime(now.date() + timedelta(days=1), time(clock.hour, clock.minute))


def _clock_text(clock: TimeOfDay) -> str:
    return f"{clock.hour:02}:{clock.minute:02}"
