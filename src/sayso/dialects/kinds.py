"""Say in a few signs what a value must be, from its schema: `[whole number, …]`, `{"from"?: text, …}`."""

from collections.abc import Mapping
from typing import cast

from sayso.core.canonical import Json

_WORDS = {"integer": "whole number", "number": "number", "boolean": "true | false"}


def kind(schema: Mapping[str, Json]) -> str:
    """Return it for a value of this schema; what is neither number, list nor object is a text."""
    if "enum" in schema:
        return " | ".join(f'"{item}"' for item in cast("list[Json]", schema["enum"]) if item is not None)
    if "anyOf" in schema:
        options = cast("list[Mapping[str, Json]]", schema["anyOf"])
        return " | ".join(kind(option) for option in options if option.get("type") != "null")
    if schema.get("type") == "array":
        items, count = kind(cast("Mapping[str, Json]", schema.get("items", {}))), schema.get("minItems")
        exact = isinstance(count, int) and count == schema.get("maxItems")
        return "[" + ", ".join([items] * cast("int", count)) + "]" if exact else f"[{items}, …]"
    if schema.get("type") == "object":
        return members(schema) or "object"
    return _WORDS.get(str(schema.get("type")), "text")


def choices(schema: Mapping[str, Json]) -> str:
    """Return the words that a value may be, where it is one of a few; else nothing."""
    options = cast("list[Mapping[str, Json]]", schema.get("anyOf", ()))
    return kind(schema) if any("enum" in option for option in (schema, *options)) else ""


def members(schema: Mapping[str, Json]) -> str:
    """Return the members of an object that has named ones, a `?` after those that may be left out; else nothing."""
    for option in cast("list[Mapping[str, Json]]", schema.get("anyOf", ())):
        if found := members(option):
            return found
    properties = cast("Mapping[str, Mapping[str, Json]]", schema.get("properties", {}))
    required = cast("list[str]", schema.get("required", []))
    named = [f'"{name}"{"" if name in required else "?"}: {kind(value)}' for name, value in properties.items()]
    return "{" + ", ".join(named) + "}" if named else ""
