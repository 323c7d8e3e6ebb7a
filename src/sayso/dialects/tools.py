"""The tools dialect: tool calls in the forms in which models write them, and the answers to them."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import cast

from msgspec import Struct

from sayso.core.dialect import Event, ProposalEvent, Reader, TextEvent
from sayso.core.encoding import Json
from sayso.core.operation import Operation, Problem
from sayso.core.proposal import Proposal
from sayso.dialects import base, vocabulary
from sayso.dialects.answers import (
    JsonDialect,
    Operations,
    OperationWords,
    ResultRow,
    best_of,
    data_of,
    keys_of,
    says,
    translate_keys,
    write_members,
)
from sayso.dialects.base import FeedbackNote
from sayso.dialects.envelopes import CALLS
from sayso.dialects.json import SAID_BEFORE, NotStrict, correct_json, elements, strict_json
from sayso.dialects.vocabulary import (
    LONGEST_NAME,
    Keyed,
    Place,
    Vocabulary,
    WholeReader,
    choices,
    derive_keyed,
    members,
    open_name,
    operation_of_name,
    places,
    read_proposal,
    shape,
    unknown,
    usage,
    write_keyed,
)

_TEXTS_BESIDE = frozenset({"id", "type", "call_id", "status"})
_BESIDE = frozenset({"index", "cache_control", "caller"})
"""Keys that APIs add to a call; they are ignored."""
_PROGRESS = frozenset({"progressToken"})
"""The keys that `_meta` of a call may have; a call whose `_meta` has other keys is refused."""
_SILENT = frozenset({"thinking", "redacted_thinking", "reasoning"})
"""Types of message parts that are neither shown nor carried out."""
_ELSEWHERE = frozenset({"server_tool_use", "mcp_tool_use"})
"""Types of calls that the model's API carried out itself; their results are in parts of type `…_tool_result`."""
_ASSISTANT = "assistant"
_CALL_KEYS = ("arguments", "input")
_SHOWN = 80
_BLANK = re.compile(r"\s*")

Members = Mapping[str, Json]


class ParsedCall(Struct, frozen=True):
    """One call: the tool's name and the arguments; or, if it is no valid call, the problem.

    `at` is its span in the text.
    """

    name: str
    arguments: Members
    at: tuple[int, int]
    problem: Problem | None = None


class MessageText(Struct, frozen=True):
    """Text for the person in a message of the model."""

    text: str


def is_assistants(message: Members) -> bool:
    """Say whether a message was written by the model: its role is “assistant”, or is missing (PA-04)."""
    return message.get("role", _ASSISTANT) == _ASSISTANT


def is_done_elsewhere(kind: str) -> bool:
    """Say whether a part of this type reports a call that the model's API carried out itself."""
    return kind in _ELSEWHERE or kind.endswith("_tool_result")


def calls(value: Json, text: str) -> Iterator[ParsedCall | MessageText]:
    """Yield the calls and texts of a document in order; `value` was read from `text`."""
    if isinstance(value, list):
        yield from _items(cast("list[Json]", value), elements(text))
    elif isinstance(value, dict) and ("tool_calls" in value or ("role" in value and "content" in value)):
        yield from _message(cast("Members", value), text)
    else:
        yield _call(cast("Json", value), (0, len(text)))


def _message(message: Members, text: str) -> Iterator[ParsedCall | MessageText]:
    if not is_assistants(message):
        yield _not_the_models((0, len(text)), message)
        return
    content = message.get("content")
    if isinstance(content, str):
        yield MessageText(content)
    elif isinstance(content, list):
        yield from _items(cast("list[Json]", content), elements(text, "content"))
    elif content is not None:
        yield _no_call((0, len(text)), "“content” of a message is a text or a list of parts")
    made = message.get("tool_calls")
    if isinstance(made, list):
        yield from _items(cast("list[Json]", made), elements(text, "tool_calls"))
    elif made is not None or "function_call" in message:
        yield _no_call((0, len(text)), "the calls of a message stand in the list “tool_calls”")


