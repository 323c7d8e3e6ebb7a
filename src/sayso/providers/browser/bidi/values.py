"""A script's value as text: a text as it is, nothing as nothing, all else as JSON or as the browser describes it."""

import json
from typing import Any, cast

from sayso.core.canonical import Json
from sayso.providers.browser.bidi.said import Value

PLAIN = frozenset({"string", "boolean", "date"})
LISTS = frozenset({"array", "set", "nodelist", "htmlcollection"})
PAIRS = frozenset({"object", "map"})


def as_text(value: Value) -> str:
    """Return a value as text."""
    match value.type:
        case "undefined":
            return ""
        case "string" | "date":
            return str(value.value)
        case "bigint":
            return f"{value.value}n"
        case "number" if isinstance(value.value, str):
            return value.value
        case "null" | "boolean" | "number" | "array" | "object" | "map" | "set":
            return json.dumps(_plain({"type": value.type, "value": value.value}), ensure_ascii=False)
        case _:
            return _described(value.type, value.value)


def _plain(told: dict[str, Any]) -> Json:
    """Return what a value within another is in JSON."""
    kind, value = str(told.get("type", "")), told.get("value")
    if kind in LISTS and isinstance(value, list):
        return [_plain(each) for each in cast("list[dict[str, Any]]", value)]
    if kind in PAIRS and isinstance(value, list):
        return {_key(key): _plain(each) for key, each in cast("list[tuple[Any, dict[str, Any]]]", value)}
    if kind in PLAIN:
        return cast("Json", value)
    if kind == "number":
        return None if isinstance(value, str) else cast("Json", value)
    if kind in {"null", "undefined"}:
        return None
    return f"{value}n" if kind == "bigint" else _described(kind, value)


def _key(key: str | dict[str, Any]) -> str:
    return key if isinstance(key, str) else str(_plain(key))


def _described(kind: str, value: object) -> str:
    if kind == "regexp" and isinstance(value, dict):
        told = cast("dict[str, str]", value)
        return f"/{told.get('pattern', '')}/{told.get('flags', '')}"
    return f"[{kind}]"
