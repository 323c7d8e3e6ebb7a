"""Read an envelope of actions: fenced as `json`, or as the whole reply, alone or beside its `content` (T-72)."""

import re
from collections.abc import Callable, Mapping
from typing import cast

from sayso.core.canonical import Json
from sayso.core.events import Event, Proposed, Warned
from sayso.core.operation import Operation, Problem
from sayso.core.proposal import Proposal
from sayso.dialects.fences import Block
from sayso.dialects.keyed import LONGEST_NAME, Place, places, unknown
from sayso.dialects.mending import mended
from sayso.dialects.spans import elements
from sayso.dialects.strict import NotStrict, strict_json

TAG = "json"
OPERATION = "template.run"
STYLES = ("primary", "secondary", "danger")
_ENVELOPE = frozenset({"type", "actions", "content"})
_INSTANCE = frozenset({"instanceId", "templateId", "label", "description", "params", "style", "sessionId", "createdAt"})
_LIST = re.compile(r"""["'“]?actions["'”]?\s*:\s*\[""")
_ITEM = re.compile(r"""["'“]?templateId["'”]?\s*:""")
_KEPT_ID = re.compile(r"act_[A-Za-z0-9_-]{1,64}")

Members = Mapping[str, Json]
Operations = Mapping[str, Operation]


def read_fence(block: Block, first: int, operations: Operations) -> list[Event] | None:
    """Return what a `json` block proposes, numbered from `first`; None when it is no envelope, and so is shown."""
    found = _read(block.content, block.line, first, operations)
    return None if found is None else found[1]


def read_document(text: str, operations: Operations) -> tuple[str, list[Event]] | None:
    """Return the text and the proposals of a reply that is one object; None when it is no envelope."""
    return _read(text, 1, 0, operations)


def _read(text: str, line: int, first: int, operations: Operations) -> tuple[str, list[Event]] | None:
    try:
        value = strict_json(text)
    except NotStrict as wrong:
        if not _looks_like_one(text):
            return None
        sentence = f"the actions at line {line} cannot be read: {wrong.sentence}"
        problem = Problem(wrong.code, sentence + mended(text))
        return "", [Proposed(unknown(Place(first, text.strip(), line), problem)), Warned(sentence)]
    if not _is_envelope(value):
        return None
    envelope = cast("Members", value)
    events: list[Event] = []
    found = places(text, elements(text, "actions"), line, first)
    foreign = next((key for key in envelope if key not in _ENVELOPE), None)
    for place, item in zip(found, cast("list[Json]", envelope["actions"]), strict=True):
        events += _instance(place, item, operations) if foreign is None else [_beside(place, foreign)]
    content = envelope.get("content")
    return content if isinstance(content, str) else "", events


def _looks_like_one(text: str) -> bool:
    begin = _LIST.search(text)
    return begin is not None and _ITEM.search(text, begin.end()) is not None


def _is_envelope(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    members = cast("Members", value)
    actions = members.get("actions")
    if not isinstance(actions, list) or members.get("type", "actions") != "actions":
        return False
    items = cast("list[Json]", actions)
    if not items:
        return members.keys() <= _ENVELOPE
    return any(isinstance(item, dict) and "templateId" in item for item in items)


def _beside(place: Place, key: str) -> Event:
    """Return the refusal of an action beside which an envelope says more than it may, such as `approved` (PA-08)."""
    sentence = f"nothing stands beside “actions” but “content” and “type”, not “{key[:LONGEST_NAME]}”"
    return Proposed(unknown(place, Problem("arguments.unknown", sentence, key)))


def _instance(place: Place, value: Json, operations: Operations) -> list[Event]:
    if not isinstance(value, dict):
        return [
            Proposed(unknown(place, Problem("action.form", "an action is an object with “templateId” and “params”")))
        ]
    members = cast("Members", value)
    problem = _problem(members, operations)
    label = members.get("label")
    label = label if isinstance(label, str) else None
    if problem is not None:
        return [Proposed(unknown(place, problem, label))]
    style, id_ = members.get("style"), members.get("instanceId")
    known = next((one for one in STYLES if one == style), None)
    proposal = Proposal(
        place.index,
        place.said,
        OPERATION,
        dict(cast("Members", members.get("params", {}))),
        line=place.line,
        label=label,
        style=known,
        template_id=str(members["templateId"]),
        description=cast("str | None", members.get("description")),
        instance_id=id_ if isinstance(id_, str) and _KEPT_ID.fullmatch(id_) else None,
        given=(str(members["templateId"]),),
    )
    if style is None or known is not None:
        return [Proposed(proposal)]
    warning = f"“style” must be one of {', '.join(STYLES)}, not “{str(style)[:LONGEST_NAME]}”; primary is taken"
    return [Proposed(proposal), Warned(warning)]


def _problem(members: Members, operations: Operations) -> Problem | None:
    if OPERATION not in operations:
        return Problem("command.unknown", "actions of your own are not enabled here")
    for key in members:
        if key not in _INSTANCE:
            return Problem("arguments.unknown", f"an action has no “{key[:LONGEST_NAME]}”")
    if "templateId" not in members:
        return Problem("arguments.missing", "an action needs “templateId”")
    for key, (holds, must) in _MUST.items():
        if key in members and not holds(members[key]):
            return Problem("arguments.type", f"“{key}” must be {must}")
    return None


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


_MUST: Mapping[str, tuple[Callable[[Json], bool], str]] = {
    "templateId": (lambda value: isinstance(value, str) and bool(value.strip()), "the id of a template"),
    "label": (_is_text, "a text"),
    "description": (_is_text, "a text"),
    "params": (lambda value: isinstance(value, dict), "an object"),
}
