"""The definition of a person's own action: its file is parsed without being run, and its `config` is validated."""

import ast
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from math import isfinite
from types import MappingProxyType
from typing import Annotated, Any, Literal, cast

import msgspec
from msgspec import Meta, Struct

from sayso.core.encoding import Json, digest
from sayso.core.errors import SetupError
from sayso.core.schema import Line, Text, text_problem
from sayso.providers.talk.store import ParameterType, TemplateParameter, check_parameters

_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "str": "a text",
        "int": "a number",
        "float": "a number",
        "bool": "True or False",
        "array": "a list",
        "object": "a mapping",
        "null": "None",
    }
)
_OTHER_KIND = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_LENGTH = re.compile(r"Expected `str` of length ([<>])= ([0-9]+)")


def describe_error(message: str, root: str, rules: Mapping[str, str]) -> str:
    """Return msgspec's error as a text that names a field below `root`; `rules` has other texts for some fields.

    The keys of `rules` are endings of the names of fields.
    """
    what, _, path = message.partition(" - at `$")
    field = f"{root}{path.rstrip('`')}"
    name = what.rpartition("`")[0].rpartition("`")[2]
    if "missing required field" in what:
        return f"missing {field}.{name}"
    if "unknown field" in what:
        return f"“{field}” has no field “{name}”"
    rule = next((words for end, words in rules.items() if field.endswith(end)), None)
    return f"“{field}”: {rule if rule is not None and 'got' not in what else _plain(what)}"


def _plain(what: str) -> str:
    kinds = _OTHER_KIND.fullmatch(what)
    if kinds is not None:
        return f"it must be {_kind(kinds[1])}, and is {_kind(kinds[2])}"
    length = _LENGTH.fullmatch(what)
    if length is None:
        return f"{what[:1].lower()}{what[1:]}"
    if length[1] == "<":
        return f"it is longer than {int(length[2]):,} characters"
    return "it is empty" if length[2] == "1" else f"it is shorter than {length[2]} characters"


def _kind(names: str) -> str:
    return " or ".join(dict.fromkeys(_KINDS.get(name, name) for name in names.split(" | ")))


Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}\Z")]
_RULES: Mapping[str, str] = MappingProxyType(
    {
        "config.id": "it is made of letters, digits, “_”, “.” and “-”",
        "config.parameterSchema.type": "it is always “object”",
        ".type": "it is one of string, number, integer, boolean, array, object",
    }
)


