"""The operations that the tools of wrapped MCP servers are: their arguments, their plans, and what they count as."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, cast

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.operation import Operation, Parameter, Problem, texts_in
from sayso.core.plan import Answer, CannotUndo, Change, Plan
from sayso.core.quotes import quoted, visible
from sayso.core.schema import Kind, surrogate_problem, text_problem
from sayso.providers.mcp.definitions import ToolDefinition, kept
from sayso.providers.mcp.model import CallTool, TakeBackCall, WrappedServers
from sayso.providers.mcp.recipes import Recipe, load_recipes, way_back
from sayso.providers.mcp.servers import WrappedServer

STORE = "mcp"
_NO_RECIPE = "nothing here knows how to take back a call of this tool"
_NUMBER = "it holds a number that is infinite or no number at all"
_PLAIN: Mapping[str, Any] = {"whole": False, "lengths": None, "choices": ()}
_VERSION_DIGITS = 13
"""How many hexadecimal digits of a digest make a version: as many as a whole number in JSON can hold exactly."""


class ToolOperation(Operation, frozen=True, dict=True, eq=False):
    """A tool of a wrapped server. Only the person's word makes it less than destructive and open to the world."""

    server: WrappedServer = WrappedServer("")
    tool: ToolDefinition = ToolDefinition("", {})
    recipe: Recipe | None = None

    @property
    def answers(self) -> bool:
        """Return False: also a tool that only reads is called by a step."""
        return False

    @cached_property
    def said(self) -> str:
        """Return what the tool is, and what its server says of it."""
        says = visible(self.tool.description)
        return f"{quoted(self.tool.name)} of the MCP server {quoted(self.server.name)}" + (
            f", which says of it: {quoted(says)}" if says else ""
        )

    @property
    def stores(self) -> tuple[str, ...]:
        """Return the store of all wrapped servers."""
        return (STORE,)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Return the arguments that the server names."""
        return self._arguments

    @cached_property
    def _arguments(self) -> tuple[Parameter, ...]:
        required = self.tool.required
        return tuple(
            Parameter(name, Any, name in required, None, _object(schema), self._kind_of(name), **_PLAIN)
            for name, schema in self.tool.properties.items()
        )

    def _kind_of(self, name: str) -> str:
        return "path" if name in self.server.paths else ""

    @cached_property
    def schema(self) -> dict[str, Json]:
        """Return the schema of the arguments as the server gave it, with its prose inert."""
        return dict(self.tool.schema)

    def without_choice(self, choice: str) -> Operation:
        """Return the operation itself."""
        return self

    def told(self, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Return the arguments; nothing is known of defaults."""
        return dict(arguments)

    def check(self, arguments: Mapping[str, Json]) -> tuple[dict[str, Json], list[Problem]]:
        """Return the arguments as they came, and why they cannot be sent; what is in them is the server's to check."""
        problems = [
            Problem("arguments.missing", f"{self.id} needs {quoted(name)}", name)
            for name in self.tool.required
            if name not in arguments
        ]
        if self.schema.get("additionalProperties") is False:
            known = self.tool.properties
            takes = ", ".join(known) or "no arguments"
            problems += [
                Problem("arguments.unknown", f"{self.id} does not take {quoted(name[:80])}; it takes {takes}", name)
                for name in arguments
                if name not in known
            ]
        odd = next((wrong for text in texts_in(arguments) if (wrong := surrogate_problem(text))), None)
        problems += [Problem("arguments.characters", f"an argument {odd}")] if odd else []
        if not odd and not _is_json(arguments):
            problems.append(Problem("arguments.type", f"an argument is no JSON: {_NUMBER}"))
        problems += [one for name in self.server.paths if (one := _path_problem(name, arguments.get(name)))]
        return dict(arguments), problems

    async def call(self, reads: Mapping[str, Any], arguments: Mapping[str, Json]) -> Plan | Answer:
        """Return the plan of one call."""
        store = cast("WrappedServers", reads[STORE])
        server, tool = self.server, self.tool
        paths = tuple(store.resolve(path) for name in server.paths for path in _texts(arguments.get(name)))
        given = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
        step = CallTool(
            store.new_id(), server.name, tool.name, given, server.identity, tool.digest,
            self.recipe.text if self.recipe and self.kind != "read" else "", self.kind == "read", server.local, paths,
        )  # fmt: skip
        undo = self._way_back(step)
        called = f"{quoted(tool.name)} of the MCP server {quoted(server.name)}"
        asked = self.kind != "read"
        notes = (
            (asked and self.kind == "destructive", "it counts as one that may destroy something"),
            (asked and not server.local, "what it is given may leave this computer"),
            (isinstance(undo, TakeBackCall), f"it can be taken back by {_name_of(undo)}"),
        )
        return Plan(
            f"Call {called}",
            (Change(step, undo),),
            said_when_done=f"Called {called}",
            warns=tuple(said for holds, said in notes if holds),
            data={"id": step.id},
        )

    def _way_back(self, step: CallTool) -> TakeBackCall | CannotUndo:
        if self.kind == "read":
            return CannotUndo("it only read")
        return CannotUndo(_NO_RECIPE) if self.recipe is None else way_back(self.recipe, step)


