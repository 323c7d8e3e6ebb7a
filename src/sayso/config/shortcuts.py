"""Read the person's own named commands: `[shortcuts.NAME]` with an argument list (T-24, T-25)."""

from collections.abc import Mapping
from typing import cast

from sayso.config.kinds import COMMAND, NotOfKind, ValueKind, found, number, one_of
from sayso.core.canonical import Json
from sayso.core.errors import SetupError

_MOST_SECONDS = 86400
_KINDS: Mapping[str, ValueKind] = {
    "argv": COMMAND,
    "input": one_of("stdin", "file"),
    "seconds": number(1, _MOST_SECONDS),
}


def shortcuts_in(tables: Mapping[str, Json], where: str) -> Mapping[str, Json]:
    """Read all shortcuts. Raises `SetupError` naming shortcut and key."""
    return {name: _shortcut(name, table, where) for name, table in tables.items()}


def _shortcut(name: str, item: Json, where: str) -> Mapping[str, Json]:
    if not name.strip() or not name.isprintable():
        raise SetupError(f"a shortcut needs a name of one line ({where})", "config.value")
    if not isinstance(item, Mapping):
        raise SetupError(
            f"a shortcut is written [shortcuts.“{name}”] with argv; found {found(item)} ({where})", "config.value"
        )
    table = cast("Mapping[str, Json]", item)
    for key in table:
        if key not in _KINDS:
            raise SetupError(
                f"shortcut “{name}” has no “{key}”; it takes {', '.join(_KINDS)} ({where})", "config.unknown"
            )
    if not table.get("argv"):
        raise SetupError(f"shortcut “{name}” needs argv, {COMMAND.expects} ({where})", "config.value")
    return {key: _read(name, key, value, where) for key, value in table.items()}


def _read(name: str, key: str, value: Json, where: str) -> Json:
    try:
        return _KINDS[key].read(value)
    except NotOfKind:
        raise SetupError(
            f"“{key}” of shortcut “{name}” must be {_KINDS[key].expects}; found {found(value)} ({where})",
            "config.value",
        ) from None