class _Property(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    type: ParameterType
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
    destructive: bool = False
    repeatable: bool = False
    capabilities: list[Line] | None = None


class ActionTemplate(Struct, frozen=True):
    """One of the person's own actions: its file, its description, and all its code."""

    file: str
    """The name of its file."""
    id: str
    name: str
    description: str
    icon: str
    parameters: tuple[TemplateParameter, ...]
    secret: tuple[str, ...]
    """Parameters whose values are not written to the log."""
    source: str
    helpers: Mapping[str, str]
    """The files beside the action's file whose names begin with `_`, by module name."""
    code: str
    """The hash of the action's file and its helpers; an approval is valid for this code only."""
    destructive: bool = False
    """Whether its offers are always marked as dangerous (T-89)."""
    repeatable: bool = False
    """Whether one offer may be run again after it succeeded (T-76)."""
    capabilities: tuple[str, ...] | None = None
    """The operations that its handler may ask for, as ids or patterns; None for all (T-90)."""

    def may_ask_for(self, operation: str) -> bool:
        """Return whether the handler may ask for an operation."""
        return self.capabilities is None or any(fnmatchcase(operation, one) for one in self.capabilities)

    def fill_parameters(self, given: Mapping[str, Json]) -> dict[str, Json]:
        """Return the parameters with defaults filled in. Raises `SetupError` that names every problem (S3-64)."""
        full, problems = check_parameters(self.parameters, given)
        if problems:
            reasons = ", ".join(problem.sentence for problem in problems)
            raise SetupError(f"Invalid parameters: {reasons}", problems[0].code)
        return full


def parse_config(file: str, config: object) -> tuple[_Config, tuple[TemplateParameter, ...]]:
    """Validate a `config`, and return it with its parameters. Raises `SetupError` that names the file and the field."""
    try:
        read = msgspec.convert(config, _Config, strict=True)
    except msgspec.ValidationError as error:
        raise _bad(file, describe_error(str(error), "config", _RULES)) from None
    for field in ("name", "description", "icon"):
        problem = text_problem(getattr(read, field), "text" if field == "description" else "line")
        if problem is not None:
            raise _bad(file, f"“{field}” {problem}")
    schema = read.parameter_schema
    for name in schema.required:
        if name not in schema.properties:
            raise _bad(file, f"“parameterSchema.required” names “{name}”, which is not among its properties")
    return read, tuple(_parameter(file, name, one, schema.required) for name, one in schema.properties.items())


def secrets_of(read: _Config) -> tuple[str, ...]:
    """Return the parameters that are flagged `secret`."""
    return tuple(name for name, one in read.parameter_schema.properties.items() if one.secret)


def _parameter(file: str, name: str, given: _Property, required: Sequence[str]) -> TemplateParameter:
    enum = tuple(cast("Sequence[Json]", given.enum or ()))
    parameter = TemplateParameter(
        name, given.type, given.description, name in required, enum, cast("Json", given.default)
    )
    where = f"parameterSchema.properties.{name}"
    if given.enum is not None and not given.enum:
        raise _bad(file, f"“{where}.enum” is empty, so that nothing would be valid")
    for word, values in (("enum", enum), ("default", () if given.default is None else (given.default,))):
        for value in values:
            if not _is_json(value) or check_parameters((parameter,), {name: value})[1]:
                raise _bad(file, f"“{where}.{word}” holds a value that is no {given.type} it may have")
    return parameter


def _is_json(value: object) -> bool:
    """Return whether a value can be written as JSON."""
    match value:
        case float():
            return isfinite(value)
        case None | bool() | int() | str():
            return True
        case list() | tuple():
            return all(_is_json(item) for item in cast("Sequence[object]", value))
        case dict():
            members = cast("Mapping[object, object]", value).items()
            return all(isinstance(name, str) and _is_json(item) for name, item in members)
        case _:
            return False


def _bad(file: str, why: str) -> SetupError:
    return SetupError(f"Invalid action template {file}: {why}", "template.invalid")


NEEDS = "missing config or handler"
_TAKES = 2


def read_template(file: str, source: str, helpers: Mapping[str, str]) -> ActionTemplate:
    """Return the action in a file. Raises `SetupError` with one sentence that names the file and the problem.

    Nothing in the file is run, so `config` must be written out as a mapping of plain values.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = (
            f"line {error.lineno}: {error.msg}"
            if isinstance(error, SyntaxError)
            else str(error) or "it is nested too deep"
        )
        raise SetupError(f"Invalid action template {file}: it cannot be read: {where}", "template.invalid") from None
    value, handler = _config(tree), _handler(tree)
    if value is None or handler is None:
        raise SetupError(f"Invalid action template {file}: {NEEDS}", "template.invalid")
    _check_arguments(file, handler)
    try:
        given = ast.literal_eval(value)
    except (ValueError, TypeError, RecursionError, MemoryError, SyntaxError):
        raise SetupError(
            f"Invalid action template {file}: “config” must be written out as a mapping of plain values "
            f"(line {value.lineno}); it is read without running the file",
            "template.invalid",
        ) from None
    read, parameters = parse_config(file, given)
    return ActionTemplate(
        file, read.id, read.name, read.description, read.icon, parameters, secrets_of(read), source, dict(helpers),
        code_of(source, helpers), read.destructive, read.repeatable,
        None if read.capabilities is None else tuple(read.capabilities),
    )  # fmt: skip


def code_of(source: str, helpers: Mapping[str, str]) -> str:
    """Return the hash of an action's code: its file and all helpers that it may import."""
    return digest({"source": source, "helpers": dict(helpers)})


def _config(tree: ast.Module) -> ast.expr | None:
    found = None
    for node in tree.body:
        match node:
            case ast.Assign(targets=targets, value=value):
                if any(isinstance(one, ast.Name) and one.id == "config" for one in targets):
                    found = value
            case ast.AnnAssign(target=ast.Name(id="config"), value=ast.expr() as value):
                found = value
            case _:
                pass
    return found


def _handler(tree: ast.Module) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    found = None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "handler":
            found = node
    return found


def _check_arguments(file: str, handler: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    given = handler.args
    names = [*given.posonlyargs, *given.args]
    needed = len(names) - len(given.defaults)
    keywords = any(default is None for default in given.kw_defaults)
    fits = needed <= _TAKES and (len(names) >= _TAKES or given.vararg is not None)
    if keywords or not fits:
        raise SetupError(
            f"Invalid action template {file}: “handler” must take two arguments, “params” and “context”",
            "template.invalid",
        )
