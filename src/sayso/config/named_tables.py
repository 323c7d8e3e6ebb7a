"""Settings that are lists of named tables: window layouts, shortcuts and triggers."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar, cast

from msgspec import Struct

from sayso.core.conversation import Trigger
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.settings import COMMAND, FLAG, LINE, PATH, NotOfKind, ValueKind, describe_found, number, one_of

Monitor = Literal["main", "left", "right"]
SIDES = 4
"""Number of values in `bounds`: left, top, right, bottom."""


class Placement(Struct, frozen=True):
    """Where one application's window is placed; an application that does not run is opened only if `launch` is true."""

    app_name: str
    monitor: Monitor | None = None
    bounds: tuple[int, int, int, int] | None = None
    launch: bool | None = None


class Preset(Struct, frozen=True):
    """One window layout, by name."""

    name: str
    placements: tuple[Placement, ...]


N = TypeVar("N", Preset, Trigger)


def presets_in(content: Json, where: str) -> tuple[Preset, ...]:
    """Read the list of window layouts. Raises `SetupError` that names the layout and the key."""
    return _named(content, "preset", _preset, where)


def _named(content: Json, kind: str, read: Callable[[Json, str, str], N], where: str) -> tuple[N, ...]:
    """Return the tables of a list, each of which `read` reads; no two may have the same name. Raises `SetupError`."""
    if not isinstance(content, list):
        raise SetupError(f"{kind}s are written [[{kind}]]; found {describe_found(content)} ({where})", "config.value")
    found = [read(item, f"{kind} {number}", where) for number, item in enumerate(cast("list[Json]", content), 1)]
    names = [one.name.casefold() for one in found]
    for one in found:
        if names.count(one.name.casefold()) > 1:
            raise SetupError(f"two {kind}s are called “{one.name}” ({where})", "config.value")
    return tuple(found)


def _preset(item: Json, what: str, where: str) -> Preset:
    table = _table(item, ("name", "placements"), what, where)
    name = cast("str", _read(table, "name", LINE, what, where))
    placements = table.get("placements")
    if not isinstance(placements, list) or not placements:
        raise SetupError(f"{what} needs placements, a list that is not empty ({where})", "config.value")
    said = [f"placement {number} of preset “{name}”" for number in range(1, len(cast("list[Json]", placements)) + 1)]
    items = cast("list[Json]", placements)
    return Preset(name, tuple(_placement(one, what, where) for one, what in zip(items, said, strict=True)))


def _placement(item: Json, what: str, where: str) -> Placement:
    table = _table(item, ("app_name", "monitor", "bounds", "launch"), what, where)
    return Placement(
        cast("str", _read(table, "app_name", LINE, what, where)),
        cast("Monitor | None", _read(table, "monitor", _MONITOR, what, where, needed=False)),
        cast("tuple[int, int, int, int] | None", _read(table, "bounds", _BOUNDS, what, where, needed=False)),
        cast("bool | None", _read(table, "launch", FLAG, what, where, needed=False)),
    )


def _table(item: Json, names: tuple[str, ...], what: str, where: str) -> Mapping[str, Json]:
    if not isinstance(item, Mapping):
        raise SetupError(f"{what} must be a table; found {describe_found(item)} ({where})", "config.value")
    table = cast("Mapping[str, Json]", item)
    for name in table:
        if name not in names:
            raise SetupError(f"{what} has no “{name}”; it takes {', '.join(names)} ({where})", "config.unknown")
    return table


def _read(  # noqa: PLR0913 - what is read, and how a message names it
    table: Mapping[str, Json], name: str, kind: ValueKind, what: str, where: str, *, needed: bool = True
) -> Json:
    if name not in table and not needed:
        return None
    try:
        return kind.read(table.get(name))
    except NotOfKind:
        shown = describe_found(table[name]) if name in table else "nothing"
        raise SetupError(
            f"“{name}” of {what} must be {kind.expects}; found {shown} ({where})", "config.value"
        ) from None


def _bounds(value: Json) -> Json:
    if not isinstance(value, list):
        raise NotOfKind
    numbers = [
        number for number in cast("list[Json]", value) if isinstance(number, int) and not isinstance(number, bool)
    ]
    if len(numbers) != len(cast("list[Json]", value)) or len(numbers) != SIDES:
        raise NotOfKind
    return tuple(numbers)


_MONITOR = one_of("main", "left", "right")
_BOUNDS = ValueKind("a list of 4 whole numbers: left, top, right, bottom", _bounds)

_MOST_SECONDS = 86400
_KINDS: Mapping[str, ValueKind] = {
    "argv": COMMAND,
    "input": one_of("stdin", "file"),
    "seconds": number(1, _MOST_SECONDS),
}


