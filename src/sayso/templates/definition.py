"""What an action of the person's own says of itself: its `config`, read strictly."""

from collections.abc import Mapping, Sequence
from math import isfinite
from types import MappingProxyType
from typing import Annotated, Any, Literal, cast

import msgspec
from msgspec import Meta

from sayso.core.arguments import Line, Text, text_problem
from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.core.values import dataclass
from sayso.providers.talk.parameters import Parameter, Type, checked
from sayso.templates.complaints import worded

Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}\Z")]
_RULES: Mapping[str, str] = MappingProxyType(
    {
        "config.id": "it is made of letters, digits, “_”, “.” and “-”",
        "config.parameterSchema.type": "it is always “object”",
        ".type": "it is one of string, number, integer, boolean, array, object",
    }
)


class _Property(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    type: Type
    description: str = ""
    enum: list[Any] | None = None
    default: Any = None
    secret: bool = False


class _Schema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    type: Literal["object"]
    properties: dict[str, _Property] = msgspec.field(default_factory=dict[str, _Property])
    required: list[str] = msgspec.field(default_factory=list[str])


class _Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    id: Id
    name: Line
    description: Text
    parameter_schema: _Schema
    icon: str = ""


@dataclass(frozen=True)
class Template:
    """One action of the person's own: its file, what it says of itself, and all the code it stands on."""

    file: str
    """The name of its file in the folder."""
    id: str
    name: str
    description: str
    icon: str
    parameters: tuple[Parameter, ...]
    secret: tuple[str, ...]
    """Parameters whose values are not kept in the log."""
    source: str
    helpers: Mapping[str, str]
    """By module name, the files beside it whose names begin with `_`."""
    code: str
    """The hash of its file and of the helpers: an approval is bound to it."""

    def held(self, given: Mapping[str, Json]) -> dict[str, Json]:
        """Return the parameters as the handler gets them. Raises `SetupError` that names all that is wrong (S3-64)."""
        full, problems = checked(self.parameters, given)
        if problems:
            reasons = ", ".join(problem.sentence for problem in problems)
            raise SetupError(f"Invalid parameters: {reasons}", problems[0].code)
        return full


def configured(file: str, config: object) -> tuple[_Config, tuple[Parameter, ...]]:
    """Return what a `config` says. Raises `SetupError` with one sentence that names the file and the field."""
    try:
        read = msgspec.convert(config, _Config, strict=True)
    except msgspec.ValidationError as wrong:
        raise _bad(file, worded(str(wrong), "config", _RULES)) from None
    for field in ("name", "description", "icon"):
        wrong = text_problem(getattr(read, field), "text" if field == "description" else "line")
        if wrong is not None:
            raise _bad(file, f"“{field}” {wrong}")
    schema = read.parameter_schema
    for name in schema.required:
        if name not in schema.properties:
            raise _bad(file, f"“parameterSchema.required” names “{name}”, which is not among its properties")
    return read, tuple(_parameter(file, name, one, schema.required) for name, one in schema.properties.items())


def secrets_of(read: _Config) -> tuple[str, ...]:
    """Return the parameters that are flagged `secret`."""
    return tuple(name for name, one in read.parameter_schema.properties.items() if one.secret)


def _parameter(file: str, name: str, given: _Property, required: Sequence[str]) -> Parameter:
    enum = tuple(cast("Sequence[Json]", given.enum or ()))
    parameter = Parameter(name, given.type, given.description, name in required, enum, cast("Json", given.default))
    where = f"parameterSchema.properties.{name}"
    if given.enum is not None and not given.enum:
        raise _bad(file, f"“{where}.enum” is empty, so that nothing would be valid")
    for word, values in (("enum", enum), ("default", () if given.default is None else (given.default,))):
        for value in values:
            if not _plain(value) or checked((parameter,), {name: value})[1]:
                raise _bad(file, f"“{where}.{word}” holds a value that is no {given.type} it may have")
    return parameter


def _plain(value: object) -> bool:
    """Say whether a value can be written as JSON."""
    match value:
        case float():
            return isfinite(value)
        case None | bool() | int() | str():
            return True
        case list() | tuple():
            return all(_plain(item) for item in cast("Sequence[object]", value))
        case dict():
            members = cast("Mapping[object, object]", value).items()
            return all(isinstance(name, str) and _plain(item) for name, item in members)
        case _:
            return False


def _bad(file: str, why: str) -> SetupError:
    return SetupError(f"Invalid action template {file}: {why}", "template.invalid")
