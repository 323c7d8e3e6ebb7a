"""The schema of an operation's arguments: JSON Schema made from type hints, and strict parsing with that schema."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar, cast

import msgspec
from msgspec import Meta

from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.lazy import load

LONGEST_LINE = 2000
"""The maximum length of a line in characters."""

Check = Callable[[str, Any], None]
"""Raises `ProposalError` if a value is wrong; the first argument is the name of the value."""


def check_when(name: str, value: Any) -> None:
    """Raise `ProposalError` for a text that is no date, and for a day or time that does not exist; nothing for None."""
    if isinstance(value, str):
        load("sayso.core.datetimes:check_when")(name, value)


# `Meta.extra["kind"]` names further checks of a text, beyond its schema (`text_problem`); `Meta.extra["check"]` is a
# `Check` of the whole value. A text that must not be empty must not be blank either (`is_blank`).
UserPath = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=4096,
        description="A path that is absolute or starts with ~/.",
        extra={"kind": "path"},
    ),
]
Line = Annotated[
    str, Meta(min_length=1, max_length=LONGEST_LINE, description="One line of text.", extra={"kind": "line"})
]
AnyLine = Annotated[
    str, Meta(max_length=LONGEST_LINE, description="One line of text, may be empty.", extra={"kind": "line"})
]
Text = Annotated[str, Meta(description="Text of any length.", extra={"kind": "text"})]
When = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=40,
        description="YYYY-MM-DD HH:MM in local time, YYYY-MM-DD, or ISO 8601.",
        extra={"kind": "when", "check": check_when},
    ),
]
Url = Annotated[
    str, Meta(min_length=1, max_length=8192, description="A web address or a known site name.", extra={"kind": "line"})
]
Index = Annotated[int, Meta(ge=1, description="A number counting from 1.")]
Ids = Annotated[list[Line], Meta(min_length=1, max_length=5000, description="Ids, at least one.")]

Kind = Literal["read", "write", "destructive", "external"]
Asks = Literal["none", "mode", "floor", "click"]

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_BREAKS = re.compile("[\t\n\r\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ANY_OF_THESE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_VARIABLE = re.compile(r"/\$[\w{]")
_UNSEEN = ("C", "Z")
_LIKE_BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_A_VARIABLE = "names a variable; nothing is expanded but a leading ~"


def text_problem(value: str, kind: str) -> str | None:
    """Return what is wrong with a text of kind `path`, `line`, `when` or `text`; None if it is valid (T-17, PA-03)."""
    if not _ANY_OF_THESE.search(value):
        return _path_problem(value) if kind == "path" else None
    wrong = surrogate_problem(value)
    if wrong is not None:
        return wrong
    found = _CONTROL.search(value)
    if found or (kind != "text" and (found := _BREAKS.search(value))):
        return f"holds a control character (U+{ord(found.group()):04X}); write it without"
    return None


def surrogate_problem(value: str) -> str | None:
    """Return the problem if a text contains a lone surrogate, which UTF-8 cannot encode; otherwise None."""
    if not _SURROGATE.search(value):
        return None
    return "holds half of a character pair (a lone surrogate), which no file or mail can carry"


def is_blank(text: str) -> bool:
    """Return whether a text has no character that can be seen."""
    return all(char in _LIKE_BLANKS or unicodedata.category(char)[0] in _UNSEEN for char in text)


def check_of(hint: Any) -> Check | None:
    """Return the check that a type hint names, as in `Annotated[When | None, …]`, or None."""
    for meta in getattr(hint, "__metadata__", ()):
        if isinstance(meta, Meta) and meta.extra and "check" in meta.extra:
            return cast("Check", meta.extra["check"])
    return next((check for part in getattr(hint, "__args__", ()) if (check := check_of(part))), None)


def text_kind(hint: Any) -> str:
    """Return the kind of text that a type hint names at any depth, as in `Annotated[Text | None, …]`, or ""."""
    for meta in getattr(hint, "__metadata__", ()):
        if isinstance(meta, Meta) and meta.extra and "kind" in meta.extra:
            return str(meta.extra["kind"])
    return next((kind for part in getattr(hint, "__args__", ()) if (kind := text_kind(part))), "")


def _path_problem(value: str) -> str | None:
    if value.startswith(("/", "~/")) or value in {"", "~"}:
        return _A_VARIABLE if _VARIABLE.search(value) else None
    if value.lower().startswith("file:"):
        return "is an address; write a path that is absolute or starts with ~/"
    if value.startswith("~"):
        return "names another person's home; write a path that is absolute or starts with ~/"
    if _VARIABLE.search("/" + value):
        return _A_VARIABLE
    return "is relative; write a path that is absolute or starts with ~/"


def describe_expected(schema: Mapping[str, Json]) -> str:
    """Describe the values of this JSON Schema in words, such as “a whole number from 0 to 100”."""
    if "enum" in schema:
        return "one of " + ", ".join(str(item) for item in cast("list[Json]", schema["enum"]))
    if "anyOf" in schema:
        options = cast("list[Mapping[str, Json]]", schema["anyOf"])
        return " or ".join(describe_expected(option) for option in options if option.get("type") != "null")
    match schema.get("type"):
        case "integer":
            return "a whole number" + _range(schema)
        case "number":
            return "a number" + _range(schema)
        case "boolean":
            return "true or false"
        case "array":
            return _list(schema)
        case "object":
            return "an object"
        case _:
            return _text(schema)


def choices(schema: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the words that this JSON Schema permits; none if it also permits other texts."""
    options = cast("list[Mapping[str, Json]]", schema.get("anyOf", [schema]))
    if any(option.get("type") == "string" for option in options):
        return ()
    named = [item for option in options for item in cast("list[Json]", option.get("enum", []))]
    return tuple(item for item in named if isinstance(item, str))