def shortcuts_in(tables: Mapping[str, Json], where: str) -> Mapping[str, Json]:
    """Read all shortcuts. Raises `SetupError` that names the shortcut and the key."""
    return {name: _shortcut(name, table, where) for name, table in tables.items()}


def _shortcut(name: str, item: Json, where: str) -> Mapping[str, Json]:
    if not name.strip() or not name.isprintable():
        raise SetupError(f"a shortcut needs a name of one line ({where})", "config.value")
    if not isinstance(item, Mapping):
        raise SetupError(
            f"a shortcut is written [shortcuts.“{name}”] with argv; found {describe_found(item)} ({where})",
            "config.value",
        )
    table = cast("Mapping[str, Json]", item)
    for key in table:
        if key not in _KINDS:
            raise SetupError(
                f"shortcut “{name}” has no “{key}”; it takes {', '.join(_KINDS)} ({where})", "config.unknown"
            )
    if not table.get("argv"):
        raise SetupError(f"shortcut “{name}” needs argv, {COMMAND.expects} ({where})", "config.value")
    return {key: _read_shortcuts(name, key, value, where) for key, value in table.items()}


def _read_shortcuts(name: str, key: str, value: Json, where: str) -> Json:
    try:
        return _KINDS[key].read(value)
    except NotOfKind:
        raise SetupError(
            f"“{key}” of shortcut “{name}” must be {_KINDS[key].expects}; found {describe_found(value)} ({where})",
            "config.value",
        ) from None


_YEAR = 366 * 24 * 60
"""One year in minutes."""


def _text(value: Json) -> Json:
    if not isinstance(value, str) or not value.strip() or "\x00" in value:
        raise NotOfKind
    return value


TEXT = ValueKind("a text that is not empty", _text)
KINDS: Mapping[str, ValueKind] = {
    "name": LINE,
    "says": LINE,
    "schedule": LINE,
    "zone": LINE,
    "missed": one_of("run", "skip"),
    "event": one_of("file", "mail", "calendar"),
    "folder": PATH,
    "pattern": LINE,
    "minutes_before": number(0, _YEAR),
    "generator": LINE,
    "cooldown_minutes": number(0, _YEAR),
    "lines": TEXT,
    "words": TEXT,
}
NEEDS: Mapping[str, tuple[str, str]] = {
    "zone": ("schedule", ""),
    "missed": ("schedule", ""),
    "folder": ("event", "file"),
    "pattern": ("event", "file"),
    "minutes_before": ("event", "calendar"),
}
"""Keys that are allowed only together with another key, and the value that this other key must have, if any."""


def triggers_in(content: Json, where: str) -> tuple[Trigger, ...]:
    """Read the list of triggers. Raises `SetupError` that names the trigger and the key."""
    return _named(content, "trigger", _trigger, where)


def _trigger(item: Json, what: str, where: str) -> Trigger:
    if not isinstance(item, Mapping):
        raise SetupError(f"{what} must be a table; found {describe_found(item)} ({where})", "config.value")
    table = cast("Mapping[str, Json]", item)
    if isinstance(table.get("name"), str):
        what = f"trigger “{table['name']}”"
    for key in table:
        if key not in KINDS:
            raise SetupError(f"{what} has no “{key}”; it takes {', '.join(KINDS)} ({where})", "config.unknown")
    for key in ("name", "says"):
        if key not in table:
            raise SetupError(f"{what} needs “{key}” ({where})", "config.value")
    values: dict[str, Any] = {key: _read_triggers(what, key, value, where) for key, value in table.items()}
    _must_make_sense(values, what, where)
    return Trigger(**values)


def _read_triggers(what: str, key: str, value: Json, where: str) -> Json:
    try:
        return KINDS[key].read(value)
    except NotOfKind:
        raise SetupError(
            f"“{key}” of {what} must be {KINDS[key].expects}; found {describe_found(value)} ({where})", "config.value"
        ) from None


def _must_make_sense(values: Mapping[str, Json], what: str, where: str) -> None:
    whens = [key for key in ("schedule", "event", "generator") if key in values]
    deeds = [key for key in ("lines", "words") if key in values]
    if len(whens) > 1:
        raise SetupError(f"{what} has {' and '.join(whens)}; one of them is enough ({where})", "config.value")
    if len(deeds) > 1 or not (deeds or whens == ["generator"]):
        raise SetupError(f"{what} needs either “lines” to run or “words” for a model ({where})", "config.value")
    for key, (beside, value) in NEEDS.items():
        if key in values and (beside not in values or value not in {"", values[beside]}):
            meant = f"{beside} = “{value}”" if value else f"“{beside}”"
            raise SetupError(f"“{key}” of {what} means something only beside {meant} ({where})", "config.value")
    if values.get("event") == "file" and "folder" not in values:
        raise SetupError(f"{what} waits for a file and needs “folder” ({where})", "config.value")