def _items(items: list[Json], spans: list[tuple[int, int]]) -> Iterator[ParsedCall | MessageText]:
    for item, at in zip(items, spans, strict=True):
        kind = _type(item)
        if kind in {"text", "output_text"}:
            yield MessageText(str(cast("Members", item).get("text", "")))
        elif kind == "message":
            yield from _item(cast("Members", item), at)
        elif kind is None or not (kind in _SILENT or is_done_elsewhere(kind)):
            yield _call(item, at)


def _item(message: Members, at: tuple[int, int]) -> Iterator[ParsedCall | MessageText]:
    """Yield the texts of a message that is an item in a list of calls."""
    if not is_assistants(message):
        yield _not_the_models(at, message)
        return
    said = message.get("content")
    parts = cast("list[Json]", said) if isinstance(said, list) else [said]
    yield from (MessageText(_read_part(part)) for part in parts)


def _not_the_models(at: tuple[int, int], message: Members) -> ParsedCall:
    role = message.get("role")
    whose = f"“{role[:_SHOWN]}”" if isinstance(role, str) else "no text"
    return _no_call(at, f"only a message of the model itself holds calls: its “role” must be “assistant”, not {whose}")


def _type(item: Json) -> str | None:
    kind = cast("Members", item).get("type") if isinstance(item, dict) else None
    return kind if isinstance(kind, str) else None


def _read_part(part: Json) -> str:
    return str(cast("Members", part).get("text", "")) if isinstance(part, dict) else str(part or "")


def _call(value: Json, at: tuple[int, int]) -> ParsedCall:
    if not isinstance(value, dict):
        return _no_call(at, "a call is an object with “name” and “arguments”")
    kind = _type(cast("Json", value))
    if kind is not None and kind not in CALLS:
        return _no_call(at, f"“{kind[:_SHOWN]}” is no type of a call to be done here; leave “type” out")
    call = dict(cast("Members", value))
    if isinstance(call.get("function"), dict):
        inner = dict(cast("Members", call.pop("function")))
        twice = next((key for key, item in call.items() if not _is_beside(key, item)), None)
        if twice is not None:
            return _no_call(at, f"nothing may stand beside “function” in a call; found “{twice[:_SHOWN]}”")
        call = inner
    else:
        call = {key: item for key, item in call.items() if not _is_beside(key, item)}
    name = call.pop("name", None)
    if not isinstance(name, str) or not name:
        return _no_call(at, "a call needs “name”, the name of a tool")
    given = [key for key in _CALL_KEYS if key in call]
    others = [key for key in call if key not in _CALL_KEYS]
    if others or len(given) > 1:
        key = others[0] if others else given[1]
        return _no_call(at, f"a call has “name” and “arguments”, not “{key[:_SHOWN]}”", name)
    return _with_arguments(name, call[given[0]] if given else {}, at)


def _is_beside(key: str, value: Json) -> bool:
    if key == "_meta":
        return isinstance(value, dict) and cast("Members", value).keys() <= _PROGRESS
    return key in _BESIDE or (key in _TEXTS_BESIDE and (value is None or isinstance(value, str)))


def _with_arguments(name: str, given: Json, at: tuple[int, int]) -> ParsedCall:
    if isinstance(given, str):
        try:
            given = {} if _BLANK.fullmatch(given) else strict_json(given)
        except NotStrict as wrong:
            return ParsedCall(
                name, {}, at, Problem(wrong.code, f"the arguments of {name} are no JSON: {wrong.sentence}")
            )
    if not isinstance(given, dict):
        return _no_call(at, f"the arguments of {name} must be an object", name)
    return ParsedCall(name, cast("Members", given), at)


def _no_call(at: tuple[int, int], sentence: str, name: str = "") -> ParsedCall:
    return ParsedCall(name, {}, at, Problem("call.form", sentence))


