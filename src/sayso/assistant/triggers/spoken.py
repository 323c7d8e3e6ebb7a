"""Read when something is to happen from plain words: “every weekday at 8:30 tell me what is on today”."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from sayso.core.errors import SetupError

SAY = (
    "write how often, at what time, and what is to be done, such as “every weekday at 8:30 tell me what is on today” "
    "or “every 1st of the month at 9:00 remind me of the rent”"
)
_DAYS: Mapping[str, int] = MappingProxyType(
    {
        name: number
        for number, names in enumerate(
            ("sunday sun", "monday mon", "tuesday tue tues", "wednesday wed", "thursday thu thurs", "friday fri",
             "saturday sat")
        )
        for name in names.split()
    }
)  # fmt: skip
_NUMBERS: Mapping[str, int] = MappingProxyType(
    {
        name: number
        for number, name in enumerate(
            ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
        )
    }
    | {"fifteen": 15, "twenty": 20, "thirty": 30, "quarter": 15, "half": 30}
)  # fmt: skip
_ORDINALS: Mapping[str, int] = MappingProxyType(
    {
        name: number
        for number, name in enumerate(
            ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
             "twelfth"], 1
        )
    }
    | {"fifteenth": 15, "twentieth": 20}
)  # fmt: skip
_EVENTS = frozenset({"when", "whenever", "if"})
"""Words with which something that happens is named, rather than a time."""
_BY_EVENT = (
    "what starts when a file, a mail or an event comes is written into the settings, as a [[trigger]] with event = "
    "“file”, “mail” or “calendar”; “sayso config path config” names their file"
)
_EVERY = frozenset({"every", "each"})
_PARTS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"morning": (0, 12), "afternoon": (12, 24), "evening": (12, 24), "night": (12, 24)}
)
"""Parts of the day, and the hours between which a time said with them is."""
_HOURS_IN_DAY, _MINUTES_IN_HOUR, _NOON = 24, 60, 12
_EARLY, _LAST_SURE_DAY = 8, 28
_FROM: Mapping[str, str] = MappingProxyType({"minute": "hour", "hour": "day"})


class SpokenTrigger(Struct, frozen=True):
    """What was understood: a schedule as `schedule` reads it, the same in words, and the wish that is left."""

    schedule: str
    words: str
    wish: str


class _Time(Struct, frozen=True):
    """A time of day; `sure` if nothing has to be guessed about which half of the day it is in."""

    hour: int
    minute: int
    sure: bool


class _Found(Struct):
    """What the words say so far; each kind is said at most once."""

    bare: bool
    """Whether a time counts that stands without “at”."""
    days: str = ""
    month_day: str = ""
    steps: str = ""
    part: str = ""
    times: tuple[_Time, ...] = ()


def read_spoken(text: str) -> SpokenTrigger:
    """Return what the words say. Raises `SetupError` that says what is unclear, and what to write."""
    words = text.split()
    plain = [word.lower().strip(",.;:!?") for word in words]
    if plain[:1] and plain[0] in _EVENTS:
        raise _unclear(text, _BY_EVENT, "in words, a trigger starts only at times: " + SAY)
    found, rest = _read(words, plain, bare=False)
    if not (found.times or found.steps):
        # A time without “at” counts only where there is no other, because the wish may name one too.
        found, rest = _read(words, plain, bare=True)
    schedule, said = _schedule(found, text)
    return SpokenTrigger(schedule, said, _wish(rest, text))


def _read(words: Sequence[str], plain: Sequence[str], *, bare: bool) -> tuple["_Found", list[str]]:
    """Return what the words say of the time, and the words that are left."""
    found, rest, at = _Found(bare), list[str](), 0
    while at < len(words):
        used = next((used for read in _READERS if (used := read(found, plain, at))), 0)
        if not used:
            rest.append(words[at])
        at += used or 1
    return found, rest


def _wish(rest: Sequence[str], text: str) -> str:
    words = list(rest)
    while words and words[0].lower().strip(",;:-") in {"", "then", "please", "and", "to"}:
        words = words[1:]
    while words and words[-1].strip(",;:-") == "":
        words = words[:-1]
    if not words:
        raise _unclear(text, "it does not say what is to be done")
    return " ".join(words).rstrip(",;:")


def _often(steps: str) -> str:
    """Return in words how often within a day fields of cron made by `_steps` are due."""
    minutes, hours, *_ = steps.split()
    unit, number = ("minute", minutes) if minutes != "0" else ("hour", hours)
    count = int(number.removeprefix("*/")) if number != "*" else 1
    return f"every {unit}" if count == 1 else f"every {count} {unit}s, counted from the full {_FROM[unit]}"


def _schedule(found: _Found, text: str) -> tuple[str, str]:
    if found.steps:
        if found.days or found.month_day or found.times or found.part:
            raise _unclear(text, "it says both how often within a day and at what time")
        return found.steps, _often(found.steps)
    if not (found.days or found.month_day):
        raise _unclear(text, "it does not say how often")
    if found.days and found.month_day:
        raise _unclear(text, "it names both days of the week and a day of the month")
    if not found.times:
        raise _unclear(text, "it does not say at what time")
    times = [_in_part(one, found.part, text) for one in found.times]
    if len({minute for _, minute in times}) > 1:
        raise _unclear(text, "one schedule takes several times only if their minutes are the same; write two triggers")
    hours, minute = ",".join(str(hour) for hour, _ in sorted(set(times))), times[0][1]
    clock = " and ".join(f"{hour}:{minute:02}" for hour, minute in sorted(set(times)))
    plain = {"*": "daily", "1-5": "weekdays", "6,0": "weekends"}.get(found.days)
    if plain and len(set(times)) == 1:
        return f"{plain} {clock}", f"{plain} at {clock}"
    if found.month_day:
        return f"{minute} {hours} {found.month_day} * *", f"on day {found.month_day} of every month at {clock}"
    names = [name for day in found.days.split(",") for name, number in _DAYS.items() if str(number) == day]
    days = ", ".join(name.capitalize() for name in names if name.endswith("day")) or plain or ""
    return f"{minute} {hours} * * {found.days}", f"{days} at {clock}"


def _in_part(time: _Time, part: str, text: str) -> tuple[int, int]:
    """Return the hour and minute of a time that was said with a part of the day, if any."""
    begin, end = _PARTS.get(part, (0, _HOURS_IN_DAY))
    if time.sure:
        if part and not begin <= time.hour < end and time.hour:
            raise _unclear(text, f"{time.hour}:{time.minute:02} is not in the {part}")
        return time.hour, time.minute
    if part:
        return time.hour % _NOON + begin, time.minute
    if time.hour < _EARLY:
        raise _unclear(text, f"it may mean {time.hour:02}:{time.minute:02} or {time.hour + _NOON}:{time.minute:02}")
    return time.hour, time.minute


def _unclear(text: str, why: str, say: str = SAY) -> SetupError:
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return SetupError(f"“{shown}”: {why}; {say}" if shown else say, "trigger.unclear")


_LONGEST = 100
_DIGITS = 2


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if at < len(words) else ""


def _frequency(found: _Found, words: Sequence[str], at: int) -> int:
    """Read days: every weekday, daily, on Mondays and Fridays, every morning."""
    if found.days or found.month_day:
        return 0
    every = _word(words, at) in _EVERY
    start = at + (every or _word(words, at) == "on")
    word = _word(words, start)
    known = {"weekdays": "1-5", "weekends": "6,0", "daily": "*", "everyday": "*"}.get(word)
    if every:
        known = {"weekday": "1-5", "workday": "1-5", "weekend": "6,0", "day": "*"}.get(word, known)
        if word in {"working", "work", "business"} and _word(words, start + 1) == "day":
            known, start = "1-5", start + 1
        if word in _PARTS:
            found.days, found.part = "*", word
            return start + 1 - at
    if known:
        found.days = known
        return start + 1 - at
    days, after = _named_days(words, start, every=every)
    if days:
        found.days = ",".join(map(str, days))
    return after - at if days else 0


def _named_days(words: Sequence[str], at: int, *, every: bool) -> tuple[list[int], int]:
    """Read “Monday”, or “Mondays, Tuesdays and Fridays”; without “every”, a single day must stand in the plural."""
    days: list[int] = []
    plural, after = every, at
    while True:
        word = _word(words, at)
        name = word if word in _DAYS else word.removesuffix("s")
        if name not in _DAYS:
            break
        plural = plural or word not in _DAYS
        days.append(_DAYS[name])
        after = at = at + 1
        at += _word(words, at) in {"and", "or", "&"}
        at += _word(words, at) in _EVERY
    return (sorted(set(days)), after) if plural else ([], after)


def _of_month(found: _Found, words: Sequence[str], at: int) -> int:
    """Read “every 1st of the month”, “on the 15th of every month”, “monthly on the first”."""
    if found.month_day or found.days:
        return 0
    begin = at
    while _word(words, at) in {"on", "the", "every", "each", "monthly", "month"}:
        at += 1
    day = _ordinal(_word(words, at))
    said = words[begin:at]
    if day is None or not 1 <= day <= _LAST_SURE_DAY:
        return 0
    at += 1
    if _word(words, at) == "of" and "month" in words[at + 1 : at + 3]:
        at = words.index("month", at) + 1
    elif not {"month", "monthly"} & set(said):
        return 0
    found.month_day = str(day)
    return at - begin


def _ordinal(word: str) -> int | None:
    if word in _ORDINALS:
        return _ORDINALS[word]
    digits = word[:-2]
    return int(digits) if word[-2:] in {"st", "nd", "rd", "th"} and digits.isascii() and digits.isdigit() else None


def _steps(found: _Found, words: Sequence[str], at: int) -> int:
    """Read “hourly”, “every hour”, “every 2 hours”, “every 15 minutes”, “every half hour”."""
    if found.steps:
        return 0
    if _word(words, at) == "hourly":
        found.steps = "0 * * * *"
        return 1
    if _word(words, at) not in _EVERY:
        return 0
    first = _word(words, at + 1)
    number = _number(first)
    unit_at = at + 1 + (number is not None)
    unit_at += _word(words, unit_at) in {"an", "of"}
    unit_at += _word(words, unit_at) == "an"
    unit = _word(words, unit_at).removesuffix("s")
    if first in {"half", "quarter"} and unit == "hour":
        unit = "minute"
    if unit in {"minute", "min"} and _divides(number or 1, _MINUTES_IN_HOUR):
        found.steps = f"*/{number or 1} * * * *"
    elif unit == "hour" and _divides(number or 1, _HOURS_IN_DAY):
        found.steps = f"0 */{number} * * *" if number and number > 1 else "0 * * * *"
    else:
        return 0
    return unit_at + 1 - at


def _divides(number: int, whole: int) -> bool:
    return 0 < number < whole and whole % number == 0


def _number(word: str) -> int | None:
    if word in _NUMBERS:
        return _NUMBERS[word]
    return int(word) if word.isascii() and word.isdigit() and len(word) <= _DIGITS else None


def _times(found: _Found, words: Sequence[str], at: int) -> int:
    """Read “at 8:30”, “at 8 and 17”, “at noon”, “at half past eight”; without “at”, only “8:30” and “8pm”."""
    begin, led = at, _word(words, at) == "at"
    if found.times or not (led or found.bare):
        return 0
    at += led
    at += led and _word(words, at) in {"a", "about"}
    times: list[_Time] = []
    after = at
    while read := _time(words, at, led=led):
        times.append(read[0])
        at = after = at + read[1]
        at += _word(words, at) in {"and", "&"}
        at += _word(words, at) == "at"
    found.times = tuple(times)
    return after - begin if times else 0


def _time(words: Sequence[str], at: int, *, led: bool) -> tuple[_Time, int] | None:
    word, then = _word(words, at), _word(words, at + 1)
    if word in {"noon", "midday", "midnight"}:
        return _Time(0 if word == "midnight" else _NOON, 0, sure=True), 1
    if led and then in {"past", "to"} and (number := _number(word)) is not None:
        hour = _clock(_word(words, at + 2), bare=True)
        if hour is None:
            return None
        minutes = hour.hour * 60 + (number if then == "past" else -number)
        return _Time(minutes // 60 % _HOURS_IN_DAY, minutes % 60, hour.sure), 3
    half = then if then in {"am", "pm", "a.m", "p.m"} else ""
    read = _clock(word + half.replace(".", ""), bare=led)
    if read is None:
        return None
    used = 1 + bool(half)
    return read, used + (_word(words, at + used) in {"o'clock", "o’clock"})


def _clock(word: str, *, bare: bool) -> _Time | None:
    """Return the time of “8:30”, “8pm”, “17h” or, if `bare`, “8” and “eight”."""
    half = word[-2:] if word[-2:] in {"am", "pm"} else ""
    hours, colon, minutes = word.removesuffix(half).removesuffix("h").replace(".", ":").partition(":")
    hour, minute = _number(hours), _number(minutes) if colon else 0
    if hour is None or minute is None or hour >= _HOURS_IN_DAY or minute >= _MINUTES_IN_HOUR:
        return None
    if colon and not (minutes.isdigit() and len(minutes) == _DIGITS):
        return None
    if half:
        good = 1 <= hour <= _NOON
        return _Time(hour % _NOON + (_NOON if half == "pm" else 0), minute, sure=True) if good else None
    if not (colon or bare):
        return None
    written = bool(colon) or hours.startswith("0")
    return _Time(
        hour, minute, sure=hour > _NOON or hour == 0 or (written and (hours.startswith("0") or hour >= _EARLY))
    )


def _part(found: _Found, words: Sequence[str], at: int) -> int:
    """Read “in the morning”, “at night”."""
    begin = at
    if _word(words, at) == "in" and _word(words, at + 1) == "the":
        at += 2
    elif _word(words, at) == "at":
        at += 1
    if at == begin or found.part or _word(words, at) not in _PARTS:
        return 0
    found.part = _word(words, at)
    return at + 1 - begin


_READERS: Sequence[Callable[[_Found, Sequence[str], int], int]] = (_steps, _of_month, _frequency, _part, _times)
