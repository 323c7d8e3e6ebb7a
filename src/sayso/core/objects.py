"""An argument that is an object: its schema from a struct, and its strict reading into that struct."""

from collections.abc import Mapping
from typing import Any, TypeVar, cast, get_args

import msgspec

from sayso.core.arguments import expected, text_problem
from sayso.core.canonical import Json
from sayso.core.errors import ProposalError

S = TypeVar("S", bound=msgspec.Struct)


def members_of(struct: type[msgspec.Struct]) -> dict[str, Json]:
    """Return the part of a JSON Schema that names the struct's members, for `Meta(extra_json_schema=…)`."""
    whole = msgspec.json.schema(struct)
    schema = cast("dict[str, dict[str, Json]]", whole["$defs"])[struct.__name__]
    return {
        "properties": schema["properties"],
        "required": schema["required"],
        "additionalProperties": False,
    }


def read_object(argument: str, given: Mapping[str, Json], struct: type[S]) -> S:
    """Read the argument `argument` into `struct`. Raises `ProposalError` for any key or value that is not of it."""
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
    if isinstance(value, str) and (kind := _kind(hint)):
        wrong = text_problem(value, kind)
        if wrong is not None:
            raise ProposalError(f"“{name}” {wrong}", "arguments.characters")
    try:
        return msgspec.convert(value, hint, strict=True)
    except (msgspec.ValidationError, UnicodeError, OverflowError) as wrong:
        raise ProposalError(f"“{name}” must be {expected(schema)}", "arguments.type") from wrong


def _kind(hint: Any) -> str:
    for part in (hint, *get_args(hint)):
        for meta in getattr(part, "__metadata__", ()):
            if isinstance(meta, msgspec.Meta) and meta.extra:
                return str(meta.extra.get("kind", ""))
    return ""
