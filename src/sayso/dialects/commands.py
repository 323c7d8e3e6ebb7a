"""The commands dialect: one JSON document with a batch of commands, which are carried out all or not at all."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from sayso.core.dialect import Clarification, Event, ProposalEvent, Reader
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation, Problem
from sayso.core.proposal import Proposal
from sayso.dialects import base, vocabulary
from sayso.dialects.answers import JsonDialect, Operations, ResultRow, data_of, outcome_of
from sayso.dialects.json import SAID_BEFORE, NotStrict, correct_json, elements, strict_json
from sayso.dialects.vocabulary import (
    LONGEST_NAME,
    Keyed,
    Place,
    Vocabulary,
    WholeReader,
    derive_keyed,
    open_name,
    places,
    read_proposal,
    shape,
    unknown,
    write_keyed,
)

_ROLE = """\
You match what the person wants to operations of their computer. You understand the request, compare it with the \
context, and name exact values; the system checks them and carries them out. You never write filters, searches or \
program code."""

_FORM = """\
Answer with exactly one JSON object and nothing else:
{"commands": [ … ], "needs_clarification": false, "clarification_reason": null}
“commands” holds one object for each operation, in the order they are to happen. Each has a “type” and the keys listed \
for it, and no others. It is empty when there is nothing to do."""

_CLARIFICATION = """\
When nothing in the context fits, or several things do, do not guess: write the command without the value that is in \
doubt, set “needs_clarification” to true, and say in “clarification_reason” what to choose from. Nothing is carried \
out then, and the person's answer comes to you."""

_EXACT = "Names are exact: take them from the context, letter for letter."
_INDICES = """\
Tabs are numbered from 1 over all windows, as in the context. All numbers of one answer mean the tabs as the context \
shows them; they do not shift while the commands are carried out. One close_tab lists all tabs that are to be closed."""
_TABS = """\
“Go to” or “switch to” a site means switch_tab when the context has a tab for it. “Open” a site, or “a new tab”, means \
open_url, which always opens a new tab."""
_BOUNDS = """\
For a monitor at x, y of width w and height h, bounds are [left, top, right, bottom]: left half [x, y, x+w/2, y+h]; \
right half [x+w/2, y, x+w, y+h]; whole [x, y, x+w, y+h]; a size W×H in its middle \
[x+(w-W)/2, y+(h-H)/2, x+(w+W)/2, y+(h+H)/2]. Compute them from the monitors in the context, as whole numbers."""
_QUERY = "query answers a question from the context and changes nothing; use it when the person only asks."
_TIMES = "Times are written YYYY-MM-DD HH:MM, or YYYY-MM-DD for a whole day, in local time."
_PATHS = "Paths are absolute, or ~ or start with ~/, and are never patterns."

EXAMPLES = (
    ("switch_tab", "switch to reddit (tab 3 is on reddit.com)", '{"type": "switch_tab", "tab_index": 3}'),
    ("close_tab", "close all reddit tabs (2, 5 and 8)", '{"type": "close_tab", "tab_indices": [2, 5, 8]}'),
    ("open_url", "open chatgpt", '{"type": "open_url", "url": "https://chatgpt.com"}'),
    (
        "place_app",
        "put Chrome in the middle of my 1920×1080 screen, 1200×800",
        '{"type": "place_app", "app_name": "Google Chrome", "bounds": [360, 140, 1560, 940]}',
    ),
)
"""For each type, a request and the command that answers it; the tests put each command into a reply and read it."""

UNCLEAR = (
    "switch_tab",
    "switch to xyz (no tab is on it)",
    '{"commands": [{"type": "switch_tab"}], "needs_clarification": true, "clarification_reason": "No tab is on xyz."}',
)


def reply(command: str) -> str:
    """Return a whole reply that contains only this command."""
    return f'{{"commands": [{command}], "needs_clarification": false, "clarification_reason": null}}'


