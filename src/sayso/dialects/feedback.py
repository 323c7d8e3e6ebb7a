"""What a model is given back: results, notes and corrections, in its own dialect."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import Candidate, ProposalError
from sayso.core.operation import Operation
from sayso.core.proposal import Proposal
from sayso.dialects import vocabulary
from sayso.dialects.actions import OPERATION as TEMPLATE
from sayso.dialects.base import Note, Reading
from sayso.dialects.corrections import DIALECTS, find_meant, name_in, near, write_corrected
from sayso.dialects.json import SAID_BEFORE
from sayso.dialects.keyed import derive_keyed, shape, write_keyed
from sayso.dialects.lines import LINES
from sayso.dialects.lines.grammar import Form, commands_of
from sayso.dialects.lines.grammar import derived as derived_form
from sayso.dialects.lines.reader import LONGEST_QUOTE
from sayso.dialects.tools import TWO, own_tool
from sayso.dialects.vocabulary import Keyed

_INSTANCE = '{"actions": [{"templateId": text, "label": text, "params": object}]}'

Arguments = Mapping[str, Json]


class Spoken(Struct, frozen=True):
    """An operation in the words of a dialect: its name, its keys by canonical name, and how it is written."""

    name: str
    keys: Mapping[str, str]
    form: str


def spoken(dialect: str, operation: Operation, arguments: Arguments) -> Spoken | None:
    """Return the operation in the words of a dialect; None for what the dialect has no words for.

    Of several names it is the one that can say these arguments, else the one that contradicts them least.
    """
    if dialect == "lines":
        form = _line_form(operation, arguments)
        return Spoken(form.name, {parameter.name: parameter.name for parameter in form.takes}, form.usage)
    if dialect == "tools":
        return _tool(operation, arguments)
    if dialect == "actions":
        return Spoken("actions", {}, _INSTANCE) if operation.id == TEMPLATE else None
    keyed = _best(_keyed_forms(dialect, operation), operation, arguments)
    return None if keyed is None else Spoken(keyed.name, _keys(keyed), shape(keyed, operation, "type"))


def line_of(operation: Operation, arguments: Arguments) -> str:
    """Return the first line of what the line dialect writes for this; where it cannot say it, the command's name."""
    try:
        return LINES.write(operation, arguments).partition("\n")[0]
    except ProposalError:
        return _line_form(operation, arguments).name


def _line_form(operation: Operation, arguments: Arguments) -> Form:
    fitting = [
        form
        for form in commands_of(operation)
        if all(arguments.get(name, value) == value for name, value in form.fixed.items())
    ]
    return fitting[0] if fitting else derived_form(operation)


def _keyed_forms(dialect: str, operation: Operation) -> Iterator[Keyed]:
    table = vocabulary.COMMANDS if dialect == "commands" else vocabulary.BLOCKS
    yield from (keyed for keyed in table if keyed.operation == operation.id)
    if dialect == "commands":
        yield derive_keyed(operation, "type")


def _best(found: Iterator[Keyed], operation: Operation, arguments: Arguments) -> Keyed | None:
    known = list(found)
    able = [keyed for keyed in known if _says(keyed, operation, arguments)]
    alike = [
        keyed
        for keyed in known
        if all(arguments.get(name, value) == value for name, value in keyed.fixed.items())
        and set(arguments) <= {*keyed.keys.values(), *keyed.fixed}
    ]
    return next(iter([*able, *alike, *known]), None)


def _says(keyed: Keyed, operation: Operation, arguments: Arguments) -> bool:
    try:
        write_keyed(keyed, operation, arguments)
    except ProposalError:
        return False
    return True


def _keys(keyed: Keyed) -> dict[str, str]:
    return {name: key for key, name in reversed(list(keyed.keys.items()))}


def _tool(operation: Operation, arguments: Arguments) -> Spoken | None:
    own = own_tool(vocabulary.open_name(operation.id), {operation.id: operation})
    if own is not None:
        members = shape(own, operation, "").removeprefix(f'{{"": "{own.name}"').removeprefix(", ").removesuffix("}")
        return Spoken(own.name, _keys(own), f'{{"name": "{own.name}", "arguments": {{{members}}}}}')
    tools = {keyed.name: tool.name for tool in TWO for keyed in tool.actions.names if keyed.operation == operation.id}
    keyed = _best(
        (keyed for tool in TWO for keyed in tool.actions.names if keyed.operation == operation.id), operation, arguments
    )
    if keyed is None:
        return None
    form = f'{{"name": "{tools[keyed.name]}", "arguments": {shape(keyed, operation, "action")}}}'
    return Spoken(keyed.name, _keys(keyed), form)


Row = Mapping[str, Json]
"""One result as `sayso run --json` prints it, with `said`: what the model wrote, where nothing came of it."""
Operations = Mapping[str, Operation]

_APPLIED = frozenset({"done", "undone"})
_NEITHER = frozenset({"unchanged", "waiting", "running", "unknown", "planned"})
"""Of these nobody can say that they failed, nor that they were applied; what changes nothing is dropped (T-70)."""
_NO_SUCH = re.compile("there is no (?:command|type) “([^”]+)”")
_LINE_END = re.compile(r"\r\n|\r|\n")
_FOLLOWING = ("suggestedActions", "refreshInbox")


