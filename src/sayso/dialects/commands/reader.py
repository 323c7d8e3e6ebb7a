"""Read the one object of the commands contract; it is certain only when the reply has ended."""

from collections.abc import Iterator, Mapping
from typing import cast

from sayso.core.canonical import Json
from sayso.core.events import Clarification, Event, Proposed
from sayso.core.operation import Operation, Problem
from sayso.core.proposal import Proposal
from sayso.dialects import names
from sayso.dialects.keyed import LONGEST_NAME, Place, Vocabulary, places, understood, unknown
from sayso.dialects.meaning import Meaning
from sayso.dialects.mending import SAID_BEFORE, mended_text
from sayso.dialects.spans import elements
from sayso.dialects.strict import NotStrict, strict_json
from sayso.dialects.whole import Whole, unfenced

VOCABULARY = Vocabulary(names.COMMANDS, "type", open=True)
FORM = '{"commands": […], "needs_clarification": false, "clarification_reason": null}'
_KEYS = ("commands", "needs_clarification", "clarification_reason")


class CommandsReader:
    """Tells all proposals of the object at the end of the text. Nothing of such a reply is shown as text."""

    def __init__(self, operations: Mapping[str, Operation]) -> None:
        self._operations = operations
        self._meaning = Meaning(operations)
        self._text = Whole()

    def feed(self, chunk: str) -> list[Event]:
        """Take the next piece of text."""
        self._text.add(chunk)
        return []

    def close(self) -> list[Event]:
        """Take the end of the text and return what the object says, or why it cannot be understood."""
        text = self._text.take()
        if not text.strip():
            return []
        document, line = unfenced(text)
        try:
            members = _members(strict_json(document))
        except NotStrict as wrong:
            sentence = f"the reply is not {FORM}: {wrong.sentence}" + _mended(document)
            return [Proposed(unknown(Place(0, text, 1), Problem(wrong.code, sentence)))]
        return list(self._told(document, line, members))

    def _told(self, document: str, line: int, members: Mapping[str, Json]) -> Iterator[Event]:
        asks = members.get("needs_clarification", False) is True
        commands = cast("list[Json]", members["commands"])
        for place, command in zip(places(document, elements(document, "commands"), line), commands, strict=True):
            yield Proposed(self._proposal(place, command, asks=asks))
        if asks:
            yield Clarification(cast("str | None", members.get("clarification_reason")))

    def _proposal(self, place: Place, command: Json, *, asks: bool) -> Proposal:
        if not isinstance(command, dict):
            return unknown(
                place, Problem("command.form", 'a command is an object with a “type”, such as {"type": "list_apps"}')
            )
        members = dict(cast("Mapping[str, Json]", command))
        if "type" not in members:
            return unknown(place, Problem("arguments.missing", "a command needs “type”"))
        name = members.pop("type")
        keyed = VOCABULARY.keyed(name, self._operations) if isinstance(name, str) else None
        if keyed is None:
            return unknown(place, self._unknown_type(name))
        if asks:  # such a command may lack what the model asks about (S4-13)
            known = {keyed.keys[key]: value for key, value in members.items() if key in keyed.keys}
            return Proposal(place.index, place.said, keyed.operation, known, line=place.line, given=(keyed.name,))
        return understood(place, keyed, members, self._operations)

    def _unknown_type(self, name: Json) -> Problem:
        if not isinstance(name, str):
            return Problem("arguments.type", "“type” must be the name of a command")
        hint = self._meaning.hint(name, VOCABULARY.called)
        return Problem("command.unknown", f"there is no command “{name[:LONGEST_NAME]}”{hint}")


def _mended(document: str) -> str:
    """Return what the reply would be, written correctly, if it would be such an object then."""
    written = mended_text(document)
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
