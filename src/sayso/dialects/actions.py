"""The actions dialect: JSON envelopes that propose the person's own actions."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import cast

from sayso.core.dialect import Event, ProposalEvent, Reader, WarningEvent
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation, Problem
from sayso.core.proposal import Proposal
from sayso.dialects import base
from sayso.dialects.answers import JsonDialect, OperationWords, ResultRow, data_of
from sayso.dialects.envelopes import ENVELOPE, INSTANCE, Members, is_envelope, lacking
from sayso.dialects.fences import FencedBlock, FencedReader
from sayso.dialects.json import NotStrict, elements, strict_json, suggest_correction
from sayso.dialects.vocabulary import LONGEST_NAME, Keyed, Place, places, unknown

TAG = "json"
OPERATION = "template.run"
STYLES = ("primary", "secondary", "danger")
_LIST = re.compile(r"""["'“]?actions["'”]?\s*:\s*\[""")
_ITEM = re.compile(r"""["'“]?templateId["'”]?\s*:""")
_KEPT_ID = re.compile(r"act_[A-Za-z0-9_-]{1,64}")

Operations = Mapping[str, Operation]


def read_fence(block: FencedBlock, first: int, operations: Operations) -> list[Event] | None:
    """Return the events of a `json` block, with proposals numbered from `first`.

    Returns None if the block is no envelope; it is then shown as text.
    """
    found = _read(block.content, block.line, first, operations)
    return None if found is None else found[1]


def read_document(text: str, operations: Operations) -> tuple[str, list[Event]] | None:
    """Return the text and the events of a reply that is one object; None if it is no envelope."""
    return _read(text, 1, 0, operations)


def _read(text: str, line: int, first: int, operations: Operations) -> tuple[str, list[Event]] | None:
    try:
        value = strict_json(text)
    except NotStrict as wrong:
        if not _looks_like_one(text):
            return None
        sentence = f"the actions at line {line} cannot be read: {wrong.sentence}"
        problem = Problem(wrong.code, sentence + suggest_correction(text))
        return "", [ProposalEvent(unknown(Place(first, text.strip(), line), problem)), WarningEvent(sentence)]
    if not is_envelope(value):
        problem = lacking(value)
        return None if problem is None else ("", [ProposalEvent(unknown(Place(first, text.strip(), line), problem))])
    envelope = cast("Members", value)
    events: list[Event] = []
    found = places(text, elements(text, "actions"), line, first)
    foreign = next((key for key in envelope if key not in ENVELOPE), None)
    for place, item in zip(found, cast("list[Json]", envelope["actions"]), strict=True):
        events += _instance(place, item, operations) if foreign is None else [_beside(place, foreign)]
    content = envelope.get("content")
    return content if isinstance(content, str) else "", events


def _looks_like_one(text: str) -> bool:
    begin = _LIST.search(text)
    return begin is not None and _ITEM.search(text, begin.end()) is not None


def _beside(place: Place, key: str) -> Event:
    """Return the invalid proposal for an action whose envelope has an unknown key, such as `approved` (PA-08)."""
    sentence = f"beside “actions” only “content” and “type” may stand, not “{key[:LONGEST_NAME]}”"
    return ProposalEvent(unknown(place, Problem("arguments.unknown", sentence, key)))


def _instance(place: Place, value: Json, operations: Operations) -> list[Event]:
    if not isinstance(value, dict):
        return [
            ProposalEvent(
                unknown(place, Problem("action.form", "an action is an object with “templateId” and “params”"))
            )
        ]
    members = cast("Members", value)
    problem = _problem(members, operations)
    label = members.get("label")
    label = label if isinstance(label, str) else None
    if problem is not None:
        return [ProposalEvent(unknown(place, problem, label))]
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
        return [ProposalEvent(proposal)]
    warning = f"“style” must be one of {', '.join(STYLES)}, not “{str(style)[:LONGEST_NAME]}”; primary is used"
    return [ProposalEvent(proposal), WarningEvent(warning)]


def _problem(members: Members, operations: Operations) -> Problem | None:
    if OPERATION not in operations:
        return Problem("command.unknown", "actions of your own are not enabled here")
    for key in members:
        if key not in INSTANCE:
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

SAMPLE = """\
{"actions": [{"templateId": "send_payment_reminder_acme", "label": "Remind ACME of invoice 2024-001 (15 days late)", \
"description": "Writes to accounts payable about invoice 2024-001 over 1,200 €", \
"params": {"invoiceNumber": "2024-001", "daysPastDue": 15}, "style": "primary"}]}"""

_TEXT = """\
You can offer actions that the person has set up; each is shown below your reply, and runs when the person \
approves it. Offer them where they fit what you talk about, at the end of your reply, in one fenced block tagged json:

{sample}

The person does not see the JSON. Ids and times are filled in by the system.

GUIDELINES:
1. Be highly specific to the person's own work: “Send payment reminder to ACME Corp for invoice 2024-001 (15 days \
overdue)”, not “Send email”.
2. Give rich context: “description” says in full what will happen, to whom, and with which values.
3. Choose “style”: primary for the main recommendation, secondary for what is optional or an alternative, danger for \
what deletes or is risky, such as archiving many messages.
4. Match the template to the operation: take the one that does what is needed, and no other.
5. Give all required parameters in “params”, with the types the template asks for. Do not invent values.
6. Prefer templates made for this person, their customers and their teams over general ones."""


def describe(operations: Sequence[Operation]) -> str:
    """Return the form and the guidelines for the prompt (S3-84, S3-86 to S3-91).

    The caller adds the list of templates.
    """
    if not any(operation.id == OPERATION for operation in operations):
        return ""
    return "\n\n".join([_TEXT.format(sample=fence_json(SAMPLE)), *base.rules(operations)]) + "\n"


def fence_json(text: str) -> str:
    """Return this JSON in a fenced block tagged `json`."""
    return f"```json\n{text}\n```"


_FORM = '{"actions": [{"templateId": text, "label": text, "params": object}]}'
_FOLLOWING = ("suggestedActions", "refreshInbox")


class ActionsDialect(JsonDialect):
    """S3: text, with envelopes that propose instances of the person's templates."""

    name: str = "actions"
    in_chat = True

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader; if `template.run` is not among these operations, every action is an invalid proposal."""
        return FencedReader(
            {TAG: (self.name, partial(read_fence, operations=operations))},
            (self.name, partial(read_document, operations=operations)),
        )

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the prompt section that teaches a model to propose actions."""
        return describe(operations)

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Raise `ProposalError`, because an action always runs a template; `write_instance` writes one."""
        raise ProposalError(f"no action can propose {operation.id}; actions run templates", "dialect.unsayable")

    def write_instance(self, template_id: str, params: Mapping[str, Json]) -> str:
        """Return a fenced envelope that proposes this template with these parameters, without a label."""
        return write_instance(template_id, params)

    def remark(self, text: str) -> str:
        """Return text for the person in a form that the reader does not read as an envelope."""
        return base.remark(text)

    def together(self, parts: Sequence[str]) -> str:
        """Return one reply with all these envelopes and texts."""
        return base.prose(parts)

    def types(self, operation: Operation) -> Sequence[Keyed]:
        """Return no names, because an action names a template instead of an operation."""
        return ()

    def words(self, operation: Operation, arguments: Mapping[str, Json]) -> OperationWords | None:
        """Return the form of the envelope if the operation runs a template; None for other operations."""
        return OperationWords("actions", {}, _FORM) if operation.id == OPERATION else None

    def result(self, row: ResultRow, operations: Operations) -> dict[str, Json]:
        """Return the message and data of a result; data about what the application does next is put beside them."""
        data = dict(data_of(row))
        following = {key: data.pop(key) for key in _FOLLOWING if key in data}
        message = row["message"] if row["success"] else row["error"]
        return {"success": row["success"], "message": message, **({"data": data} if data else {}), **following}

    def whole(self, said: str) -> str:
        """Return a fenced envelope that contains only this action."""
        return fence_json(said if '"actions"' in said else f'{{"actions": [{said}]}}')


def write_instance(template_id: str, params: Mapping[str, Json], label: str = "", style: str = "") -> str:
    """Return a fenced envelope with one action that runs a template; an empty label or style is left out."""
    said = {name: value for name, value in (("label", label), ("style", style)) if value}
    instance = {"templateId": template_id, "params": dict(params), **said}
    return fence_json(json.dumps({"actions": [instance]}, ensure_ascii=False))


ACTIONS = ActionsDialect()

__all__ = ["ACTIONS"]
