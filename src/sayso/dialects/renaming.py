"""Find the name in a proposal that no operation has, and write the proposal under the name of the one it may mean."""

import json
from collections.abc import Iterator, Mapping
from typing import cast

from sayso.core.canonical import Json
from sayso.core.operation import Operation
from sayso.dialects import names
from sayso.dialects.keyed import derived
from sayso.dialects.lines.forms import FormsOf
from sayso.dialects.lines.near import Near
from sayso.dialects.meaning import Meaning
from sayso.dialects.names import Keyed
from sayso.dialects.strict import NotStrict, strict_json
from sayso.dialects.tools.calls import Call, calls
from sayso.dialects.tools.naming import TWO, own_tool, tool_of

Operations = Mapping[str, Operation]
Members = Mapping[str, Json]


def meant(dialect: str, said: str, operations: Operations) -> list[Operation]:
    """Return the operations that a proposal may mean by a name that there is not, the likeliest first."""
    if dialect == "lines":
        forms = FormsOf(operations)
        return [forms[name].operation for name in Near(forms).nearest(said)[1]]
    return [operations[id_] for id_ in Meaning(operations).of(name_in(dialect, said)[0])]


def near(line: str, operations: Operations) -> str:
    """Return a sentence on the commands that a line may mean, or on those of its kind; nothing where there is none."""
    return Near(FormsOf(operations)).hint(line)


def renamed(dialect: str, said: str, operation: Operation) -> Iterator[str]:
    """Yield the proposal under each name that the dialect has for an operation, its keys by what they mean."""
    if dialect == "lines":
        word = said.split(None, 1)[0]
        yield said.replace(word, FormsOf({operation.id: operation}).called(operation.id), 1)
        return
    members = name_in(dialect, said)[1]
    if dialect == "tools":
        for tool, keyed in _tools(operation):
            action = {} if tool == keyed.name else {"action": keyed.name}
            yield _written({"name": tool, "arguments": {**action, **_translated(members, keyed, operation)}})
        return
    for keyed in _types(dialect, operation):
        yield _written({"type": keyed.name, **_translated(members, keyed, operation)})


def name_in(dialect: str, said: str) -> tuple[str, Members]:
    """Return the name that a proposal in JSON has, and its members; an empty name where it has none."""
    try:
        value = strict_json(said)
    except NotStrict:
        return "", {}
    name, members = _called(value, said) if dialect == "tools" else _typed(value)
    return (name, members) if isinstance(name, str) else ("", {})


def _called(value: Json, said: str) -> tuple[Json, Members]:
    made = [one for one in calls(value, said) if isinstance(one, Call)]
    if len(made) != 1:
        return "", {}
    members = dict(made[0].arguments)
    return (members.pop("action", "") if tool_of(made[0].name) else made[0].name), members


def _typed(value: Json) -> tuple[Json, Members]:
    members = dict(cast("Members", value)) if isinstance(value, dict) else {}
    return members.pop("type", ""), members


def _tools(operation: Operation) -> Iterator[tuple[str, Keyed]]:
    own = own_tool(names.open_name(operation.id), {operation.id: operation})
    if own is not None:
        yield own.name, own
    yield from ((it.name, keyed) for it in TWO for keyed in it.actions.names if keyed.operation == operation.id)


def _types(dialect: str, operation: Operation) -> Iterator[Keyed]:
    table = names.COMMANDS if dialect == "commands" else names.BLOCKS
    yield from (keyed for keyed in table if keyed.operation == operation.id)
    if dialect == "commands":
        yield derived(operation, "type")


def _translated(members: Members, keyed: Keyed, operation: Operation) -> dict[str, Json]:
    """Return members by the keys of a name; a key that no dialect has for this operation stays as it is."""
    meanings = {key: name for given in _sources(operation) for key, name in given.keys.items()}
    wanted = {name: key for key, name in reversed(list(keyed.keys.items()))}
    return {
        key if key in keyed.keys else wanted.get(meanings.get(key, key), key): value for key, value in members.items()
    }


def _sources(operation: Operation) -> Iterator[Keyed]:
    tables = (*names.MACOS_AUTO, *names.BROWSER, *names.BLOCKS, *names.COMMANDS)
    yield from (keyed for keyed in tables if keyed.operation == operation.id)


def _written(value: Members) -> str:
    return json.dumps(value, ensure_ascii=False)