def project_rows(dialect: str, rows: Sequence[Row], operations: Operations) -> list[dict[str, Json]]:
    """Return what the model is given back of each result, in order; a chat reply has blocks and actions in it."""
    return [_shape(dialect, row)(row, operations) for row in rows]


def _shape(dialect: str, row: Row) -> Callable[[Row, Operations], dict[str, Json]]:
    if row["operation"] == TEMPLATE and dialect not in {"lines", "tools", "commands"}:
        return _action
    return _SHAPES.get(dialect, _block)


def _line(row: Row, operations: Operations) -> dict[str, Json]:
    operation = operations.get(str(row["operation"]))
    command = _first_line(_describe_row(row)) if operation is None else line_of(operation, _arguments(row))
    return {"command": command or row["operation"], **_result(row)}


def _call(row: Row, operations: Operations) -> dict[str, Json]:
    return {"success": row["success"], "output": _output(row) if row["success"] else None, "error": row["error"]}


def _block(row: Row, operations: Operations) -> dict[str, Json]:
    state = row["state"]
    failed = state not in _APPLIED and state not in _NEITHER
    return {
        "type": _name("blocks", row, operations),
        "applied": state in _APPLIED,
        "failed": failed,
        "message": row["message"],
        "error": row["error"],
        "undo": row["undo"],
    }


def _action(row: Row, operations: Operations) -> dict[str, Json]:
    data = dict(_data(row))
    following = {key: data.pop(key) for key in _FOLLOWING if key in data}
    message = row["message"] if row["success"] else row["error"]
    return {"success": row["success"], "message": message, **({"data": data} if data else {}), **following}


def _command(row: Row, operations: Operations) -> dict[str, Json]:
    result = _result(row)
    error = result.pop("error")
    return {"type": _name("commands", row, operations), **result, "data": dict(_data(row)) or None, "error": error}


_SHAPES: Mapping[str, Callable[[Row, Operations], dict[str, Json]]] = MappingProxyType(
    {"lines": _line, "tools": _call, "blocks": _block, "actions": _action, "commands": _command}
)


def _result(row: Row) -> dict[str, Json]:
    return {key: row[key] for key in ("success", "message", "error")}


def _name(dialect: str, row: Row, operations: Operations) -> Json:
    """Return the dialect's own name; the canonical one where it has none, what was written where there is no such."""
    operation = operations.get(str(row["operation"]))
    if operation is None:
        return row["operation"] or _write_arguments(dialect, row) or None
    words = spoken(dialect, operation, _arguments(row))
    return row["operation"] if words is None else words.name


def _write_arguments(dialect: str, row: Row) -> str:
    # Of a long text not all is kept, and then the sentence alone still has the name.
    named = _NO_SUCH.match(str(row["error"]))
    return name_in(dialect, _describe_row(row))[0] or (named.group(1) if named else "")


def _describe_row(row: Row) -> str:
    return str(row.get("said") or "")


def _first_line(said: str) -> str:
    return _LINE_END.split(said, maxsplit=1)[0]


def _output(row: Row) -> Json:
    """Return text for the model: what a read found, else the confirmation of a write (S1-32, S1-33)."""
    if row.get("text"):
        return row["text"]
    data = _data(row)
    reads = row["plan"] is None and data
    return json.dumps(dict(data), ensure_ascii=False) if reads else row["message"]


def _data(row: Row) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", row["data"])


def _arguments(row: Row) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", row["arguments"])


LONGEST_SAID = 200
"""More characters of what the model said are not repeated to it."""

_BY_HAND = "app.ambiguous"
"""No name tells such applications apart; the sentence leaves it to the person."""
_NO_TEMPLATE = "template.not_found"
_AMBIGUOUS = frozenset({"target.ambiguous", _BY_HAND})
_NOT_FOUND = frozenset(
    {
        "app.unknown", "notes.no_folder", "path.missing", "preset.unknown", "shortcut.unknown", "tab.range",
        "tab.another", "target.not_found", "instance.not_found", _NO_TEMPLATE,
    }
)  # fmt: skip
_AGAIN = "Write the whole of it again, as strict JSON."
_NOTHING = Proposal(0, "")
_MALFORMED = frozenset({"json", "document", "block", "action", "heredoc", "quote"})
_ENDS: Mapping[str, str] = {
    "declined": "The person said no. Do not propose it again unless they ask for it.",
    "expired": "Nobody decided in time, and nothing was done. Propose it again only if it is still wanted.",
    "refused": "It is not allowed here, and writing it in another way does not change that. Propose something else.",
    "failed": "Look at what is there before you propose it again.",
    "skipped": "It was not tried. Propose it again when what stood in its way is mended.",
    "unknown": "Whether it happened is not certain. Do not propose it again before the person has looked.",
    "unchanged": "It would change nothing, and was dropped. Do not propose it again.",
}
"""What to do next, for each end that another spelling does not mend."""
_NOT_HERE = "Nothing here can do it. Say so to the person instead of proposing it again."


