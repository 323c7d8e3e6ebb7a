"""Recipes by which a call of another server's tool can be taken back: by sayso or the person, never by the server.

A recipe names the tool that takes a call back and its arguments, in which `$arguments.…`, `$result.…` and `$before.…`
stand for values of the call, of its result, and of what was looked at right before it.
"""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, cast

import msgspec
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import Refused, SetupError
from sayso.core.quotes import quoted
from sayso.providers.mcp.model import CallTool, TakeBackCall

SHIPPED = Path(__file__).parent / "recipes_shipped"
_EACH = "$each"


class Look(Struct, frozen=True, forbid_unknown_fields=True):
    """A call of a tool that only reads; `expect` says how it must go right before a call is taken back.

    `same` means that its answer must have the same text as right after the call.
    """

    tool: str
    arguments: dict[str, object]
    expect: Literal["succeeds", "fails", "same"] = "succeeds"


class Recipe(Struct, frozen=True, forbid_unknown_fields=True):
    """How calls of one tool are taken back."""

    tool: str
    back: str
    arguments: dict[str, object]
    before: Look | None = None
    """What is looked at right before the call; the call cannot be taken back if it fails."""
    checks: tuple[Look, ...] = ()

    @property
    def text(self) -> str:
        """Return the recipe as JSON, as steps hold it."""
        return msgspec.json.encode(self).decode()


class _RecipeFile(Struct, frozen=True, forbid_unknown_fields=True):
    recipe: tuple[Recipe, ...] = ()
    about: str = ""


def read_recipe(text: str) -> Recipe:
    """Return the recipe of a step."""
    return msgspec.json.decode(text, type=Recipe)


def shipped() -> tuple[str, ...]:
    """Return the names of the recipes that ship."""
    return tuple(sorted(file.stem for file in SHIPPED.glob("*.toml")))


def load_recipes(name: str, home: str) -> Mapping[str, Recipe]:
    """Return the recipes of a file, by tool. Raises `SetupError`."""
    if not name:
        return {}
    file = Path(home + name[1:] if name.startswith("~/") else name) if "/" in name else SHIPPED / f"{name}.toml"
    try:
        found = msgspec.convert(tomllib.loads(file.read_text("utf-8")), _RecipeFile)
    except FileNotFoundError:
        there = ", ".join(shipped())
        raise SetupError(f"there are no recipes {quoted(name)}; these ship: {there}", "mcp.recipes") from None
    except (OSError, ValueError) as wrong:
        raise SetupError(f"the recipes {quoted(name)} cannot be read: {wrong}", "mcp.recipes") from None
    return {one.tool: one for one in found.recipe}


def way_back(recipe: Recipe, step: CallTool) -> TakeBackCall:
    """Return the step that takes a call back."""
    return TakeBackCall(step.id, step.server, recipe.back, recipe.text, step.arguments, step.identity, local=step.local)


def fill(template: object, values: Mapping[str, Json]) -> Json:
    """Return a template with its placeholders replaced. Raises `Refused` if the call left no such value."""
    if isinstance(template, Mapping):
        members = cast("Mapping[str, object]", template)
        if _EACH in members:
            items = fill(members[_EACH], values)
            found = cast("list[Json]", items) if isinstance(items, list) else []
            return [fill(members.get("as"), {**values, "each": one}) for one in found]
        return {name: fill(value, values) for name, value in members.items()}
    if isinstance(template, list | tuple):
        return [fill(one, values) for one in cast("list[object]", template)]
    if isinstance(template, str) and template.startswith("$"):
        return template[1:] if template.startswith("$$") else _value(template, values)
    return template


def _value(placeholder: str, values: Mapping[str, Json]) -> Json:
    first, *path = placeholder[1:].split(".")
    if values.get(first) is None:
        raise _nothing(placeholder)
    return _follow(values[first], path, placeholder)


def _follow(value: Json, path: list[str], placeholder: str) -> Json:
    for at, name in enumerate(path):
        if name == "*" and isinstance(value, list):
            return [_follow(one, path[at + 1 :], placeholder) for one in cast("list[Json]", value)]
        if not isinstance(value, Mapping) or name not in value:
            raise _nothing(placeholder)
        value = cast("Mapping[str, Json]", value)[name]
    return value


def _nothing(placeholder: str) -> Refused:
    said = f"the call left nothing that {quoted(placeholder)} of its recipe could stand for; nothing was called"
    return Refused(said, "mcp.take_back", "recipe")


def is_empty(arguments: Json) -> bool:
    """Return whether each argument is an empty list: there is nothing to take back then."""
    values = cast("Mapping[str, Json]", arguments).values() if isinstance(arguments, Mapping) else ()
    return bool(values) and all(value == [] for value in values)


def parsed(text: str) -> Json:
    """Return the JSON in a text. Raises `Refused` if it is none."""
    try:
        return cast("Json", json.loads(text))
    except (ValueError, RecursionError):
        raise Refused("what is kept of the call is no JSON", "mcp.take_back", "recipe") from None
