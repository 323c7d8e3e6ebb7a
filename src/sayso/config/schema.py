"""The schema of the settings: every key, its kind, its units and its default."""

import re
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import cast
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import fields

from sayso.config.defaults import default_allowed_apps
from sayso.core.encoding import Json
from sayso.policy.settings import Limits, Policy

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


class NotOfKind(Exception):
    """A value is not of the kind a setting has; `str()` says what is wrong beyond what is expected, or nothing."""


class ValueKind(Struct, frozen=True):
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


def describe_found(value: Json) -> str:
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


class Key(Struct, frozen=True):
    """One setting. `default` is the read value; None means that none is set and the part it is for decides."""

    section: str
    name: str
    kind: ValueKind
    says: str
    default: Json = None

    @property
    def full(self) -> str:
        """Return the name with its section: `policy.mode`."""
        return f"{self.section}.{self.name}"

    @property
    def default_said(self) -> Json:
        """Return the default as it would stand in the file; None when nothing is set."""
        return None if self.default is None else self.kind.write(self.default)


_POLICY = {field.name: field.default for field in fields(Policy)} | {"allowed_apps": default_allowed_apps(sys.platform)}
_LIMITS = {field.name: field.default for field in fields(Limits)}


def _policy(name: str, kind: ValueKind, says: str) -> Key:
    return Key("policy", name, kind, says, _POLICY[name])


def _limit(name: str, kind: ValueKind, says: str) -> Key:
    return Key("limits", name, kind, says, _LIMITS[name])


_PORT = number(1, 65535)
_COUNT = number(1, 1_000_000)
_COMMAND_SAYS = "Program and arguments that print the password; without it the system keyring is asked."

_IN_MEMORY = ("mail", "calendar", "notes", "browser", "apps", "desktop", "tasks", "talk", "web")
_WORLD = "What a store of kind “memory” holds at first."

