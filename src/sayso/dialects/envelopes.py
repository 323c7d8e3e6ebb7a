"""Which JSON objects are envelopes of proposals, and which are meant as one but lack what makes it one."""

from collections.abc import Mapping, Sequence
from typing import cast

from sayso.core.encoding import Json
from sayso.core.operation import Problem
from sayso.dialects import vocabulary

LIST, ID = "actions", "templateId"
ENVELOPE = frozenset({"type", LIST, "content"})
"""The keys of an envelope."""
INSTANCE = frozenset({"instanceId", ID, "label", "description", "params", "style", "sessionId", "createdAt"})
"""The keys of an action."""
_TELLING = frozenset({"params", "instanceId"})
"""Keys of an action that hardly any other object has."""
_LIKE_ID = frozenset({"templateid", "template"})
_COMMANDS = frozenset(keyed.name for keyed in vocabulary.COMMANDS)
_DOCUMENT = frozenset({"commands", "needs_clarification", "clarification_reason"})
CALLS = frozenset({"tool_use", "function", "function_call", "tool_call"})
"""The types that a call to be carried out here may have."""
_NAMELESS = frozenset({"arguments", "id", "call_id", "type", "status", "index"})

Members = Mapping[str, Json]


def is_envelope(value: Json) -> bool:
    """Return whether this is an envelope, with at least one action that names a template, or with none."""
    if not isinstance(value, dict):
        return False
    members = cast("Members", value)
    actions = members.get(LIST)
    if not isinstance(actions, list) or members.get("type", LIST) != LIST:
        return False
    items = cast("Sequence[Json]", actions)
    if not items:
        return members.keys() <= ENVELOPE
    return any(isinstance(item, dict) and ID in item for item in items)


def lacking(value: Json) -> Problem | None:
    """Return what an object lacks that is meant as an envelope and is none; None if it is something else."""
    if not isinstance(value, dict):
        return None
    members = cast("Members", value)
    if _is_action(members) and ID in members:
        return _problem(f'an action stands in an envelope: {{"{LIST}": [{{"{ID}": …}}]}}')
    said = members.get(LIST)
    if isinstance(said, dict) and _is_action(cast("Members", said)):
        return _problem(f"“{LIST}” must be a list")
    if isinstance(said, list) and members.keys() <= ENVELOPE and members.get("type", LIST) == LIST:
        return _problem(f"an action needs “{ID}”") if _are_actions(cast("Sequence[Json]", said)) else None
    others = [key for key in members if key not in ENVELOPE]
    if LIST in members or len(others) != 1:
        return None
    listed = members[others[0]]
    named = isinstance(listed, list) and all(isinstance(one, dict) and ID in one for one in cast("list[Json]", listed))
    return _problem(f"an envelope needs “{LIST}”, the list of its actions") if listed and named else None


def _are_actions(items: Sequence[Json]) -> bool:
    return bool(items) and all(isinstance(item, dict) and _is_action(cast("Members", item)) for item in items)


def _is_action(members: Members) -> bool:
    """Return whether an object is meant as an action, whatever the name of its template is given under."""
    foreign = members.keys() - INSTANCE
    named = any(key.replace("_", "").lower() in _LIKE_ID for key in members)
    return (named or bool(members.keys() & _TELLING)) and len(foreign) <= 1


def _problem(sentence: str) -> Problem:
    return Problem("arguments.missing", sentence)


def is_document(value: Json) -> bool:
    """Return whether this is a document of commands, or is meant as one: its other keys, or commands without it."""
    if isinstance(value, list):
        items = cast("Sequence[Json]", value)
        return bool(items) and all(map(_is_command, items))
    return _is_command(value) or (isinstance(value, dict) and bool(cast("Members", value).keys() & _DOCUMENT))


def _is_command(value: Json) -> bool:
    kind = cast("Members", value).get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind in _COMMANDS


def is_nameless_call(value: Json) -> bool:
    """Return whether this is meant as the call of a tool, but lacks the name of the tool."""
    if not isinstance(value, dict) or "name" in value:
        return False
    members = cast("Members", value)
    kind = members.get("type")
    if isinstance(kind, str) and kind in CALLS:
        return "arguments" in members or "input" in members
    return isinstance(members.get("arguments"), dict) and members.keys() <= _NAMELESS
