"""Read a day in words or digits: `tomorrow`, `friday`, `march 5th`, `2026-03-05`."""

from collections.abc import Sequence
from datetime import date, timedelta

from sayso.core.errors import ProposalError
from sayso.core.values import dataclass
from sayso.core.when import read_when
from sayso.models.embedded.numbers import number, ordinal
from sayso.models.embedded.words import each

_WEEKDAYS = each("monday tuesday wednesday thursday friday saturday sunday")
_SHORT_DAYS = {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6}
_MONTHS = each("january february march april may june july august september october november december")
_SHORT_MONTHS = each("jan feb mar apr may jun jul aug sep oct nov dec")
_TYPED_WRONG = {
    "tommorow": "tomorrow",
    "tommorrow": "tomorrow",
    "tomorow": "tomorrow",
    "tmrw": "tomorrow",
    "tmr": "tomorrow",
}
_HALF_A_YEAR = timedelta(days=183)
"""A day that is past by less is not meant for next year without saying so."""
_WEEK, _LONGEST_MONTH, _YEAR = 7, 31, 4


@dataclass(frozen=True, slots=True)
class Day:
    """A day; `unclear` says why it may be another one."""

    day: date
    unclear: str = ""


def day_at(words: Sequence[str], at: int, today: date) -> tuple[Day, int] | None:
    """Return the day that begins at a word, and where it ends; None where there is none."""
    rest = [_TYPED_WRONG.get(word, word) for word in words[at : at + 5]]
    match rest:
        case ["today", *_]:
            return Day(today), at + 1
        case ["tomorrow", *_]:
            return Day(today + timedelta(days=1)), at + 1
        case ["the", "day", "after", "tomorrow", *_]:
            return Day(today + timedelta(days=2)), at + 4
        case ["day", "after", "tomorrow", *_]:
            return Day(today + timedelta(days=2)), at + 3
        case ["yesterday", *_]:
            return Day(today - timedelta(days=1), "that day is past."), at + 1
        case _:
            return _weekday(rest, at, today) or _of_a_month(rest, at, today) or _written(rest, at)


def _weekday(rest: Sequence[str], at: int, today: date) -> tuple[Day, int] | None:
    which, words = (rest[0], rest[1:]) if rest and rest[0] in {"this", "next", "coming", "last"} else ("", rest)
    if not words:
        return None
    wanted = _WEEKDAYS.index(words[0]) if words[0] in _WEEKDAYS else _SHORT_DAYS.get(words[0])
    if wanted is None:
        return None
    end = at + len(rest) - len(words) + 1
    ahead = (wanted - today.weekday()) % _WEEK
    day = today + timedelta(days=ahead or _WEEK)
    if which == "last":
        return Day(day - timedelta(days=_WEEK), "that day is past."), end
    if not ahead:
        return Day(day, f"today is a {words[0]}: is it today, or in a week?"), end
    if which == "next" and ahead <= _WEEK - 1 - today.weekday():
        return Day(day, f"is it {day}, or the one a week later?"), end
    return Day(day), end


def _of_a_month(rest: Sequence[str], at: int, today: date) -> tuple[Day, int] | None:
    words = [word for word in rest if word not in {"the", "of"}]
    match words:
        case [first, second, *more] if _month(first) and (_ordinal(second) or number(second)):
            month, day = _month(first), _ordinal(second) or number(second)
        case [first, second, *more] if _month(second) and (_ordinal(first) or number(first)):
            month, day = _month(second), _ordinal(first) or number(first)
        case [first, *_] if rest[0] == "the" and _ordinal(first):
            return _this_month(_ordinal(first) or 0, at + 2, today)
        case _:
            return None
    year = int(more[0]) if more and more[0].isdecimal() and len(more[0]) == _YEAR else None
    used = 2 if year is None else 3
    return _dated(year, month, day or 0, _end(rest, at, used), today)


def _end(rest: Sequence[str], at: int, used: int) -> int:
    """Return where so many words end, those passed over among them."""
    end = 0
    while used:
        used -= rest[end] not in {"the", "of"}
        end += 1
    return at + end


def _dated(year: int | None, month: int, day: int, end: int, today: date) -> tuple[Day, int] | None:
    try:
        found = date(year or today.year, month, day)
        if year is None and today - found > _HALF_A_YEAR:
            found = date(today.year + 1, month, day)
    except ValueError:
        return None
    return Day(found, "that day is past." if found < today else ""), end


def _this_month(day: int, end: int, today: date) -> tuple[Day, int] | None:
    if not 1 <= day <= _LONGEST_MONTH:
        return None
    year, month = today.year, today.month
    for _ in range(2):
        try:
            found = date(year, month, day)
        except ValueError:
            return None
        if found >= today:
            return Day(found), end
        year, month = (year + 1, 1) if month == len(_MONTHS) else (year, month + 1)
    return None


def _written(rest: Sequence[str], at: int) -> tuple[Day, int] | None:
    if not rest or "-" not in rest[0]:
        return None
    try:
        moment = read_when(rest[0])
    except ProposalError:
        return None
    return (Day(moment.day), at + 1) if moment.all_day else None


def _month(word: str) -> int:
    if word in _MONTHS:
        return _MONTHS.index(word) + 1
    return _SHORT_MONTHS.index(word) + 1 if word in _SHORT_MONTHS else 0


def _ordinal(word: str) -> int | None:
    return ordinal(word)