class Tool(Struct, frozen=True):
    """One of the two tools of S1; `uses` maps each use to the operations that serve it."""

    name: str
    about: str
    uses: Mapping[str, frozenset[str]]
    actions: Vocabulary

    def purpose(self, known: Collection[str]) -> str:
        """Return the purpose in one line; a use is left out if none of its operations is available."""
        uses = [use for use, served in self.uses.items() if not served.isdisjoint(known)]
        return f"{self.about}: {', '.join(uses)}." if uses else f"{self.about}."


TWO = (
    Tool(
        "macos_auto",
        "Use the person's applications",
        {
            "open them": frozenset({"app.open"}),
            "notify": frozenset({"notify.show"}),
            "clipboard": frozenset({"clipboard.read", "clipboard.write"}),
            "calendar": frozenset({"calendar.today"}),
            "reminders": frozenset({"reminder.create"}),
            "notes": frozenset({"note.create"}),
            "mail": frozenset({"mail.send", "mail.inbox"}),
            "file manager": frozenset({"file.reveal"}),
        },
        Vocabulary(vocabulary.MACOS_AUTO, "action"),
    ),
    Tool(
        "browser",
        "Use the person's web browser",
        {
            "open pages": frozenset({"url.open"}),
            "read pages": frozenset({"page.text", "page.screenshot", "tab.title"}),
            "follow links": frozenset({"page.links", "page.click"}),
            "fill forms": frozenset({"page.fill"}),
            "switch tabs": frozenset({"tab.switch"}),
        },
        Vocabulary(vocabulary.BROWSER, "action"),
    ),
)


def _says_all(keyed: Keyed, operation: Operation) -> bool:
    """Say whether an action can express all arguments of its operation, with all their values."""
    said = frozenset(keyed.keys.values())
    return not (keyed.fixed or keyed.within) and all(parameter.name in said for parameter in operation.parameters)


def _has_own(operation: Operation) -> bool:
    """Say whether an operation has a tool of its own: no action of the two tools of S1 can express all of it."""
    return not any(_says_all(keyed, operation) for _, keyed in _actions_of(operation))


def tool_of(name: str) -> Tool | None:
    """Return one of the two tools of S1 by its name; None for any other name."""
    return next((tool for tool in TWO if tool.name == name), None)


def own_tool(name: str, operations: Mapping[str, Operation]) -> Keyed | None:
    """Return the entry for a tool that is a single operation; None if the name is not the name of such a tool.

    An operation has no tool of its own if an action of the two tools of S1 can express all of it. Otherwise it has one,
    beside the action if there is any: `reminder_create` repeats, which `reminder_add` of `macos_auto` cannot.
    """
    operation = operations.get(operation_of_name(name))
    if operation is None or open_name(operation.id) != name or not _has_own(operation):
        return None
    return derive_keyed(operation)


def own_tools(operations: Sequence[Operation]) -> list[Operation]:
    """Return the operations that have a tool of their own, in order."""
    return [operation for operation in operations if _has_own(operation)]


def tool_name(id_: str) -> str:
    """Return the name of an operation for messages: its own tool, or the action of one of the two tools of S1."""
    actions = (f"the action {name} of {tool.name}" for tool in TWO if (name := tool.actions.name_of(id_)))
    return next(actions, open_name(id_))


def all_names(operations: Mapping[str, Operation]) -> list[str]:
    """Return the names of all available tools."""
    two = [tool.name for tool in TWO if tool.actions.at_hand(operations)]
    return two + [open_name(operation.id) for operation in own_tools(list(operations.values()))]


