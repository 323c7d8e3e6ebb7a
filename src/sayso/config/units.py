"""Lengths of time and sizes as a person writes them: “24h”, “90d”, “2 GiB”."""

import re

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_BYTES = {
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
_LONGEST = 1000 * 366 * 86400
_LARGEST = 2**53 - 1


def seconds(text: str) -> int | None:
    """Return how many seconds a length of time such as “24h” or “90d” has; None when it is none."""
    found = re.fullmatch(r"([0-9]{1,12}) ?([smhdw])", text.strip())
    if found is None:
        return None
    length = int(found[1]) * _SECONDS[found[2]]
    return length if length <= _LONGEST else None


def bytes_in(text: str) -> int | None:
    """Return how many bytes a size such as “2 GiB” or “1.5 MB” has; None when it is none."""
    found = re.fullmatch(r"([0-9]{1,16})(?:\.([0-9]{1,6}))? ?([a-z]{1,3})", text.strip().lower())
    if found is None or found[3] not in _BYTES:
        return None
    fraction = found[2] or ""
    size = int(found[1] + fraction) * _BYTES[found[3]] // 10 ** len(fraction)
    return size if size <= _LARGEST else None


def length_said(length: int) -> str:
    """Write a number of seconds in the largest unit that leaves nothing over; one day is said as 24 hours."""
    for unit in "dhm":
        if length and length % _SECONDS[unit] == 0 and (unit, length) != ("d", _SECONDS["d"]):
            return f"{length // _SECONDS[unit]}{unit}"
    return f"{length}s"


def size_said(size: int) -> str:
    """Write a number of bytes in the largest unit that leaves nothing over."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if size and size % _BYTES[unit.lower()] == 0:
            return f"{size // _BYTES[unit.lower()]} {unit}"
    return f"{size} B"
