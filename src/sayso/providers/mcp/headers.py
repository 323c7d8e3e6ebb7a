"""Arguments that a server at an address wants repeated as headers of the request, marked `x-mcp-header` in its schema.

The rules are those of the revision 2026-07-28 of the protocol.
"""

import base64
import string
from collections.abc import Iterator, Mapping
from typing import cast

from sayso.core.encoding import Json

MARK = "x-mcp-header"
BEGINS = "Mcp-Param-"
_NAME = frozenset(string.ascii_letters + string.digits + "!#$%&'*+-.^_`|~")
_PLAIN = frozenset(map(chr, range(0x20, 0x7F)))
_KINDS = frozenset({"string", "integer", "boolean"})
_VALUES = frozenset({"default", "const", "enum", "examples"})
"""Members of a schema that hold values, in which nothing is marked."""
Path = tuple[str, ...]


def why_not(schema: Json) -> str:
    """Return why the marks in the schema of a tool cannot be followed; empty if they can."""
    names: set[str] = set()
    for path, marked in _marked(schema, ()):
        name = marked[MARK]
        if path is None:
            return "it marks an argument for a header where none can be found"
        if not isinstance(name, str) or not name or not _NAME.issuperset(name):
            return "it marks an argument for a header with no usable name"
        if name.lower() in names:
            return "it marks two arguments for one header"
        if marked.get("type") not in _KINDS:
            return "it marks an argument for a header that is no text, whole number or truth value"
        names.add(name.lower())
    return ""


def headers_of(schema: Json, arguments: Json) -> dict[str, str]:
    """Return the headers that repeat arguments; what is absent, null or no plain value has none."""
    found: dict[str, str] = {}
    for path, marked in _marked(schema, ()):
        value = _at(arguments, path or ())
        if isinstance(value, str | int):
            text = value if isinstance(value, str) else str(value).lower()
            found[f"{BEGINS}{marked[MARK]}"] = encoded(text)
    return found


def encoded(text: str) -> str:
    """Return a text as the value of a header: as it is, or in base64 if it would not arrive so."""
    taken = text.startswith("=?base64?") and text.endswith("?=")
    if text == text.strip(" ") and _PLAIN.issuperset(text) and not taken:
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def _marked(schema: Json, path: Path | None) -> Iterator[tuple[Path | None, Mapping[str, Json]]]:
    """Yield each marked schema with the names that lead to it; None if not only names of arguments lead there."""
    if isinstance(schema, list):
        for one in cast("list[Json]", schema):
            yield from _marked(one, None)
    if not isinstance(schema, Mapping):
        return
    members = cast("Mapping[str, Json]", schema)
    if MARK in members:
        yield path or None, members
    for key, value in members.items():
        if key == "properties" and isinstance(value, Mapping):
            for name, one in cast("Mapping[str, Json]", value).items():
                yield from _marked(one, None if path is None else (*path, name))
        elif key != MARK and key not in _VALUES:
            yield from _marked(value, None)


def _at(value: Json, path: Path) -> Json:
    for name in path:
        value = cast("Mapping[str, Json]", value).get(name) if isinstance(value, Mapping) else None
    return value