class ToolsReader(WholeReader):
    """Returns the proposals of all calls, and the texts of the message, when the text has ended."""

    def read(self, document: str, line: int) -> Iterator[Event]:
        """Yield the calls and the texts."""
        found = list(calls(strict_json(document), document))
        standing = places(document, (one.at for one in found if isinstance(one, ParsedCall)), line)
        for one in found:
            yield (
                TextEvent(one.text)
                if isinstance(one, MessageText)
                else ProposalEvent(self._proposal(next(standing), one))
            )

    def explain(self, document: str, wrong: str) -> str:
        """Return the form of a call, what is wrong with this reply, and a correction."""
        form = '{"name": …, "arguments": {…}}'
        return f"the reply is no tool call such as {form}: {wrong}" + _suggest_correction(document)

    def _proposal(self, place: Place, call: ParsedCall) -> Proposal:
        if call.problem is not None:
            return unknown(place, call.problem)
        tool = tool_of(call.name)
        if tool is not None:
            return self._action(place, tool, call)
        keyed = own_tool(call.name, self._operations)
        if keyed is None:
            return unknown(place, self._unknown_tool(call.name))
        return read_proposal(place, keyed, call.arguments, self._operations)

    def _action(self, place: Place, tool: Tool, call: ParsedCall) -> Proposal:
        members = dict(call.arguments)
        action = members.pop("action", None)
        keyed = tool.actions.find(action, self._operations) if isinstance(action, str) else None
        if keyed is None:
            permitted = ", ".join(tool.actions.at_hand(self._operations)) or "none here"
            given = f", not “{str(action)[:LONGEST_NAME]}”" if "action" in call.arguments else ""
            code = "arguments.missing" if "action" not in call.arguments else "command.unknown"
            sentence = f"{tool.name} needs “action”, one of: {permitted}{given}"
            return unknown(place, Problem(code, sentence))
        return read_proposal(place, keyed, members, self._operations)

    def _unknown_tool(self, name: str) -> Problem:
        hint = self._meaning.hint(name, tool_name)
        return Problem("command.unknown", f"there is no tool “{name[:LONGEST_NAME]}”{hint}")


def _suggest_correction(document: str) -> str:
    """Return the end of a message with the corrected reply; empty if that does not contain only valid calls."""
    written = correct_json(document)
    made = list(calls(strict_json(written), written)) if written else []
    sound = all(isinstance(one, ParsedCall) and one.problem is None for one in made)
    return SAID_BEFORE + written if made and sound else ""


_HEAD = "Tools, in this order of preference. Prefer these:"
_OTHERS = "Then these, each for one thing:"
_RULES = {
    "": "- Actions that need the person's consent ask the person by themselves: go ahead with the call.",
    "one": "- One call is one action. Make several calls for several actions, and look at each result before the next.",
    "chain": "- Chain calls naturally: look at the calendar, then draft the mail, then send it.",
    "click": "- Before a click or a form that has consequences, say what it will do.",
    "failure": (
        "- When a call fails (an application does not run, a permission is missing), say so plainly, with the reason "
        "that the result gives, and suggest what else could be done."
    ),
}

_NEEDS: Mapping[str, frozenset[str]] = {
    "chain": frozenset({"calendar.today", "mail.compose", "mail.send"}),
    "click": frozenset({"page.click"}),
    "failure": frozenset(),
}
"""The operations that each rule is about; a rule is shown only if all its operations are available."""
_USES: Mapping[str, Mapping[str, frozenset[str]]] = {
    "Use browser to": {
        "look things up": frozenset({"url.open"}),
        "fill in forms": frozenset({"page.fill"}),
        "take data from pages": frozenset({"page.text", "page.links"}),
    },
    "Use macos_auto for": {
        "reminders": frozenset({"reminder.create"}),
        "calendar": frozenset({"calendar.today"}),
        "mail": frozenset({"mail.send", "mail.inbox"}),
        "notes": frozenset({"note.create"}),
    },
}


