"""Tool definitions in the forms that the APIs of models accept: Anthropic's, OpenAI's, and MCP's."""

from collections.abc import Mapping, Sequence
from typing import Literal, cast, get_args

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.operation import Operation
from sayso.dialects.tools import TWO, Tool, own_tools
from sayso.dialects.vocabulary import Keyed, open_name, usage

Form = Literal["anthropic", "openai", "mcp"]
Schema = dict[str, Json]

_ACCEPTED_ONLY = frozenset({"text"})
"""Keys that are accepted in a call (T-45), but are not part of the definition."""


def schemas(operations: Sequence[Operation], form: Form = "anthropic") -> list[Schema]:
    """Return one schema for each available tool; the two tools of S1 come first (S1-01, S1-05).

    `anthropic`: `{name, description, input_schema}`; `openai`: `{type: "function", function: {name, description,
    parameters}}`; `mcp`: `{name, description, inputSchema}`. Raises `SetupError` for any other form.
    """
    if form not in get_args(Form):
        raise SetupError(f"there is no form “{form}” of tools; there are: {', '.join(get_args(Form))}", "form.unknown")
    known = {operation.id: operation for operation in operations}
    out = [_of_two(tool, known, form) for tool in TWO if tool.actions.at_hand(known)]
    return out + [
        _shape_schema(open_name(one.id), one.summary + ".", one.schema, form) for one in own_tools(operations)
    ]


def _shape_schema(name: str, description: str, schema: Schema, form: Form) -> Schema:
    if form == "openai":
        return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}
    return {"name": name, "description": description, "inputSchema" if form == "mcp" else "input_schema": schema}


def _of_two(tool: Tool, known: Mapping[str, Operation], form: Form) -> Schema:
    keyed = [one for one in tool.actions.names if one.operation in known]
    lines = [f"{one.name}({usage(one, known[one.operation])}): {known[one.operation].summary}." for one in keyed]
    action: Schema = {"type": "string", "enum": [one.name for one in keyed], "description": "What to do."}
    schema: Schema = {
        "type": "object",
        "properties": {"action": action, **_properties(keyed, known)},
        "required": ["action"],
        "additionalProperties": False,
    }
    return _shape_schema(tool.name, "\n".join([tool.purpose(known), "Actions:", *lines]), schema, form)


def _properties(keyed: Sequence[Keyed], known: Mapping[str, Operation]) -> Schema:
    found: dict[str, Schema] = {}
    for one in keyed:
        schemas_of = cast("Mapping[str, Mapping[str, Json]]", known[one.operation].schema["properties"])
        for key, name in one.keys.items():
            if key not in _ACCEPTED_ONLY:
                known_as = found.setdefault(key, _plain(schemas_of[name]))
                known_as["description"] = f"{known_as.get('description', 'For')} {one.name},".lstrip()
    return {key: {**schema, "description": f"{str(schema['description'])[:-1]}."} for key, schema in found.items()}


def _plain(schema: Mapping[str, Json]) -> Schema:
    """Return a schema with only the type; other limits depend on the action, and are checked when a call is read."""
    options = cast("list[Mapping[str, Json]]", schema.get("anyOf", [schema]))
    first = next(option for option in options if option.get("type") != "null")
    return {"type": first.get("type", "string")}
