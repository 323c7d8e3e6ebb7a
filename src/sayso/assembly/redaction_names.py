"""Check that each name in `audit_redact` is that of an argument, because a misspelt name would hide nothing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import cast

from sayso.core.encoding import Json
from sayso.core.lazy import load
from sayso.core.operation import Operation
from sayso.journal.redaction import pattern_of

OPEN = "*"
"""The last part of the path of an object whose members may have any name."""


def explain_unknown_names(names: Sequence[str], operations: Mapping[str, Operation], actions: Path) -> list[str]:
    """Return a sentence for each name that matches no argument of an operation or of the person's own actions.

    `actions` is the folder of these actions. Each sentence says which names are near.
    """
    unknown = [name for name in names if not any(_matches(name, path) for path in _likely_paths(name, operations))]
    if not unknown:
        return []
    known = [*_all_paths(operations), *_template_paths(actions)]
    return [
        f"policy.audit_redact names “{name}”, which is no argument of any action and hides nothing{_near(name, known)}"
        for name in unknown
        if not any(_matches(name, path) for path in known)
    ]


def _matches(name: str, path: str) -> bool:
    pattern = pattern_of(name)
    # The members of an open object match only a name that begins with the path of the object.
    return fnmatchcase(pattern, path) if path.endswith(f".{OPEN}") else fnmatchcase(path, pattern)


def _likely_paths(name: str, operations: Mapping[str, Operation]) -> Iterator[str]:
    """Yield the paths of the operation that a name begins with, so that no other operation need be imported."""
    id_ = ".".join(name.split(".")[:2])
    if id_ in operations:
        yield from argument_paths(operations[id_])


def _all_paths(operations: Mapping[str, Operation]) -> Iterator[str]:
    for operation in operations.values():
        yield from argument_paths(operation)


def argument_paths(operation: Operation) -> Iterator[str]:
    """Yield the path of each argument and of each of its members, such as `mail.search.criteria.from`."""
    yield from _paths(operation.id, operation.schema)


def _paths(path: str, schema: Mapping[str, Json]) -> Iterator[str]:
    for name, inner in cast("Mapping[str, Mapping[str, Json]]", schema.get("properties", {})).items():
        yield f"{path}.{name}"
        yield from _paths(f"{path}.{name}", inner)
    if isinstance(schema.get("additionalProperties"), Mapping) or schema.get("additionalProperties") is True:
        yield f"{path}.{OPEN}"
    inside: Iterable[Json] = (schema.get("items"), *cast("Sequence[Json]", schema.get("anyOf", ())))
    for inner in inside:
        if isinstance(inner, Mapping):
            yield from _paths(path, cast("Mapping[str, Json]", inner))


def _template_paths(actions: Path) -> Iterator[str]:
    for template in load("sayso.templates.library:load_library")(actions).templates:
        for parameter in template.parameters:
            yield f"{template.id}.{parameter.name}"


def _near(name: str, known: Sequence[str]) -> str:
    told = known if "." in name else [path.rpartition(".")[2] for path in known]
    near: list[str] = load("difflib:get_close_matches")(name, list(dict.fromkeys(told)), n=2, cutoff=0.7)
    return f"; did you mean {' or '.join(f'“{other}”' for other in near)}?" if near else ""
