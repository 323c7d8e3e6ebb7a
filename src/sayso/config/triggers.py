"""Read what starts automations: `[[trigger]]` with a name, when it fires, and what it runs (S0-03)."""

from collections.abc import Mapping
from typing import Any, cast

from sayso.config.kinds import LINE, PATH, NotOfKind, ValueKind, found, number, one_of
from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.core.triggers import Trigger

_YEAR = 366 * 24 * 60
"""Minutes."""


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
"""Keys that mean something only beside another one, and what that must be."""


def triggers_in(content: Json, where: str) -> tuple[Trigger, ...]:
    """Read the list of triggers. Raises `SetupError` naming trigger and key."""
    if not isinstance(content, list):
        raise SetupError(f"triggers are written [[trigger]]; found {found(content)} ({where})", "config.value")
    triggers = [
        _trigger(item, f"trigger {number}", where) for number, item in enumerate(cast("list[Json]", content), 1)
    ]
    names = [trigger.name.casefold() for trigger in triggers]
    for trigger in triggers:
        if names.count(trigger.name.casefold()) > 1:
            raise SetupError(f"two triggers are called “{trigger.name}” ({where})", "config.value")
    return tuple(triggers)


def _trigger(item: Json, what: str, where: str) -> Trigger:
    if not isinstance(item, Mapping):
        raise SetupError(f"{what} must be a table; found {found(item)} ({where})", "config.value")
    table = cast("Mapping[str, Json]", item)
    if isinstance(table.get("name"), str):
        what = f"trigger “{table['name']}”"
    for key in table:
        if key not in KINDS:
            raise SetupError(f"{what} has no “{key}”; it takes {', '.join(KINDS)} ({where})", "config.unknown")
    for key in ("name", "says"):
        if key not in table:
            raise SetupError(f"{what} needs “{key}” ({where})", "config.value")
    values: dict[str, Any] = {key: _read(what, key, value, where) for key, value in table.items()}
    _must_make_sense(values, what, where)
    return Trigger(**values)


def _read(what: str, key: str, value: Json, where: str) -> Json:
    try:
        return KINDS[key].read(value)
    except NotOfKind:
        raise SetupError(
            f"“{key}” of {what} must be {KINDS[key].expects}; found {found(value)} ({where})", "config.value"
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
