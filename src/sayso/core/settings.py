"""Settings as values: one key, the kinds of values that keys accept, and durations and sizes as text."""

import re
from collections.abc import Callable, Mapping
from typing import cast

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.lazy import load

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
    """Return the seconds in a duration such as “24h” or “90d”; None if the text is not a valid duration."""
    found = re.fullmatch(r"([0-9]{1,12}) ?([smhdw])", text.strip())
    if found is None:
        return None
    length = int(found[1]) * _SECONDS[found[2]]
    return length if length <= _LONGEST else None


def bytes_in(text: str) -> int | None:
    """Return the bytes in a size such as “2 GiB” or “1.5 MB”; None if the text is not a valid size."""
    found = re.fullmatch(r"([0-9]{1,16})(?:\.([0-9]{1,6}))? ?([a-z]{1,3})", text.strip().lower())
    if found is None or found[3] not in _BYTES:
        return None
    fraction = found[2] or ""
    size = int(found[1] + fraction) * _BYTES[found[3]] // 10 ** len(fraction)
    return size if size <= _LARGEST else None


def format_length(length: int) -> str:
    """Return a duration in the largest unit without a remainder; one day is written as 24 hours."""
    for unit in "dhm":
        if length and length % _SECONDS[unit] == 0 and (unit, length) != ("d", _SECONDS["d"]):
            return f"{length // _SECONDS[unit]}{unit}"
    return f"{length}s"


def format_size(size: int) -> str:
    """Return a size in the largest unit without a remainder."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if size and size % _BYTES[unit.lower()] == 0:
            return f"{size // _BYTES[unit.lower()]} {unit}"
    return f"{size} B"


class NotOfKind(Exception):
    """A value is not of the kind of its setting; `str()` is `secret` for an address with a password, else empty."""


class ValueKind(Struct, frozen=True):
    """One kind of value.

    `read` raises `NotOfKind`; `write` turns a value that `read` returned into its form in the file.
    """

    expects: str
    read: Callable[[Json], Json]
    write: Callable[[Json], Json] = lambda value: value


def _flag(value: Json) -> Json:
    if isinstance(value, bool):
        return value
    raise NotOfKind


def _table(value: Json) -> Json:
    if isinstance(value, Mapping):
        return cast("Mapping[str, Json]", value)
    raise NotOfKind


def _text(value: Json) -> str:
    if isinstance(value, str) and "\x00" not in value:
        return value
    raise NotOfKind


def _line(value: Json) -> str:
    text = _text(value)
    if not text.strip() or not text.isprintable():
        raise NotOfKind
    return text


def _texts(value: Json) -> Json:
    if not isinstance(value, list | tuple):
        raise NotOfKind
    return tuple(_line(item) for item in cast("list[Json]", value))


def _length(value: Json) -> Json:
    length = seconds(value) if isinstance(value, str) else None
    if length is None:
        raise NotOfKind
    return length


def _size(value: Json) -> Json:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53:
        return value
    size = bytes_in(value) if isinstance(value, str) else None
    if size is None:
        raise NotOfKind
    return size


def _path(value: Json) -> str:
    text = _line(value)
    if text == "~" or text.startswith(("~/", "/")):
        return text
    raise NotOfKind


def _paths(value: Json) -> Json:
    if not isinstance(value, list | tuple):
        raise NotOfKind
    return tuple(_path(item) for item in cast("list[Json]", value))


def _address(value: Json) -> Json:
    text = _text(value)
    if text == "":
        return text
    try:
        parts = load("urllib.parse:urlsplit")(text)
        secret = parts.password is not None
    except ValueError:
        raise NotOfKind from None
    if not parts.scheme or not text.isprintable():
        raise NotOfKind
    if secret:
        raise NotOfKind("secret")
    return text


def _flag_or_line(value: Json) -> Json:
    return value if isinstance(value, bool) else _line(value)


def _amount(value: Json) -> Json:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _LARGEST:
        return float(value)
    raise NotOfKind


def _prices(value: Json) -> Json:
    lines = cast("tuple[str, ...]", _texts(value))
    for line in lines:
        words = line.split()
        if len(words) != len(("name", "read", "written")) or not all(_PRICE.fullmatch(word) for word in words[1:]):
            raise NotOfKind
    return lines


_PRICE = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")
FLAG = ValueKind("true or false", _flag)
LINE = ValueKind("a text of one line that is not empty", _line)
TEXTS = ValueKind('a list of texts such as ["…", "…"]', _texts, lambda value: list(cast("tuple[str, ...]", value)))
COMMAND = ValueKind('a program and its arguments as a list such as ["pass", "mail"]', _texts, TEXTS.write)
LENGTH = ValueKind(
    'a length of time such as "10s", "24h" or "90d"', _length, lambda value: format_length(cast("int", value))
)
SIZE = ValueKind('a size such as "16 MiB" or "2 GiB"', _size, lambda value: format_size(cast("int", value)))
PATH = ValueKind("a path that is absolute or starts with ~/", _path)
PATHS = ValueKind('a list of folders such as ["~/Documents"], each absolute or starting with ~/', _paths, TEXTS.write)
ADDRESS = ValueKind('an address such as "https://example.org/", or empty', _address)
AMOUNT = ValueKind("a number such as 0.5", _amount)
PRICES = ValueKind(
    'a list of texts such as ["openai:gpt-5 1.25 10"]: a model, and what a million tokens read and written cost',
    _prices,
    TEXTS.write,
)
TABLE = ValueKind("a table", _table)
FLAG_OR_LINE = ValueKind("true, false or a word", _flag_or_line)


def length_from(least: int) -> ValueKind:
    """Return the kind of a setting whose value is a length of time of at least this many seconds."""

    def read(value: Json) -> Json:
        length = cast("int", LENGTH.read(value))
        if length < least:
            raise NotOfKind
        return length

    return ValueKind(f"{LENGTH.expects}, at least “{format_length(least)}”", read, LENGTH.write)


def one_of(*words: str) -> ValueKind:
    """Return the kind of a setting whose value is one of these words."""

    def read(value: Json) -> Json:
        if isinstance(value, str) and value in words:
            return value
        raise NotOfKind

    return ValueKind("one of " + ", ".join(words), read)


def number(low: int, high: int) -> ValueKind:
    """Return the kind of a setting whose value is a whole number from `low` to `high`."""

    def read(value: Json) -> Json:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise NotOfKind

    return ValueKind(f"a whole number from {low} to {high}", read)


def describe_found(value: Json) -> str:
    """Return a short description of a value that was found instead of the expected one."""
    most = 60
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= most else f'"{value[:most]}…"'
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    return f"a {type(value).__name__}"


class Setting(Struct, frozen=True):
    """One setting. `default` is a value as `kind.read` returns it; None means that the user of the setting decides."""

    section: str
    name: str
    kind: ValueKind
    says: str
    default: Json = None

    @property
    def full(self) -> str:
        """Return the name with its section, such as `policy.mode`."""
        return f"{self.section}.{self.name}"

    @property
    def written_default(self) -> Json:
        """Return the default as it would be written in the file; None if there is no default."""
        return None if self.default is None else self.kind.write(self.default)


def password_command(section: str) -> Setting:
    """Return the setting that names the program which prints the password of a section."""
    says = "Program and arguments that print the password; without it the system keyring is asked."
    return Setting(section, "password_command", COMMAND, says)


def memory_world(section: str) -> Setting:
    """Return the setting that holds the initial content of a section's memory backend."""
    return Setting(section, "world", TABLE, "What a store of kind “memory” holds at first.")
