"""Each file operation as an attempt on one path, for cases that hold for all of them."""

import json
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import msgspec

from sayso.core.encoding import Json

FREE, THERE = "~/Documents/free", "~/Documents/a.txt"

VERBS: Mapping[str, tuple[str, str, dict[str, Json]]] = {
    "move from": ("file.move", "source", {"destination": FREE}),
    "move to": ("file.move", "destination", {"source": THERE}),
    "copy from": ("file.copy", "source", {"destination": FREE}),
    "copy to": ("file.copy", "destination", {"source": THERE}),
    "delete": ("file.delete", "path", {}),
    "mkdir": ("file.mkdir", "path", {}),
    "open": ("file.open", "path", {}),
    "reveal": ("file.reveal", "path", {}),
    "write": ("file.write", "path", {"content": "planted"}),
    "append": ("file.append", "path", {"content": "planted"}),
    "list": ("file.list", "path", {}),
    "find": ("file.find", "path", {"pattern": "*"}),
    "read": ("file.read", "path", {}),
}
ON_A_LINK = ("move from", "copy from", "delete", "reveal")
"""What may be done to a link itself, which leaves what it points to alone."""


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One adversarial case, as it stands in its file; `{outside}`, `{home}` and `{own}` are put in."""

    req: list[str]
    says: str
    states: list[str]
    paths: list[str] = []
    verbs: list[str] = []
    calls: list[tuple[str, dict[str, Any]]] = []
    extra: list[tuple[str, Any]] = []
    links: dict[str, str] = {}
    special: dict[str, str] = {}
    as_link: list[str] = []
    roots: tuple[str, ...] = ("~/Documents", "~/Downloads", "~/Desktop")
    own: str = ""
    """Where in the home sayso's own folder is; empty for beside it."""


@dataclass(frozen=True)
class Attempt:
    """One call, what it aims at, and the states it may end in."""

    operation: str
    arguments: Mapping[str, Json]
    aim: str
    states: Sequence[str]
    named: Sequence[str] = field(default=())
    """One of these must stand in the sentence of a refusal."""


def attempts(case: Case, places: Mapping[str, str]) -> list[Attempt]:
    """Return everything that is tried in a case."""
    made = [on_path(case, put(path, places), verb, places["home"]) for path in case.paths for verb in case.verbs]
    made += [with_extra(name, put(value, places), verb) for name, value in case.extra for verb in case.verbs]
    return made + [whole(case, operation, put(arguments, places)) for operation, arguments in case.calls]


def on_path(case: Case, path: str, verb: str, home: str) -> Attempt:
    """Return an operation on a path; on a link itself some may be done."""
    operation, name, more = VERBS[verb]
    states = case.states
    if path in case.as_link and verb in ON_A_LINK:
        states = [*states, "done"]
    named = (f"“{name}”", path, last_name(path), f"“{path.replace(home, '~', 1)}”")
    return Attempt(operation, {**more, name: path}, f"{verb} {path!r}", states, named)


def with_extra(name: str, value: Json, verb: str) -> Attempt:
    """Return a harmless operation with one argument more."""
    operation, path, more = VERBS[verb]
    harmless = THERE if verb not in {"move to", "copy to", "mkdir"} else "~/Documents/free"
    return Attempt(operation, {**more, path: harmless, name: value}, f"{verb} with {name}", ["invalid"], (f"“{name}”",))


def whole(case: Case, operation: str, arguments: Mapping[str, Json]) -> Attempt:
    """Return a call that a case spells out."""
    paths = [last_name(value) for value in arguments.values() if isinstance(value, str) and "/" in value]
    named = (*(f"“{name}”" for name in arguments), *paths)
    return Attempt(operation, arguments, f"{operation} {arguments!r}", case.states, named)


def last_name(path: str) -> str:
    """Return the last name of a path, as a sentence has it at the end of it."""
    return posixpath.basename(posixpath.normpath(path)) or "/"


def put(value: Any, places: Mapping[str, str]) -> Any:
    """Put places into every text of a value."""
    if isinstance(value, str):
        for name, place in places.items():
            value = value.replace("{" + name + "}", place)
        return value
    if isinstance(value, dict):
        return {key: put(item, places) for key, item in cast("dict[str, Any]", value).items()}
    return [put(item, places) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def read(file: Path) -> Case:
    """Read a case."""
    return msgspec.convert(json.loads(file.read_text("utf-8")), type=Case)