def describe(operations: Sequence[Operation]) -> str:
    """Return the prompt: each tool with its purpose, the two tools of S1 first, and the rules (S1-53 to S1-58)."""
    known = {operation.id: operation for operation in operations}
    two = [tool for tool in TWO if tool.actions.at_hand(known)]
    lines: list[str] = [_HEAD] if two else []
    for tool in two:
        lines.append(f"- {tool.name}: {tool.purpose(known)}")
        here = [keyed for keyed in tool.actions.names if keyed.operation in known]
        lines += [f"  - action {_action(keyed, known[keyed.operation])}" for keyed in here]
    others = own_tools(operations)
    lines += [_OTHERS] if others else []
    for one in others:
        lines.append(f"- {open_name(one.id)}({usage(derive_keyed(one), one)}): {one.summary}.")
        lines += [
            f"  - {it.name}: {said}" for it in one.parameters if (said := members(it.schema) or choices(it.schema))
        ]
    rules = [_RULES[""], _RULES["one"], *_uses(known)]
    rules += [_RULES[name] for name, needs in _NEEDS.items() if needs <= known.keys()]
    rules += [f"- {rule}" for rule in base.rules(operations)]
    return "\n".join([*lines, "", "Rules for actions:", *rules]) + "\n"


def _uses(known: Collection[str]) -> Iterator[str]:
    """Yield what each of the two tools of S1 is used for; a use is left out if none of its operations is available."""
    for begin, uses in _USES.items():
        named = [use for use, served in uses.items() if not served.isdisjoint(known)]
        if named:
            yield f"- {begin} {' and '.join(', '.join(named).rsplit(', ', 1))}."


def _action(keyed: Keyed, operation: Operation) -> str:
    known = {parameter.name: parameter.choices for parameter in operation.parameters}
    told = {name: value for name, value in keyed.fixed.items() if not known[name] or value in known[name]}
    fixed = "".join(f"; always {name} {json.dumps(value)}" for name, value in told.items())
    return f"{keyed.name}: {usage(keyed, operation) or 'nothing more'} - {operation.summary}{fixed}"


_NEXT = ",\n  "


class ToolsDialect(JsonDialect):
    """S1: each call proposes one action."""

    name: str = "tools"

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader that knows these operations and no others."""
        return ToolsReader(operations)

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the prompt section that teaches a model these tools."""
        return describe(operations)

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Return a call that the reader reads back as this operation with these arguments.

        Raises `ProposalError` for invalid arguments.
        """
        name, members = next(_calls(operation, arguments))
        return json.dumps({"name": name, "arguments": members}, ensure_ascii=False)

    def remark(self, text: str) -> str:
        """Return text for the person as text parts, one for each line, which can be put between the calls."""
        lines = text.strip("\n").split("\n")
        return _NEXT.join(json.dumps({"type": "text", "text": line}, ensure_ascii=False) for line in lines)

    def together(self, parts: Sequence[str]) -> str:
        """Return one list with all these calls and texts."""
        return f"[\n  {_NEXT.join(parts)}\n]\n"

    def words(self, operation: Operation, arguments: Mapping[str, Json]) -> OperationWords | None:
        """Return the action of the two tools of S1, or the own tool, that expresses these arguments best."""
        tools = {keyed.name: (tool, keyed) for tool, keyed in _actions_of(operation)}
        own = own_tool(open_name(operation.id), {operation.id: operation})
        found = [keyed for _, keyed in tools.values()] + ([] if own is None else [own])
        keyed = best_of(found, operation, arguments)
        if keyed is None:
            return None
        if own is not None and keyed is own:
            taken = shape(own, operation, "").removeprefix(f'{{"": "{own.name}"').removeprefix(", ").removesuffix("}")
            return OperationWords(own.name, keys_of(own), f'{{"name": "{own.name}", "arguments": {{{taken}}}}}')
        form = f'{{"name": "{tools[keyed.name][0]}", "arguments": {shape(keyed, operation, "action")}}}'
        return OperationWords(keyed.name, keys_of(keyed), form)

    def result(self, row: ResultRow, operations: Operations) -> dict[str, Json]:
        """Return the text or data that was read, or else the message about a change (S1-32, S1-33)."""
        output = row.get("text") or row["message"]
        if not row.get("text") and row["plan"] is None and data_of(row):
            output = json.dumps(dict(data_of(row)), ensure_ascii=False)
        return {"success": row["success"], "output": output if row["success"] else None, "error": row["error"]}

    def with_other_names(self, said: str, operation: Operation) -> Iterator[str]:
        """Yield the call with each action that means the operation, and with the operation's own tool, if any."""
        members = self.name_in(said)[1]
        own = own_tool(open_name(operation.id), {operation.id: operation})
        for tool, keyed in (*_actions_of(operation), *([] if own is None else [(own.name, own)])):
            action = {} if keyed is own else {"action": keyed.name}
            arguments: dict[str, Json] = {**action, **translate_keys(members, keyed, operation)}
            yield write_members({"name": tool, "arguments": arguments})

    def read_name(self, value: Json, said: str) -> tuple[Json, Mapping[str, Json]]:
        """Return the name of the called tool or action, and its other arguments; empty unless there is one call."""
        made = [one for one in calls(value, said) if isinstance(one, ParsedCall)]
        if len(made) != 1:
            return "", {}
        members = dict(made[0].arguments)
        return (members.pop("action", "") if tool_of(made[0].name) else made[0].name), members


