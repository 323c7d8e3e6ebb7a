"""Write the file of an action that does again what was done once: each step a call, each value a parameter."""

import keyword
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

from msgspec import Struct

from sayso.core.encoding import Json, canonical
from sayso.core.errors import SetupError
from sayso.core.operation import Operation, Parameter
from sayso.core.quotes import quoted
from sayso.templates.protocol import mentions
from sayso.templates.runner import AFTER, NEEDS_REPLY, NOT_FROM_A_HANDLER, NewAction, write_action

REDACTED = "[redacted]"
"""What the journal has in place of a value that it does not keep (`journal/redaction.py`)."""
WIDE = 90
SHARED_FROM = 3
"""How long a text is at least that two steps share as one parameter although its names differ."""
MOST_EXAMPLE = 60
LONGEST_NAME = 40
"""How many letters of an argument's name are taken over where that cannot be a name in Python."""


class DoneStep(Struct, frozen=True):
    """One action of the run: its operation and arguments as the journal has them, and why it does not count, if so."""

    operation: str
    arguments: Mapping[str, Json]
    why_not: str = ""


class ActionDraft(Struct, frozen=True):
    """The text of an action's file but for its id and name, words for both, and a sentence for all that is not in it.

    `@ID@` and `@NAME@` stand in the text for the id and the name.
    """

    text: str
    words: tuple[str, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]


def draft_action(steps: Sequence[DoneStep], operations: Mapping[str, Operation], day: str) -> ActionDraft:
    """Return the draft of an action that requests the same again.

    Raises `SetupError` that says why, if a handler can request none of the steps.
    """
    left_out: list[str] = []
    calls: list[tuple[Operation, Mapping[str, Json]]] = []
    for step in steps:
        why = step.why_not or _why_not(step, operations)
        if why:
            left_out.append(f"{step.operation or 'a step'}: {why}")
        else:
            calls.append((operations[step.operation], step.arguments))
    if not calls:
        why = "; ".join(dict.fromkeys(left_out)) or "nothing was done in it"
        raise SetupError(f"no action can be made of that run: {why}", "template.nothing_done")
    parameters = _Parameters()
    parameters.notes += [f"what {one.id} answers is not used" for one, _ in calls if one.id in NEEDS_REPLY]
    lines = [_call(operation, arguments, parameters) for operation, arguments in calls]
    did = "1 thing was" if len(calls) == 1 else f"{len(calls)} things were"
    text = "\n".join(
        [
            f'"""Do again what was done on {day}."""',
            "",
            "# “config” is read without running this file, so it is written out as plain values.",
            "config = {",
            '    "id": "@ID@",',
            '    "name": "@NAME@",',
            f'    "description": {_literal(_describe(calls, day), 4)},',
            '    "parameterSchema": {',
            '        "type": "object",',
            f'        "properties": {parameters.written()},',
            f'        "required": {_literal(parameters.required, 8)},',
            "    },",
            "}",
            "",
            "",
            "async def handler(params, context):",
            '    """Ask for the same steps again; nothing is done before all of it was shown to you."""',
            *lines,
            f'    return {{"success": True, "message": "{did} done again"}}',
            "",
        ]
    )
    first, *others = dict.fromkeys(one.id for one, _ in calls)
    words = [*_words(first), *(["and", *_words(others[0])] if len(others) == 1 else ["and", "more"] if others else [])]
    return ActionDraft(text, tuple(words), tuple(left_out), tuple(parameters.notes))


def write_draft(folder: Path, name: str, draft: ActionDraft) -> NewAction:
    """Write the file of a draft. Without a name it gets one from its words, which no other file has yet.

    Raises `SetupError` if the file exists or cannot be written.
    """
    if name:
        return write_action(folder, name, draft.text)
    number, free = 1, " ".join(draft.words)
    while (folder / f"{free.replace(' ', '-')}.py").exists():
        number += 1
        free = f"{' '.join(draft.words)} {number}"
    return write_action(folder, free, draft.text)


def _why_not(step: DoneStep, operations: Mapping[str, Operation]) -> str:
    """Return why a handler cannot request a step, or an empty text."""
    operation = operations.get(step.operation)
    if operation is None or step.operation in NOT_FROM_A_HANDLER:
        return "an action of your own cannot ask for it"
    if operation.kind == "read":
        return "it only looked, and what an action does with what it sees is for you to write"
    if mentions(step.arguments, AFTER):
        return "it used what an earlier step left, which is known only once that is done"
    problems = operation.check(step.arguments)[1]
    if problems and not mentions(step.arguments, REDACTED):
        return f"it does not take these arguments any more ({problems[0].sentence})"
    return ""


def _words(operation: str) -> list[str]:
    """Return the words of an operation's id, the verb first: `file.move` gives move and file."""
    if operation == "file.mkdir":
        return ["make", "folder"]
    domain, _, verb = operation.partition(".")
    verbs = verb.split("_")
    return verbs if domain in verbs else [*verbs[:1], domain, *verbs[1:]]


def _describe(calls: Iterable[tuple[Operation, object]], day: str) -> str:
    what = dict.fromkeys(operation.summary.partition(";")[0] for operation, _ in calls)
    return f"Does again what was done on {day}. {'. '.join(what)}."


