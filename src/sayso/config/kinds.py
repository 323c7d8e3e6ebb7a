"""What a setting may hold: each kind reads a TOML value, says what it expects, and writes the value again."""

from collections.abc import Callable, Mapping
from typing import cast
from urllib.parse import urlsplit

from sayso.config.units import bytes_in, length_said, seconds, size_said
from sayso.core.canonical import Json
from sayso.core.values import dataclass


class NotOfKind(Exception):
    """A value is not of the kind a setting has; `str()` says what is wrong beyond what is expected, or nothing."""


@dataclass(frozen=True)
class ValueKind:
    """One kind of value. `read` raises `NotOfKind`; `write` gives what stands in the file for a read value."""

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
        parts = urlsplit(text)
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


FLAG = ValueKind("true or false", _flag)
LINE = ValueKind("a text of one line that is not empty", _line)
TEXTS = ValueKind('a list of texts such as ["…", "…"]', _texts, lambda value: list(cast("tuple[str, ...]", value)))
COMMAND = ValueKind('a program and its arguments as a list such as ["pass", "mail"]', _texts, TEXTS.write)
LENGTH = ValueKind(
    'a length of time such as "10s", "24h" or "90d"', _length, lambda value: length_said(cast("int", value))
)
SIZE = ValueKind('a size such as "16 MiB" or "2 GiB"', _size, lambda value: size_said(cast("int", value)))
PATH = ValueKind("a path that is absolute or starts with ~/", _path)
PATHS = ValueKind('a list of folders such as ["~/Documents"], each absolute or starting with ~/', _paths, TEXTS.write)
ADDRESS = ValueKind('an address such as "https://example.org/", or empty', _address)
TABLE = ValueKind("a table", _table)
FLAG_OR_LINE = ValueKind("true, false or a word", _flag_or_line)


def one_of(*words: str) -> ValueKind:
    """Return the kind of a setting that holds one of these words."""

    def read(value: Json) -> Json:
        if isinstance(value, str) and value in words:
            return value
        raise NotOfKind

    return ValueKind("one of " + ", ".join(words), read)


def number(low: int, high: int) -> ValueKind:
    """Return the kind of a setting that holds a whole number."""

    def read(value: Json) -> Json:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise NotOfKind

    return ValueKind(f"a whole number from {low} to {high}", read)


def found(value: Json) -> str:
    """Say what stands there instead, shortened."""
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