def _actions_of(operation: Operation) -> Iterator[tuple[str, Keyed]]:
    yield from ((tool.name, keyed) for tool in TWO for keyed in tool.actions.names if keyed.operation == operation.id)


def _calls(operation: Operation, arguments: Mapping[str, Json]) -> Iterator[tuple[str, dict[str, Json]]]:
    for tool, keyed in _actions_of(operation):
        if says(keyed, operation, arguments):
            yield tool, {"action": keyed.name, **write_keyed(keyed, operation, arguments)}
    # What the actions cannot express has a tool of its own; invalid arguments have none, and are explained here.
    yield open_name(operation.id), write_keyed(derive_keyed(operation), operation, arguments)


TOOLS = ToolsDialect()

__all__ = ["TOOLS"]

_WAITS = "The person has not decided yet ({id}), and nothing has been done. Do not call it again; you will be told."


def answer(row: Mapping[str, Json], given: Mapping[str, Json], note: FeedbackNote | None) -> str:
    """Return the answer to a call: what was found or done; or else why nothing was done, and what to do next.

    `given` is the result in the form of the dialect; `note` is the feedback on the call, or None.
    """
    if row["state"] == "waiting":
        return _WAITS.format(id=row["id"])
    if given["success"]:
        return str(given["output"] or "")
    return note.sentence if note else str(given["error"])


_HEADS: Mapping[str, str] = {"macos_auto": "macOS", "browser": "Safari"}


def progress(name: str, arguments: Mapping[str, Json], operations: Mapping[str, Operation], system: str) -> str:
    """Return one line for a call: the title of its operation, such as `Move or rename a file or folder`.

    On macOS (`system` is "darwin") a call of one of the two tools of S1 is `macOS: calendar today` or
    `Safari: get text`; elsewhere these names would be wrong. An unknown action or tool is shown in the model's own
    words, shortened and on one line.
    """
    tool = tool_of(name)
    if tool is None:
        known = own_tool(name, operations)
        return _words(name) if known is None else _title(operations[known.operation])
    action = arguments.get("action")
    if system == "darwin":
        return f"{_HEADS[name]}: {_words(action)}" if isinstance(action, str) else _HEADS[name]
    if not isinstance(action, str):
        return tool.about
    found = tool.actions.find(action, operations)
    return _words(action) if found is None else _title(operations[found.operation])


def arguments_of(given: object) -> Mapping[str, Json]:
    """Return the arguments of a call, which may be JSON text; empty if they are malformed, which the reader reports."""
    try:
        found = strict_json(given) if isinstance(given, str) else given
    except NotStrict:
        return {}
    return cast("Mapping[str, Json]", found) if isinstance(found, Mapping) else {}


def _title(operation: Operation) -> str:
    """Return the beginning of an operation's summary, which says what it does without the details."""
    return operation.summary.partition(";")[0].partition(":")[0]


def _words(name: str) -> str:
    line = "".join(char if char.isprintable() else " " for char in name[:LONGEST_NAME].replace("_", " "))
    return " ".join(line.split())
