"""Read how long from now, how long it takes, and how often: `in 20 minutes`, `an hour and a half`, `every 4 hours`."""

from collections.abc import Sequence

from sayso.core.values import dataclass
from sayso.models.embedded.numbers import number

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
_HALF, _HOUR = 30, 60
_LONGEST = _HOUR * 24 * 366


@dataclass(frozen=True, slots=True)
class Lapse:
    """So many minutes, or so many days."""

    minutes: int = 0
    days: int = 0


def lapse_at(words: Sequence[str], at: int) -> tuple[Lapse, int] | None:
    """Return the time from now that begins at a word, and where it ends: `in …`, or `… from now`."""
    if at < len(words) and words[at] in {"in", "after", "within"}:
        return long_at(words, at + 1)
    found = long_at(words, at)
    if found is not None and list(words[found[1] : found[1] + 2]) == ["from", "now"]:
        return found[0], found[1] + 2
    return None


def long_at(words: Sequence[str], at: int) -> tuple[Lapse, int] | None:
    """Return how long something takes, beginning at a word, and where that ends."""
    found = _one(words, at)
    if found is None:
        return None
    minutes, days, end = found
    if minutes and list(words[end : end + 3]) == ["and", "a", "half"] and not minutes % _HOUR:
        return Lapse(minutes + _HALF), end + 3
    if minutes >= _HOUR:
        more = _one(words, end + 1 if list(words[end : end + 1]) == ["and"] else end)
        if more is not None and 0 < more[0] < _HOUR:
            return Lapse(minutes + more[0]), more[2]
    return (Lapse(minutes, days), end) if 0 < minutes + days < _LONGEST else None


def often(words: Sequence[str]) -> float | None:
    """Return the hours between two times: `daily`, `every day`, `every 4 hours`, `every other day`, `twice a day`."""
    said = " ".join(words).replace(" per ", " a ").replace("each ", "every ").replace("every second ", "every other ")
    if said in _OFTEN:
        return _OFTEN[said]
    if not said.startswith("every "):
        return None
    rest = said.split()[1:]
    if rest[0] in _MINUTES or rest[0] in _DAYS:
        rest = ["one", *rest]
    found = long_at(rest, 0)
    return None if found is None or found[1] != len(rest) else found[0].minutes / _HOUR or found[0].days * 24


def _one(words: Sequence[str], at: int) -> tuple[int, int, int] | None:
    """Return minutes, days and the end of one measure: `20 minutes`, `half an hour`, `1.5 hours`, `2h`."""
    fixed = next((one for one in _FIXED if tuple(words[at : at + len(one)]) == one), None)
    if fixed is not None:
        return _FIXED[fixed], 0, at + len(fixed)
    match words[at : at + 5]:
        case ["a" | "an", unit, *_] if unit not in {"couple", "few"}:
            return _measured(1, unit, at + 2)
        case ["a", "couple", "of", unit, *_]:
            return _measured(2, unit, at + 4)
        case [count, "and", "a", "half", unit] if (whole := number(count)) is not None:
            return _measured(whole + 0.5, unit, at + 5)
        case [tens, ones, unit, *_] if (amount := number(f"{tens} {ones}")) is not None:
            return _measured(amount, unit, at + 3)
        case [count, unit, *_] if (amount := _amount(count)) is not None:
            return _measured(amount, unit, at + 2)
        case [both, *_]:
            return _together(both, at)
        case _:
            return None


def _together(word: str, at: int) -> tuple[int, int, int] | None:
    digits = word.rstrip("abcdefghijklmnopqrstuvwxyz")
    amount = _amount(digits) if digits and digits != word else None
    return None if amount is None else _measured(amount, word[len(digits) :], at + 1)


def _measured(amount: float, unit: str, end: int) -> tuple[int, int, int] | None:
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