def describe(operations: Sequence[Operation]) -> str:
    """Return the prompt for these operations: role, form, a line for each type, and examples (S4-54, T-12)."""
    known = {operation.id: operation for operation in operations}
    forms = _list_forms(known)
    types = {keyed.name for keyed in forms}
    lines = "\n".join(f"- {shape(keyed, known[keyed.operation], 'type')} - {_summary(keyed, known)}" for keyed in forms)
    parts = [
        _ROLE,
        _FORM,
        _CLARIFICATION,
        "\n".join([*_rules(types, known), *base.rules(operations)]),
        f"TYPES:\n{lines}",
    ]
    examples = [f"{said}\n{reply(command)}" for name, said, command in EXAMPLES if name in types]
    examples += [f"{said}\n{whole}" for name, said, whole in (UNCLEAR,) if name in types]
    return "\n\n".join([*parts, "EXAMPLES:\n" + "\n".join(examples)] if examples else parts) + "\n"


def _list_forms(known: dict[str, Operation]) -> list[Keyed]:
    named = [keyed for keyed in vocabulary.COMMANDS if keyed.operation in known]
    have_a_name = {keyed.operation for keyed in named}
    return named + [derive_keyed(operation, "type") for id_, operation in known.items() if id_ not in have_a_name]


def _summary(keyed: Keyed, known: dict[str, Operation]) -> str:
    return known[keyed.operation].summary


def _rules(types: set[str], known: dict[str, Operation]) -> Iterator[str]:
    yield _EXACT
    if types & {"switch_tab", "close_tab"}:
        yield _INDICES
    if {"switch_tab", "open_url"} <= types:
        yield _TABS
    if "place_app" in types:
        yield _BOUNDS
    if "query" in types:
        yield _QUERY
    kinds = {parameter.kind for operation in known.values() for parameter in operation.parameters}
    if "path" in kinds:
        yield _PATHS
    if "when" in kinds:
        yield _TIMES


VOCABULARY = Vocabulary(vocabulary.COMMANDS, "type", open=True)

FORM = '{"commands": […], "needs_clarification": false, "clarification_reason": null}'
_KEYS = ("commands", "needs_clarification", "clarification_reason")


class CommandsReader(WholeReader):
    """Reads a document, and returns all its proposals when the text has ended; no part of it is shown as text."""

    def read(self, document: str, line: int) -> Iterator[Event]:
        """Yield the events of the document."""
        members = _members(strict_json(document))
        asks = members.get("needs_clarification", False) is True
        commands = cast("list[Json]", members["commands"])
        for place, command in zip(places(document, elements(document, "commands"), line), commands, strict=True):
            yield ProposalEvent(self._proposal(place, command, asks=asks))
        if asks:
            yield Clarification(cast("str | None", members.get("clarification_reason")))

    def explain(self, document: str, wrong: str) -> str:
        """Return the form of a document, what is wrong with this one, and a correction."""
        return f"the reply is not {FORM}: {wrong}" + _suggest_correction(document)

    def _proposal(self, place: Place, command: Json, *, asks: bool) -> Proposal:
        if not isinstance(command, dict):
            return unknown(
                place, Problem("command.form", 'a command is an object with a “type”, such as {"type": "list_apps"}')
            )
        members = dict(cast("Mapping[str, Json]", command))
        if "type" not in members:
            return unknown(place, Problem("arguments.missing", "a command needs “type”"))
        name = members.pop("type")
        keyed = VOCABULARY.find(name, self._operations) if isinstance(name, str) else None
        if keyed is None:
            return unknown(place, self._unknown_type(name))
        if asks:  # the command may lack the values that the model asks about (S4-13)
            known = {keyed.keys[key]: value for key, value in members.items() if key in keyed.keys}
            return Proposal(place.index, place.said, keyed.operation, known, line=place.line, given=(keyed.name,))
        return read_proposal(place, keyed, members, self._operations)

    def _unknown_type(self, name: Json) -> Problem:
        if not isinstance(name, str):
            return Problem("arguments.type", "“type” must be the name of a command")
        hint = self._meaning.hint(name, VOCABULARY.name_of)
        return Problem("command.unknown", f"there is no command “{name[:LONGEST_NAME]}”{hint}")


