"""Corrected proposals: the spelling that is offered back, and never run."""

import json
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import cast

from sayso.core.dialect import Dialect
from sayso.core.encoding import Json
from sayso.core.operation import Operation
from sayso.dialects import vocabulary
from sayso.dialects.actions import ACTIONS
from sayso.dialects.actions import fence_json as action_fenced
from sayso.dialects.base import read
from sayso.dialects.blocks import BLOCKS
from sayso.dialects.blocks import fence_json as block_fenced
from sayso.dialects.commands import COMMANDS
from sayso.dialects.json import LONGEST, NotStrict, correct_json, strict_json
from sayso.dialects.keyed import derive_keyed
from sayso.dialects.lines import LINES
from sayso.dialects.lines.grammar import FormsOf
from sayso.dialects.lines.reader import Near
from sayso.dialects.suggestions import Meaning
from sayso.dialects.tools import TOOLS, TWO, Call, calls, own_tool, tool_of
from sayso.dialects.vocabulary import Keyed

Operations = Mapping[str, Operation]
Members = Mapping[str, Json]


def find_meant(dialect: str, said: str, operations: Operations) -> list[Operation]:
    """Return the operations that a proposal may mean by a name that there is not, the likeliest first."""
    if dialect == "lines":
        forms = FormsOf(operations)
        return [forms[name].operation for name in Near(forms).nearest(said)[1]]
    return [operations[id_] for id_ in Meaning(operations).of(name_in(dialect, said)[0])]


def near(line: str, operations: Operations) -> str:
    """Return a sentence on the commands that a line may mean, or on those of its kind; nothing where there is none."""
    return Near(FormsOf(operations)).hint(line)


def rename_proposal(dialect: str, said: str, operation: Operation) -> Iterator[str]:
    """Yield the proposal under each name that the dialect has for an operation, its keys by what they mean."""
    if dialect == "lines":
        word = said.split(None, 1)[0]
        yield said.replace(word, FormsOf({operation.id: operation}).called(operation.id), 1)
        return
    members = name_in(dialect, said)[1]
    if dialect == "tools":
        for tool, keyed in _tools(operation):
            action = {} if tool == keyed.name else {"action": keyed.name}
            yield _write_members({"name": tool, "arguments": {**action, **_translate_keys(members, keyed, operation)}})
        return
    for keyed in _types(dialect, operation):
        yield _write_members({"type": keyed.name, **_translate_keys(members, keyed, operation)})


def name_in(dialect: str, said: str) -> tuple[str, Members]:
    """Return the name that a proposal in JSON has, and its members; an empty name where it has none."""
    try:
        value = strict_json(said)
    except NotStrict:
        return "", {}
    name, members = _read_named(value, said) if dialect == "tools" else _read_typed(value)
    return (name, members) if isinstance(name, str) else ("", {})


def _read_named(value: Json, said: str) -> tuple[Json, Members]:
    made = [one for one in calls(value, said) if isinstance(one, Call)]
    if len(made) != 1:
        return "", {}
    members = dict(made[0].arguments)
    return (members.pop("action", "") if tool_of(made[0].name) else made[0].name), members


def _read_typed(value: Json) -> tuple[Json, Members]:
    members = dict(cast("Members", value)) if isinstance(value, dict) else {}
    return members.pop("type", ""), members


def _tools(operation: Operation) -> Iterator[tuple[str, Keyed]]:
    own = own_tool(vocabulary.open_name(operation.id), {operation.id: operation})
    if own is not None:
        yield own.name, own
    yield from ((it.name, keyed) for it in TWO for keyed in it.actions.names if keyed.operation == operation.id)


def _types(dialect: str, operation: Operation) -> Iterator[Keyed]:
    table = vocabulary.COMMANDS if dialect == "commands" else vocabulary.BLOCKS
    yield from (keyed for keyed in table if keyed.operation == operation.id)
    if dialect == "commands":
        yield derive_keyed(operation, "type")