def _name_of(undo: TakeBackCall | CannotUndo) -> str:
    return quoted(undo.tool) if isinstance(undo, TakeBackCall) else ""


def tool_operation(server: WrappedServer, tool: ToolDefinition, recipe: Recipe | None = None) -> ToolOperation:
    """Return the operation of a tool; its version changes with all that the person saw of the tool."""
    version = int(tool.digest[:_VERSION_DIGITS], 16) ^ int(server.identity[:_VERSION_DIGITS], 16)
    kind = kind_of(server, tool)
    asks = "none" if kind == "read" else "mode"
    declared: dict[str, Any] = {"outside": True, "version": version, "server": server, "tool": tool, "recipe": recipe}
    return ToolOperation(f"{server.name}.{tool.name}", kind, asks, _not_called, **declared)


def kind_of(server: WrappedServer, tool: ToolDefinition) -> Kind:
    """Return what a tool counts as: destructive, unless the person says otherwise or trusts what the server says."""
    if server.says_reads(tool.name) or (server.trust_annotations and tool.hint("readOnlyHint") is True):
        return "read"
    harmless = server.trust_annotations and tool.hint("destructiveHint") is False
    return "write" if server.says_writes(tool.name) or harmless else "destructive"


async def _not_called(**_: Any) -> Plan:
    """Raise `TypeError`: a tool is planned by `ToolOperation.call`."""
    raise TypeError("a tool of a wrapped server has no function")


def _is_json(arguments: Mapping[str, Json]) -> bool:
    try:
        json.dumps(arguments, allow_nan=False)
    except ValueError:
        return False
    return True


def _object(schema: Json) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", schema) if isinstance(schema, Mapping) else {}


def _texts(value: Json) -> Sequence[str]:
    if isinstance(value, list | tuple):
        return [one for one in cast("Sequence[Json]", value) if isinstance(one, str)]
    return [value] if isinstance(value, str) else []


def _path_problem(name: str, value: Json) -> Problem | None:
    if value is None:
        return None
    texts = _texts(value)
    if not texts and value != []:
        return Problem("path.form", f"{quoted(name)} must be a path or a list of paths", name)
    wrong = next((problem for text in texts if (problem := text_problem(text, "path"))), None)
    return Problem("path.form", f"{quoted(name)} {wrong}", name) if wrong else None


def wrapped_operations(servers: Mapping[str, WrappedServer], own: str, home: str) -> tuple[ToolOperation, ...]:
    """Return the operations of all wrapped servers, from the tools that the person accepted; no server is started.

    A server whose settings have changed since has none, and one whose recipes cannot be read has no way back.
    """
    return tuple(found for server in servers.values() for found in _operations_of(server, own, home))


def _operations_of(server: WrappedServer, own: str, home: str) -> list[ToolOperation]:
    try:
        pinned = kept(own, server)
    except SetupError:
        return []
    if pinned is None or pinned.identity != server.identity:
        return []
    try:
        recipes = load_recipes(server.recipes, home)
    except SetupError:
        recipes = dict[str, Recipe]()
    return [tool_operation(server, tool, recipes.get(tool.name)) for tool in pinned.tools]
