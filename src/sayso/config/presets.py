"""Read the person's window layouts: `[[preset]]` with a name and a list of placements (T-101)."""

from collections.abc import Mapping
from typing import Literal, cast

from sayso.config.kinds import FLAG, LINE, NotOfKind, ValueKind, found, one_of
from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.core.values import dataclass

Monitor = Literal["main", "left", "right"]
SIDES = 4
"""Left, top, right, bottom."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where one application goes; `launch` None leaves it to the operation."""

    app_name: str
    monitor: Monitor | None = None
    bounds: tuple[int, int, int, int] | None = None
    launch: bool | None = None


@dataclass(frozen=True, slots=True)
class Preset:
    """One layout, by name."""

    name: str
    placements: tuple[Placement, ...]


def presets_in(content: Json, where: str) -> tuple[Preset, ...]:
    """Read the list of presets. Raises `SetupError` naming preset and key."""
    if not isinstance(content, list):
        raise SetupError(f"presets are written [[preset]]; found {found(content)} ({where})", "config.value")
    presets = [_preset(item, f"preset {number}", where) for number, item in enumerate(cast("list[Json]", content), 1)]
    names = [preset.name.casefold() for preset in presets]
    for preset in presets:
        if names.count(preset.name.casefold()) > 1:
            raise SetupError(f"two presets are called “{preset.name}” ({where})", "config.value")
    return tuple(presets)


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
        raise SetupError(f"{what} must be a table; found {found(item)} ({where})", "config.value")
    table = cast("Mapping[str, Json]", item)
    for name in table:
        if name not in names:
            raise SetupError(f"{what} has no “{name}”; it takes {', '.join(names)} ({where})", "config.unknown")
    return table


def _read(  # noqa: PLR0913 - what is read and how it is called when it is wrong
    table: Mapping[str, Json], name: str, kind: ValueKind, what: str, where: str, *, needed: bool = True
) -> Json:
    if name not in table and not needed:
        return None
    try:
        return kind.read(table.get(name))
    except NotOfKind:
        shown = found(table[name]) if name in table else "nothing"
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