def _suggest_correction(document: str) -> str:
    """Return the end of a message, with the reply in correct JSON; empty if that is no valid document."""
    written = correct_json(document)
    try:
        _members(strict_json(written))
    except NotStrict:
        return ""
    return SAID_BEFORE + written


def _members(value: Json) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise NotStrict("document.form", "it must be one object")
    members = cast("dict[str, Json]", value)
    for key in members:
        if key not in _KEYS:
            raise NotStrict("document.form", f"it has no key “{key[:LONGEST_NAME]}”; it has {', '.join(_KEYS)}")
    if not isinstance(members.get("commands"), list):
        raise NotStrict("document.form", "“commands” must be a list")
    if not isinstance(members.get("needs_clarification", False), bool):
        raise NotStrict("document.form", "“needs_clarification” must be true or false")
    if not isinstance(members.get("clarification_reason", None), str | None):
        raise NotStrict("document.form", "“clarification_reason” must be a text or null")
    return members


class CommandsDialect(JsonDialect):
    """S4: one JSON document with a list of commands."""

    name: str = "commands"
    all_or_nothing = True
    exact_names = True

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader that knows these operations and no others."""
        return CommandsReader(operations)

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the prompt section that teaches a model this contract."""
        return describe(operations)

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Return a document that the reader reads back as this operation with these arguments.

        Raises `ProposalError` for invalid arguments.
        """
        command = _command(operation, arguments)
        return json.dumps(
            {"commands": [command], "needs_clarification": False, "clarification_reason": None}, ensure_ascii=False
        )

    def remark(self, text: str) -> str:
        """Return an empty text, because the document cannot contain text for the person."""
        del text
        return ""

    def together(self, parts: Sequence[str]) -> str:
        """Return one document with all these commands, one per line."""
        commands = [command for part in parts for command in json.loads(part)["commands"]]
        lines = ",".join(f"\n    {json.dumps(command, ensure_ascii=False)}" for command in commands)
        return (
            f'{{\n  "commands": [{lines}\n  ],\n  "needs_clarification": false,\n  "clarification_reason": null\n}}\n'
        )

    def clarify(self, reason: str, about: Sequence[Operation] = ()) -> str:
        """Return a document that asks the person for clarification, for this reason.

        For each operation in `about`, it contains a command that has only its type.
        """
        commands = [{"type": _type(operation)} for operation in about]
        members = {"commands": commands, "needs_clarification": True, "clarification_reason": reason}
        return f"{json.dumps(members, ensure_ascii=False)}\n"

    def types(self, operation: Operation) -> Iterator[Keyed]:
        """Yield the names that S4 gives to an operation, and then its derived name."""
        yield from (keyed for keyed in vocabulary.COMMANDS if keyed.operation == operation.id)
        yield derive_keyed(operation, "type")

    def result(self, row: ResultRow, operations: Operations) -> dict[str, Json]:
        """Return the type of the command, its outcome and its data."""
        result = outcome_of(row)
        error = result.pop("error")
        return {"type": self.type_of(row, operations), **result, "data": dict(data_of(row)) or None, "error": error}

    def whole(self, said: str) -> str:
        """Return a document that contains only this command."""
        return said if '"commands"' in said else reply(said)


def _type(operation: Operation) -> str:
    return next(
        (keyed.name for keyed in vocabulary.COMMANDS if keyed.operation == operation.id), open_name(operation.id)
    )


def _command(operation: Operation, arguments: Mapping[str, Json]) -> dict[str, Json]:
    for keyed in vocabulary.COMMANDS:
        if keyed.operation == operation.id:
            try:
                return {"type": keyed.name, **write_keyed(keyed, operation, arguments)}
            except ProposalError as wrong:
                if wrong.code != "dialect.unsayable":
                    raise
    keyed = derive_keyed(operation, "type")
    return {"type": keyed.name, **write_keyed(keyed, operation, arguments)}


COMMANDS = CommandsDialect()

__all__ = ["COMMANDS"]