def match_choice(text: str, among: tuple[str, ...]) -> str:
    """Return the choice that equals `text` except for case (T-10), or `text` if there is not exactly one."""
    meant = [choice for choice in among if choice.lower() == text.lower()]
    return meant[0] if len(meant) == 1 and text.isascii() else text


def _text(schema: Mapping[str, Json]) -> str:
    words = "a text" if not schema.get("minLength") else "a text that is not empty"
    return words + (f", at most {schema['maxLength']} characters" if "maxLength" in schema else "")


def _list(schema: Mapping[str, Json]) -> str:
    low, high = schema.get("minItems"), schema.get("maxItems")
    each = f", each {describe_expected(cast('Mapping[str, Json]', schema['items']))}" if "items" in schema else ""
    if low is not None and low == high:
        return f"a list of exactly {low}{each}"
    size = (", not empty" if low else "") + (f", at most {high} long" if high is not None else "")
    return f"a list{size}{each}"


def _range(schema: Mapping[str, Json]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    above = schema.get("exclusiveMinimum")
    if above is not None:
        return f" above {above}" + (f" and at most {high}" if high is not None else "")
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f" of at least {low}"
    return "" if high is None else f" of at most {high}"


S = TypeVar("S", bound=msgspec.Struct)


def members_of(struct: type[msgspec.Struct]) -> dict[str, Json]:
    """Return the members of a struct as part of a JSON Schema, for `Meta(extra_json_schema=…)`."""
    whole = msgspec.json.schema(struct)
    schema = cast("dict[str, dict[str, Json]]", whole["$defs"])[struct.__name__]
    return {
        "properties": schema["properties"],
        "required": schema["required"],
        "additionalProperties": False,
    }


def read_object(argument: str, given: Mapping[str, Json], struct: type[S]) -> S:
    """Parse the argument `argument` into `struct`. Raises `ProposalError` for an unknown key or an invalid value."""
    fields = {field.encode_name: field for field in msgspec.structs.fields(struct)}
    members = cast("dict[str, dict[str, Json]]", members_of(struct)["properties"])
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in fields:
            taken = ", ".join(fields)
            raise ProposalError(f"“{argument}” does not take “{name[:80]}”; it takes {taken}", "arguments.unknown")
        values[fields[name].name] = _value(f"{argument}.{name}", value, fields[name].type, members[name])
    for field in fields.values():
        if field.required and field.name not in values:
            raise ProposalError(f"“{argument}” needs “{field.encode_name}”", "arguments.missing")
    return struct(**values)


def _value(name: str, value: Json, hint: Any, schema: Mapping[str, Json]) -> Any:
    if isinstance(value, str) and (kind := text_kind(hint)):
        wrong = text_problem(value, kind)
        if wrong is not None:
            raise ProposalError(f"“{name}” {wrong}", "arguments.characters")
        if value and "minLength" in str(schema) and is_blank(value):
            raise ProposalError(f"“{name}” must be a text that is not only blanks", "arguments.type")
    try:
        read = msgspec.convert(value, hint, strict=True)
    except ValueError as wrong:  # msgspec raises other errors too, if it cannot quote the value
        raise ProposalError(f"“{name}” must be {describe_expected(schema)}", "arguments.type") from wrong
    check = check_of(hint)
    if check is not None:
        check(name, read)
    return read
