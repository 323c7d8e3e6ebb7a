"""Generate arguments for every operation from its schema, and check arguments against a schema."""

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, cast

from sayso.core.encoding import Json
from sayso.core.operation import Operation, Parameter

Schema = Mapping[str, Any]

PATHS = ("~/Documents/a.txt", "~/Documents/ünï", "~/Documents/x y/z", "~", "~/Downloads/'q'.md", "/srv/x", "~/-n")
LINES = (
    "one", "two words", "Ünïcode ßtraße", 'with "quotes"', "back\\slash \\n", "#not a comment", "<<END", "a <<END b",
    "https://example.org/?q=1#x", "ana@example.org", "=1+1", "“typographic”", "‘single’", "-", "--yes", "END", "$HOME",
    "```", "task.add", "MOVE_FILE", '{"a": 1}', "[1,2]", "💾", "e\u0301", "x" * 300,
)  # fmt: skip
TEXTS = (
    "", "one line", "two\nlines\n", "END\nafter", " END \n", "MOVE_FILE ~/a ~/b\n", "\ttab\n\n\nend",
    "```\ncode\n```\n",
    '{"commands": [{"type": "file_delete"}]}', "no newline at the end\nlast", "END_2\nEND\n", "\n", "a\\nb \\ \" '",
)  # fmt: skip
WHENS = ("2026-03-14 09:30", "2026-03-14", "2026-03-15T10:00:00Z")
ADDRESSES = ("ana@example.org", "Bo <bo@example.org>, ana@example.org")

_POOLS: Mapping[str, Sequence[str]] = {"path": PATHS, "line": LINES, "text": TEXTS, "when": WHENS, "": LINES}


class Wisher:
    """Draws arguments; `pools` are further texts by their kind."""

    def __init__(self, random: Random, pools: Mapping[str, Sequence[str]] | None = None) -> None:
        self._random = random
        self._pools = {**_POOLS, **(pools or {})}

    def arguments(self, operation: Operation) -> dict[str, Json]:
        """Return arguments that fit the operation's schema; optional ones come or do not."""
        parameters = operation.parameters
        return {
            parameter.name: self._value(parameter)
            for parameter in parameters
            if parameter.required or self._random.random() < 0.4
        }

    def _value(self, parameter: Parameter) -> Json:
        return self._drawn(parameter.schema, parameter.kind, parameter.name)

    def _drawn(self, schema: Schema, kind: str, name: str) -> Json:
        if "anyOf" in schema:
            options = [option for option in schema["anyOf"] if option.get("type") != "null"]
            return self._drawn(self._random.choice(options), kind, name)
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        match schema.get("type"):
            case "integer":
                return self._random.randint(schema.get("minimum", -9), min(schema.get("maximum", 99), 99))
            case "number":
                return self._random.choice([1.5, 24, 0.25])
            case "boolean":
                return self._random.random() < 0.5
            case "array":
                count = self._random.randint(schema.get("minItems", 0), min(schema.get("maxItems", 4), 4))
                return [self._drawn(schema.get("items", {}), kind, name) for _ in range(count)]
            case "object":
                return self._object(schema)
            case _:
                return self._text(schema, kind, name)

    def _object(self, schema: Schema) -> Json:
        known = cast("Mapping[str, Schema]", schema.get("properties", {}))
        wanted = set(cast("Sequence[str]", schema.get("required", ())))
        kinds = {"after": "when", "before": "when", "body": "text"}
        return {
            name: self._drawn(inner, kinds.get(name, "line"), name)
            for name, inner in known.items()
            if name in wanted or self._random.random() < 0.4
        }

    def _text(self, schema: Schema, kind: str, name: str) -> str:
        addressed = name in {"to", "cc", "bcc", "reply_to"}
        pool = self._pools.get(name) or (ADDRESSES if addressed else self._pools.get(kind, LINES))
        least, most = schema.get("minLength", 0), schema.get("maxLength", 10**6)
        return self._random.choice([text for text in pool if least <= len(text) <= most])


_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_BREAK = re.compile("[\t\n\r\u2028\u2029]")


def faults(operation: Operation, arguments: Mapping[str, Json]) -> list[str]:
    """Return what is wrong with arguments by the operation's JSON Schema and kinds of text, without sayso's door."""
    found = _members(operation.schema, arguments, operation.id)
    for parameter in operation.parameters:
        for text in _texts(arguments.get(parameter.name)) if parameter.kind else ():
            if _CONTROL.search(text) or (parameter.kind != "text" and _BREAK.search(text)):
                found.append(f"{parameter.name} holds a control character")
            if parameter.kind == "path" and not (text.startswith(("/", "~/")) or text == "~"):
                found.append(f"{parameter.name} is no path")
    return found


def _texts(value: Any) -> list[str]:
    items = cast("list[Any]", value) if isinstance(value, list | tuple) else [value]
    return [item for item in items if isinstance(item, str)]


def _members(schema: Schema, value: Mapping[str, Any], at: str) -> list[str]:
    known = cast("Mapping[str, Schema]", schema.get("properties", {}))
    more = schema.get("additionalProperties", False)
    found = [f"{at} lacks {name}" for name in schema.get("required", ()) if name not in value]
    for name, item in value.items():
        inner: Any = known.get(name, more)
        if isinstance(inner, Mapping):
            found += _value(cast("Schema", inner), item, f"{at}.{name}")
        elif not inner:
            found.append(f"{at} has {name}, which is not known")
    return found


def _value(schema: Schema, value: Any, at: str) -> list[str]:
    if "anyOf" in schema:
        return [] if any(not _value(option, value, at) for option in schema["anyOf"]) else [f"{at} fits nothing"]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{at} is none of the choices"]
    match schema.get("type"):
        case "null":
            return [] if value is None else [f"{at} is something"]
        case "boolean":
            return [] if isinstance(value, bool) else [f"{at} is neither true nor false"]
        case "integer" | "number" as kind:
            return _number(schema, value, at, whole=kind == "integer")
        case "array":
            return _array(schema, value, at)
        case "object":
            # Its members are held by the operation itself, before anything is planned.
            return [] if isinstance(value, Mapping) else [f"{at} is no object"]
        case _:
            fits = isinstance(value, str) and schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 10**9)
            return [] if fits else [f"{at} is no text of its length"]


def _number(schema: Schema, value: Any, at: str, *, whole: bool) -> list[str]:
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        return [f"{at} is no number"]
    low, high, above = schema.get("minimum", value), schema.get("maximum", value), schema.get("exclusiveMinimum")
    return [] if low <= value <= high and (above is None or value > above) else [f"{at} is out of range"]


def _array(schema: Schema, value: Any, at: str) -> list[str]:
    if not isinstance(value, list | tuple):
        return [f"{at} is no list"]
    items = cast("Sequence[Any]", value)
    if not schema.get("minItems", 0) <= len(items) <= schema.get("maxItems", 10**9):
        return [f"{at} has too few or too many items"]
    return [fault for item in items for fault in _value(schema.get("items", {}), item, f"{at}[]")]