KEYS: tuple[Key, ...] = (
    _policy("mode", one_of("always", "destructive", "never"), "When to ask; floor operations ask in every mode."),
    Key("policy", "roots", PATHS, "Folders that file actions may reach; unset, those the desktop names."),
    _policy(
        "allowed_apps",
        TEXTS,
        "Applications that open and quit without a question; on Linux those of its desktops too.",
    ),
    _policy("allowed_operations", TEXTS, "Operations that may run, as ids or globs; all others are refused."),
    _policy("waive_floor", TEXTS, "Floor operations that you do not want to be asked about in every mode."),
    _policy("strict_apps", FLAG, "Refuse an application that is not allowed, instead of asking."),
    _policy("stop_on_error", FLAG, "End a batch at its first failure."),
    _policy("paused", FLAG, "Stop everything."),
    _policy("waiting_expires", LENGTH, "How long an action waits for your answer."),
    _policy("grant_expires", LENGTH, "How long a standing permission holds."),
    _policy("undo_keep", LENGTH, "How long the way back is kept."),
    _policy("undo_bytes", SIZE, "How much may be kept for the way back."),
    _policy("audit_keep", LENGTH, "How long the audit trail is kept."),
    _policy("audit_redact", TEXTS, "Names of arguments whose values the audit trail leaves out."),
    _policy("append_missing", one_of("create", "error"), "What appending to a missing file does."),
    _policy("confirm_sites", TEXTS, "Sites where clicking and filling in ask."),
    _policy("confirm_destructive_clicks", FLAG, "Ask a second time after the click on something destructive."),
    _limit("actions_per_run", _COUNT, "Actions one run may have; with more, none of them runs."),
    _limit("reply_bytes", SIZE, "Length a model's reply may have."),
    _limit("argument_bytes", SIZE, "Length one argument may have."),
    _limit("waiting", _COUNT, "Actions that may wait for your answer at the same time."),
    Key("automation", "enabled", FLAG, "Whether triggers and schedules may start runs.", default=True),
    Key("model", "name", LINE, "Which model is asked: embedded, anthropic:…, openai:…, ollama:….", "embedded"),
    Key("model", "fallback", TEXTS, "Models that are asked in this order when that one cannot begin to answer.", ()),
    Key("model", "url", ADDRESS, "Where that model is asked; unset, where its vendor is, or Ollama on this computer."),
    Key("model", "timeout", LENGTH, "How long a whole reply may take.", 600),
    Key("model", "timeout_connect", LENGTH, "How long a model's server may take to let us in.", 10),
    Key("model", "timeout_silent", LENGTH, "How long a model may send nothing before it is given up.", 120),
    Key(
        "model",
        "context_chars",
        number(1000, 10_000_000),
        "Characters of this computer's context in a prompt; unset, 100000, and 24000 for models on this computer.",
    ),
    Key("model", "password_command", COMMAND, _COMMAND_SAYS),
    Key("journal", "url", ADDRESS, "Where the journal is; empty for SQLite in sayso's folder, or postgresql://….", ""),
    Key("journal", "password_command", COMMAND, _COMMAND_SAYS),
    Key("mail", "kind", one_of("maildir", "imap", "apple", "memory"), "What serves mail."),
    Key("mail", "path", PATH, "Folder of the maildir."),
    Key("mail", "address", LINE, "Your address, for what is sent."),
    Key("mail", "name", LINE, "Your name, for what is sent."),
    Key("mail", "hold_seconds", number(0, 3600), "How long a sent mail is held back so that it can be undone."),
    Key("mail", "host", LINE, "IMAP server."),
    Key("mail", "port", _PORT, "Its port."),
    Key("mail", "user", LINE, "Your name on it."),
    Key("mail", "auth", LINE, "How to log in to it."),
    Key("mail", "smtp_host", LINE, "SMTP server."),
    Key("mail", "smtp_port", _PORT, "Its port."),
    Key("mail", "tls", FLAG_OR_LINE, "How the connection is protected."),
    Key("mail", "password_command", COMMAND, _COMMAND_SAYS),
    Key("calendar", "kind", one_of("vdir", "caldav", "eventkit", "memory"), "What serves the calendar."),
    Key("calendar", "path", PATH, "Folder of .ics files."),
    Key("calendar", "url", ADDRESS, "CalDAV address."),
    Key("calendar", "user", LINE, "Your name there."),
    Key("calendar", "default", LINE, "Which of your calendars new events and reminders go to."),
    Key("calendar", "timezone", LINE, "Time zone of new events, such as Europe/Berlin."),
    Key("calendar", "password_command", COMMAND, _COMMAND_SAYS),
    Key("notes", "kind", one_of("folder", "apple", "memory"), "What serves notes."),
    Key("notes", "path", PATH, "Folder of notes."),
    Key("browser", "kind", one_of("cdp", "bidi", "chrome", "safari", "memory"), "What serves the browser."),
    Key("browser", "cdp_url", ADDRESS, "Where the browser listens for DevTools; empty for the one sayso starts."),
    Key("browser", "bidi_url", ADDRESS, "Where Firefox listens for WebDriver BiDi; empty for the one sayso starts."),
    Key("browser", "remote", FLAG, "Whether that browser may be on another machine.", default=False),
    Key("browser", "default_profile", FLAG, "Whether it may run on the profile you live in.", default=False),
    Key("browser", "program", LINE, "Which browser “sayso browser” starts; unset, the first one found."),
    Key("browser", "downloads", PATH, "Where files from pages go, within policy.roots; unset, ~/Downloads."),
    Key("browser", "sites", TABLE, "Names of sites and their domains, beside those that sayso knows."),
    Key("browser", "schemes", TEXTS, "Kinds of addresses that may be opened beside http and https."),
    Key(
        "apps",
        "kind",
        one_of("auto", "x11", "sway", "kwin", "wayland", "macos", "memory"),
        "What serves applications and windows.",
    ),
    Key("desktop", "kind", one_of("auto", "linux", "macos", "memory"), "What serves clipboard, sound and messages."),
    Key("desktop", "speech", one_of("auto", "espeak-ng", "speech-dispatcher"), "What speaks.", "auto"),
    Key("desktop", "dnd_on", LINE, "Your shortcut that turns do-not-disturb on, where sayso knows no switch."),
    Key("desktop", "dnd_off", LINE, "Your shortcut that turns it off again."),
    Key("files", "kind", one_of("local", "memory"), "What serves files."),
    Key("tasks", "kind", one_of("sqlite", "memory"), "What serves tasks and habits."),
    Key("talk", "kind", one_of("here", "memory"), "What serves chat, templates and calls of a model."),
    Key("web", "kind", one_of("memory"), "What serves requests to the web."),
    *(Key(section, "world", TABLE, _WORLD) for section in _IN_MEMORY),
)

BY_NAME: Mapping[str, Key] = MappingProxyType({key.full: key for key in KEYS})
SECTIONS: tuple[str, ...] = tuple(dict.fromkeys(key.section for key in KEYS))
"""The sections in their order; `[[preset]]` and `[shortcuts.NAME]` stand beside them."""


def keys_of(section: str) -> Mapping[str, Key]:
    """Return the keys of one section by their names."""
    return {key.name: key for key in KEYS if key.section == section}