def _translate_keys(members: Members, keyed: Keyed, operation: Operation) -> dict[str, Json]:
    """Return members by the keys of a name; a key that no dialect has for this operation stays as it is."""
    meanings = {key: name for given in _sources(operation) for key, name in given.keys.items()}
    wanted = {name: key for key, name in reversed(list(keyed.keys.items()))}
    return {
        key if key in keyed.keys else wanted.get(meanings.get(key, key), key): value for key, value in members.items()
    }


def _sources(operation: Operation) -> Iterator[Keyed]:
    tables = (*vocabulary.MACOS_AUTO, *vocabulary.BROWSER, *vocabulary.BLOCKS, *vocabulary.COMMANDS)
    yield from (keyed for keyed in tables if keyed.operation == operation.id)


def _write_members(value: Members) -> str:
    return json.dumps(value, ensure_ascii=False)


DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {found.name: found for found in (LINES, TOOLS, BLOCKS, ACTIONS, COMMANDS)}
)
MOST_TRIED = 8

_CLOSE = 0.4
"""How near a key must be to one that is taken; a wrong guess would be read without a problem."""

_NOT_TAKEN = re.compile(r"does not take “([^”]+)”; it takes ([^;]+?)(?:, and |$)|has no “([^”]+)”")
_NO_SUCH = re.compile(r"^Unknown command: |^there is no (?:command|type|tool) “|“action”, one of: .+, not “")
_MEANT = re.compile(r"did you mean (.+)\?$")
_INSTANCE = ("templateId", "label", "params", "style", "description")


def write_corrected(dialect: str, said: str, error: str, operations: Operations) -> str:
    """Return a whole reply of this dialect that proposes what was meant and has no problem; empty where none is sure.

    Tried are the mended JSON, the nearest key for one that is not taken, and the name that means what was written.
    A name of another meaning is never tried: what is near by its letters only may be the opposite.
    """
    if len(said) > LONGEST:
        return ""
    candidates = _lines(said, error) if dialect == "lines" else _objects(said, error)
    return _first(dialect, candidates, operations) or _otherwise(dialect, said, error, operations)


def _otherwise(dialect: str, said: str, error: str, operations: Operations) -> str:
    """Return the reply under the name that was meant; of several that can say it, one is picked of reads alone."""
    if not _NO_SUCH.search(error):
        return ""
    may = find_meant(dialect, said, operations)
    found = [(one, _first(dialect, rename_proposal(dialect, said, one), operations)) for one in may]
    able = [(one, reply) for one, reply in found if reply]
    sure = len(able) == 1 or all(one.kind == "read" for one, _ in able)
    return able[0][1] if able and sure else ""


def _first(dialect: str, candidates: Iterator[str], operations: Operations) -> str:
    for _, candidate in zip(range(MOST_TRIED), candidates, strict=False):
        reply = _reply(dialect, candidate)
        found = read(DIALECTS[dialect], operations, reply)
        if found.proposals and all(proposal.problem is None for proposal in found.proposals):
            return reply
    return ""


def _lines(said: str, error: str) -> Iterator[str]:
    meant = _MEANT.search(error)
    if meant is not None:
        yield meant.group(1)
        yield " ".join([meant.group(1), *said.split(None, 1)[1:]])
    if "a quote is not closed" in error:
        yield said + '"'


def _objects(said: str, error: str) -> Iterator[str]:
    whole = correct_json(said)
    if whole and whole != said:
        yield whole
    for wrong in _NOT_TAKEN.finditer(error):
        known = wrong.group(2).split(", ") if wrong.group(2) else _INSTANCE
        key = wrong.group(1) or wrong.group(3)
        yield from _rename_in(said, key, get_close_matches(key, known, 3, _CLOSE))


def _rename_in(said: str, wrong: str, names: list[str]) -> Iterator[str]:
    if said.count(f'"{wrong}"') == 1:
        yield from (said.replace(f'"{wrong}"', f'"{name}"') for name in names)


def _reply(dialect: str, text: str) -> str:
    if dialect == "blocks":
        return block_fenced(text)
    if dialect == "actions":
        return action_fenced(text if '"actions"' in text else f'{{"actions": [{text}]}}')
    if dialect == "commands" and '"commands"' not in text:
        return f'{{"commands": [{text}], "needs_clarification": false, "clarification_reason": null}}'
    return text
