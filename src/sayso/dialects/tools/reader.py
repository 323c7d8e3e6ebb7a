"""Read tool calls; they are certain only when the document has ended."""

from collections.abc import Iterator, Mapping

from sayso.core.canonical import Json
from sayso.core.events import Event, Proposed, Text
from sayso.core.operation import Operation, Problem
from sayso.core.proposal import Proposal
from sayso.dialects.keyed import LONGEST_NAME, Place, places, understood, unknown
from sayso.dialects.meaning import Meaning
from sayso.dialects.mending import SAID_BEFORE, mended_text
from sayso.dialects.strict import NotStrict, strict_json
from sayso.dialects.tools.calls import Call, Said, calls
from sayso.dialects.tools.naming import Tool, called, own_tool, tool_of
from sayso.dialects.whole import Whole, unfenced


class ToolsReader:
    """Tells each call as one proposal at the end of the text, and the message's own text."""

    def __init__(self, operations: Mapping[str, Operation]) -> None:
        self._operations = operations
        self._meaning = Meaning(operations)
        self._text = Whole()

    def feed(self, chunk: str) -> list[Event]:
        """Take the next piece of text."""
        self._text.add(chunk)
        return []

    def close(self) -> list[Event]:
        """Take the end of the text and return what was called, or why it cannot be understood."""
        text = self._text.take()
        if not text.strip():
            return []
        document, line = unfenced(text)
        try:
            value = strict_json(document)
        except NotStrict as wrong:
            sentence = f'the reply is no tool call such as {{"name": …, "arguments": {{…}}}}: {wrong.sentence}'
            return [Proposed(unknown(Place(0, text, 1), Problem(wrong.code, sentence + _mended(document))))]
        return list(self._told(document, line, value))

    def _told(self, document: str, line: int, value: Json) -> Iterator[Event]:
        found = list(calls(value, document))
        standing = places(document, (one.at for one in found if isinstance(one, Call)), line)
        for one in found:
            yield Text(one.text) if isinstance(one, Said) else Proposed(self._proposal(next(standing), one))

    def _proposal(self, place: Place, call: Call) -> Proposal:
        if call.problem is not None:
            return unknown(place, call.problem)
        tool = tool_of(call.name)
        if tool is not None:
            return self._action(place, tool, call)
        keyed = own_tool(call.name, self._operations)
        if keyed is None:
            return unknown(place, self._unknown_tool(call.name))
        return understood(place, keyed, call.arguments, self._operations)

    def _action(self, place: Place, tool: Tool, call: Call) -> Proposal:
        members = dict(call.arguments)
        action = members.pop("action", None)
        keyed = tool.actions.keyed(action, self._operations) if isinstance(action, str) else None
        if keyed is None:
            permitted = ", ".join(tool.actions.at_hand(self._operations)) or "none here"
            given = f", not “{str(action)[:LONGEST_NAME]}”" if "action" in call.arguments else ""
            code = "arguments.missing" if "action" not in call.arguments else "command.unknown"
            sentence = f"{tool.name} needs “action”, one of: {permitted}{given}"
            return unknown(place, Problem(code, sentence))
        return understood(place, keyed, members, self._operations)

    def _unknown_tool(self, name: str) -> Problem:
        hint = self._meaning.hint(name, called)
        return Problem("command.unknown", f"there is no tool “{name[:LONGEST_NAME]}”{hint}")


def _mended(document: str) -> str:
    """Return what the reply would be, written correctly, if it would hold calls and nothing else then."""
    written = mended_text(document)
    made = list(calls(strict_json(written), written)) if written else []
    sound = all(isinstance(one, Call) and one.problem is None for one in made)
    return SAID_BEFORE + written if made and sound else ""
