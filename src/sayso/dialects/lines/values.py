"""One argument as a word of a line: read by the type its operation gives it, and written so that it reads back."""

import json
import re
from collections.abc import Mapping
from typing import Literal, cast, get_args, get_origin

from sayso.core.canonical import Json
from sayso.core.operation import Parameter
from sayso.core.values import dataclass
from sayso.dialects.lines.scan import Word
from sayso.dialects.strict import NotStrict, strict_json

_WHOLE = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_BLANK = re.compile(r"[ \t]")
_TRUTH: Mapping[str, Json] = {"true": True, "false": False}


def kinds(parameter: Parameter) -> frozenset[str]:
    """Return the JSON types a parameter takes: `string`, `integer`, `number`, `boolean`, `array`, `object`."""
    return frozenset(_kinds(parameter.schema) - {"null"})


def _kinds(schema: Mapping[str, Json]) -> set[str]:
    if "anyOf" in schema:
        options = cast("list[Mapping[str, Json]]", schema["anyOf"])
        return {kind for option in options for kind in _kinds(option)}
    if "enum" in schema:
        texts = all(isinstance(item, str | None) for item in cast("list[Json]", schema["enum"]))
        return {"string" if texts else "integer"}
    return {str(schema.get("type", "object"))}


def choices(parameter: Parameter) -> tuple[str, ...]:
    """Return the words a parameter is one of, in the order of its declaration; empty when any text will do."""
    found = _choices(parameter.type)
    return found if "string" in kinds(parameter) else ()


def _choices(hint: object) -> tuple[str, ...]:
    if get_origin(hint) is Literal:
        return tuple(str(item) for item in get_args(hint) if item is not None)
    return next((found for part in get_args(hint) if (found := _choices(part))), ())


@dataclass(frozen=True, slots=True)
class Taken:
    """What a parameter takes, worked out once for all words that are read for it."""

    parameter: Parameter
    kinds: frozenset[str]


def taken(parameter: Parameter) -> Taken:
    """Return what a parameter takes."""
    return Taken(parameter, kinds(parameter))


def read(takes: Taken, word: Word) -> Json:
    """Return what a word means as a value of a parameter; what it cannot mean stays text, for the door to refuse.

    A list or an object is JSON without blanks (`[2,5,8]`, `["a","b"]`), or JSON inside quotes; a list may
    also be given as its only item.
    """
    parameter, known, text = takes.parameter, takes.kinds, word.text
    if "string" in known:
        return text
    if "boolean" in known and text in _TRUTH:
        return _TRUTH[text]
    if known & {"integer", "number"}:
        return _number(text, whole="number" not in known)
    if known & {"array", "object"}:
        return _structure(parameter, word, lists="array" in known)
    return text


def _number(text: str, *, whole: bool) -> Json:
    try:
        if _WHOLE.fullmatch(text):
            return int(text)
        return text if whole or not _NUMBER.fullmatch(text) else strict_json(text)
    except ValueError:  # digits by the thousand, or more of them than a number keeps
        return text


def _structure(parameter: Parameter, word: Word, *, lists: bool) -> Json:
    written = word.text if word.quoted else word.raw
    try:
        if written.startswith("[" if lists else "{"):
            return strict_json(written)
    except NotStrict:
        return word.text
    return [_item(parameter, word.text)] if lists else word.text


def _item(parameter: Parameter, text: str) -> Json:
    options = cast("list[Mapping[str, Json]]", parameter.schema.get("anyOf", [parameter.schema]))
    items = [_kinds(cast("Mapping[str, Json]", option["items"])) for option in options if "items" in option]
    return _number(text, whole=True) if items == [{"integer"}] else text


def write(value: Json) -> str:
    """Return the word that stands for a value."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple | Mapping):
        written = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)
        return quoted(written) if _BLANK.search(written) else written
    return str(value)


def quoted(text: str) -> str:
    """Return a text in double quotes, with the escapes of T-02."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{text}"'