def _call(operation: Operation, arguments: Mapping[str, Json], parameters: "_Parameters") -> str:
    given = [
        _argument(one.name, parameters.value(operation, one, arguments[one.name]))
        for one in operation.parameters
        if one.name in arguments and arguments[one.name] is not None
    ]
    line = f"    await context.do({', '.join([_literal(operation.id, 0), *given])})"
    if len(line) <= WIDE:
        return line
    parts = "".join(f"        {part},\n" for part in (_literal(operation.id, 0), *given))
    return f"    await context.do(\n{parts}    )"


def _argument(name: str, value: str) -> str:
    """Return the code of an argument; the tools of MCP servers name theirs as they like, so a name is data too."""
    return f"{name}={value}" if _is_plain(name) else f"**{{{_literal(name, 0)}: {value}}}"


def _is_plain(name: str) -> bool:
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)


class _Parameters:
    """The parameters of the new action, made as its calls are written."""

    def __init__(self) -> None:
        self._known: dict[bytes, str] = {}
        self._properties: dict[str, dict[str, Json]] = {}
        self.required: list[Json] = []
        self.notes: list[str] = []

    def value(self, operation: Operation, parameter: Parameter, value: Json) -> str:
        """Return the code of a value: the parameter that stands for it, or the value itself."""
        hidden = mentions(value, REDACTED)
        if not hidden and (isinstance(value, bool) or value in ("", [], {}) or parameter.choices):
            return _literal(value, 8)
        long = isinstance(value, str) and len(value) >= SHARED_FROM
        key = canonical(["" if long else parameter.name, value])
        if hidden or key not in self._known:
            name = self._free(parameter.name)
            if hidden:
                self._hide(name, operation, parameter)
            else:
                self._properties[name] = {
                    "type": _type(value),
                    "description": f"{_asks(name, operation)}, such as {_example(value)}.",
                    "default": value,
                }
            self._known[key] = name
            if parameter.name in {"index", "indices"}:
                self.notes.append(f"{quoted(name)} counts places in a list, which may hold something else by then")
            return f'params["{name}"]'
        return f'params["{self._known[key]}"]'

    def _hide(self, name: str, operation: Operation, parameter: Parameter) -> None:
        """Add a parameter for a value that the journal does not keep: it is given anew each time, and kept nowhere."""
        schema = parameter.schema
        kinds = [schema, *cast("Sequence[Mapping[str, Json]]", schema.get("anyOf") or ())]
        kind = next((one["type"] for one in kinds if one.get("type") not in {None, "null"}), "string")
        self._properties[name] = {
            "type": kind,
            "description": f"{_asks(name, operation)}; the log does not keep it.",
            "secret": True,
        }
        self.required.append(name)
        self.notes.append(f"{quoted(name)} has to be given each time, since the log does not keep it")

    def _free(self, name: str) -> str:
        letters = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
        name = name if _is_plain(name) else f"value_{letters[:LONGEST_NAME]}"
        number, free = 1, name
        while free in self._properties:
            number += 1
            free = f"{name}_{number}"
        return free

    def written(self) -> str:
        """Return the code of all parameters."""
        return _literal(cast("Json", self._properties), 8)


def _asks(name: str, operation: Operation) -> str:
    return f"The {name.replace('_', ' ')} of {operation.id}"


def _type(value: Json) -> str:
    match value:
        case int():
            return "integer"
        case float():
            return "number"
        case list() | tuple():
            return "array"
        case Mapping():
            return "object"
        case _:
            return "string"


def _example(value: Json) -> str:
    text = value if isinstance(value, str) else canonical(value).decode()
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    return f"“{plain if len(plain) <= MOST_EXAMPLE else plain[:MOST_EXAMPLE] + '…'}”"


def _literal(value: Json, indent: int) -> str:
    """Return a value as Python code; what is too long for one line is put on several, with `indent` before the last."""
    if isinstance(value, str):
        return _text(value, indent)
    if not isinstance(value, Mapping | list | tuple):
        return repr(value)
    opens, closes = "{}" if isinstance(value, Mapping) else "[]"
    deeper = indent + 4
    if isinstance(value, Mapping):
        members = cast("Mapping[str, Json]", value).items()
        items = [f"{_text(name, deeper)}: {_literal(item, deeper)}" for name, item in members]
    else:
        items = [_literal(item, deeper) for item in cast("Sequence[Json]", value)]
    line = f"{opens}{', '.join(items)}{closes}"
    if len(line) + indent <= WIDE and "\n" not in line:
        return line
    return f"{opens}\n" + "".join(f"{' ' * deeper}{item},\n" for item in items) + f"{' ' * indent}{closes}"


def _text(text: str, indent: int) -> str:
    lines = text.splitlines(keepends=True)
    if len(lines) > 1 and len(text) + indent > WIDE:
        return "(\n" + "".join(f"{' ' * (indent + 4)}{_one(line)}\n" for line in lines) + f"{' ' * indent})"
    return _one(text)


def _one(text: str) -> str:
    """Return a text as a literal; what cannot be printed is escaped in it, so that it never ends the literal."""
    shown = repr(text)
    return f'"{shown[1:-1]}"' if shown[0] == "'" and '"' not in text else shown