def notes(reading: Reading, rows: Sequence[Row], operations: Operations) -> tuple[Note, ...]:
    """Return a note for each proposal of a reading that was not carried out; `rows` are its results.

    In a chat reply what changes nothing is told too: the person sees no button for it (T-70).
    """
    read = {proposal.index: proposal for proposal in reading.proposals}
    told = [_note(reading.dialect, row, read.get(cast("int", row["index"]), _NOTHING), operations) for row in rows]
    return tuple(note for note in told if note is not None)


def _note(dialect: str, row: Row, proposal: Proposal, operations: Operations) -> Note | None:
    kind = _kind(str(row["state"]), str(row["code"] or ""))
    said, index = proposal.said, cast("int", row["index"])
    own = _dialect_of(dialect, row, said)
    if kind is None or (kind == "unchanged" and own != "blocks"):
        return None
    problem = _end_sentence(str(row["error"] or row["message"]).partition(SAID_BEFORE)[0].rstrip(". "))
    if row["code"] == "unavailable":
        hint = _NOT_HERE
    else:
        hint = _ENDS[kind] if kind in _ENDS else _instead(own, row, said, operations)
    cut = said
    if len(said) > LONGEST_SAID:
        cut, quoted = said[:LONGEST_SAID] + "…", said[:LONGEST_QUOTE]
        problem = problem.replace(f"{quoted}…", cut).replace(quoted, cut)
    return Note(kind, index, cut, f"{problem} {hint}".rstrip(), candidates_of(row), proposal.line)


def _end_sentence(sentence: str) -> str:
    return sentence if sentence.endswith("?") else f"{sentence}."


def candidates_of(row: Row) -> tuple[Candidate, ...]:
    """Return what may have been meant, as a result holds it."""
    data = cast("Mapping[str, Json]", row.get("data") or {})
    found = cast("Sequence[Mapping[str, str]]", data.get("candidates") or ())
    return tuple(Candidate(one["name"], one["id"], one["where"]) for one in found)


def _kind(state: str, code: str) -> str | None:
    if state not in (*_ENDS, "invalid"):
        return None
    if state in {"invalid", "failed"}:
        if code in _AMBIGUOUS:
            return "ambiguous"
        if code in _NOT_FOUND:
            return "not_found"
    if state == "invalid" and code.partition(".")[0] in _MALFORMED:
        return "malformed"
    return state


def _dialect_of(dialect: str, row: Row, said: str) -> str:
    """Return the dialect of one proposal of a chat reply: an action runs a template, all else is a block."""
    if dialect in DIALECTS and dialect not in {"blocks", "actions"}:
        return dialect
    return "actions" if row["operation"] == TEMPLATE or '"templateId"' in said else "blocks"


def _instead(dialect: str, row: Row, said: str, operations: Operations) -> str:
    operation = operations.get(str(row["operation"])) or _find_meant_operation(dialect, row, said, operations)
    if row["state"] == "invalid":
        better = write_corrected(dialect, said, str(row["error"]), operations)
        if better:
            return f"Write this instead:\n{better}"
    arguments = cast("Mapping[str, Json]", row["arguments"])
    words = None if operation is None else spoken(dialect, operation, arguments)
    if words is None and row["code"] == "command.unknown":
        return near(said, operations) if dialect == "lines" else ""
    if words is None or row["code"] == _BY_HAND:
        return _AGAIN if str(row["code"]).partition(".")[0] == "json" else ""
    if row["code"] == _NO_TEMPLATE:
        there = "with one of those as “templateId”" if candidates_of(row) else "once there is one"
        return f"Write it again {there}: {words.form}"
    if row["code"] not in _AMBIGUOUS | _NOT_FOUND:
        return f"Write it again: {words.form}"
    candidates, key = candidates_of(row), _key_named(words, arguments, str(row["error"]))
    if key and not candidates:
        return _ENDS["failed"]
    where = f" with one of those as “{key}”, {_name_candidate(candidates, str(row['error']))}" if key else ""
    return f"Write it again{where}: {words.form}"


def _name_candidate(candidates: Sequence[Candidate], error: str) -> str:
    """Say what names a candidate; its id where the sentence shows one, as its exact text then names another one too."""
    by_id = [bool(one.id) and f"id {one.id}" in error for one in candidates]
    if all(by_id):
        return "by its id"
    return "by its id where one is given, else by its exact text" if any(by_id) else "letter for letter"


def _find_meant_operation(dialect: str, row: Row, said: str, operations: Operations) -> Operation | None:
    """Return the one operation that was meant by a name that there is not; None where none or several may be."""
    may = find_meant(dialect, said, operations) if row["code"] == "command.unknown" else []
    return may[0] if len(may) == 1 else None


def _key_named(words: Spoken, arguments: Mapping[str, Json], error: str) -> str:
    """Return the dialect's key of the argument whose value the sentence names."""
    named = (name for name, value in arguments.items() if isinstance(value, str) and f"“{value}”" in error)
    name = next(named, "")
    return words.keys.get(name, name)
