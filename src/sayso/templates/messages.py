"""The messages between sayso and a page about the person's own actions, as values with their JSON (S3-49 to S3-53)."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, cast

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.instances import Instance, Style
from sayso.templates.definition import ActionTemplate

MOST = 100_000
"""How many characters a message from a page may have."""
Id = Annotated[str, Meta(min_length=1, max_length=200)]


class WireTemplate(Struct, frozen=True, rename="camel"):
    """The `config` of one action (S3-09 to S3-13); `icon` is left out if there is none."""

    id: str
    name: str
    description: str
    parameter_schema: Mapping[str, Json]
    icon: str | UnsetType = UNSET


class WireInstance(Struct, frozen=True, rename="camel"):
    """One offer (S3-18 to S3-25); `description` is left out if it is empty."""

    instance_id: str
    template_id: str
    label: str
    params: Mapping[str, Json]
    style: Style
    session_id: str
    created_at: str
    description: str | UnsetType = UNSET


class WireResult(Struct, frozen=True, rename="camel", omit_defaults=True):
    """The result of one action (S3-26 to S3-29); what the handler did not give is left out."""

    success: bool
    message: str
    data: Mapping[str, Json] | UnsetType = UNSET
    suggested_actions: Sequence[WireInstance] | UnsetType = UNSET
    refresh_inbox: bool | UnsetType = UNSET


class ActionTemplates(Struct, frozen=True, tag_field="type", tag="action_templates"):
    """sayso to a page, when it connects and when the actions change (S3-73)."""

    templates: Sequence[WireTemplate]


class ActionInstances(Struct, frozen=True, tag_field="type", tag="action_instances", rename="camel"):
    """sayso to the pages of a session, when a reply or a result offers actions (S3-50, S3-74)."""

    actions: Sequence[WireInstance]
    session_id: str


class ExecuteAction(
    Struct, frozen=True, tag_field="type", tag="execute_action", rename="camel", forbid_unknown_fields=True
):
    """A page to sayso, when the person clicks (S3-51, S3-76, S3-82)."""

    instance_id: Id
    session_id: Id


class ActionResult(Struct, frozen=True, tag_field="type", tag="action_result", rename="camel"):
    """sayso to the pages of a session, once for each `execute_action` (S3-75)."""

    instance_id: str
    result: WireResult
    session_id: str


class ErrorMessage(Struct, frozen=True, tag_field="type", tag="error", rename="camel", omit_defaults=True):
    """sayso to a page: what it sent cannot be understood; the connection stays open (T-91)."""

    message: str
    instance_id: str | UnsetType = UNSET
    session_id: str | UnsetType = UNSET


Outgoing = ActionTemplates | ActionInstances | ActionResult | ErrorMessage
Known = ActionTemplates | ActionInstances | ActionResult | ErrorMessage | ExecuteAction


def encode(message: Known) -> str:
    """Return the JSON of a message, with its members in the order of the specification."""
    return msgspec.json.encode(message).decode()


def decode(text: str | bytes) -> Known:
    """Return any message of this module from its JSON. Raises `ProposalError` that says what is wrong."""
    try:
        return msgspec.json.decode(text, type=Known)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as wrong:
        raise ProposalError(f"this is no message about actions: {_why(wrong)}", "message.form") from None


def read_request(text: str | bytes) -> ExecuteAction | ErrorMessage:
    """Return the request that a page sent, or the answer to it if it is malformed; nothing runs then (T-91)."""
    if len(text) > MOST:
        return ErrorMessage(f"the message is longer than {MOST:,} characters")
    try:
        return msgspec.json.decode(text, type=ExecuteAction)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as wrong:
        return ErrorMessage(f"this is no message that can be answered: {_why(wrong)}", *_named(text))


def _why(wrong: Exception) -> str:
    return str(wrong).partition("\n")[0][:200]


def _named(text: str | bytes) -> tuple[str | UnsetType, str | UnsetType]:
    """Return the instance and the session that a malformed message names, as far as they can be read."""
    try:
        read: object = json.loads(text)
    except (ValueError, RecursionError):
        return UNSET, UNSET
    members = cast("Mapping[str, object]", read) if isinstance(read, dict) else dict[str, object]()
    instance, session = members.get("instanceId"), members.get("sessionId")
    return (
        instance[:200] if isinstance(instance, str) else UNSET,
        session[:200] if isinstance(session, str) else UNSET,
    )


def wire_template(template: ActionTemplate) -> WireTemplate:
    """Return an action as a page is told it."""
    properties: dict[str, Json] = {}
    for one in template.parameters:
        row: dict[str, Json] = {"type": one.type, "description": one.description}
        row |= {"enum": list(one.enum)} if one.enum else {}
        row |= {"default": one.default} if one.default is not None else {}
        properties[one.name] = row
    required: list[Json] = [one.name for one in template.parameters if one.required]
    schema: dict[str, Json] = {"type": "object", "properties": properties, "required": required}
    return WireTemplate(template.id, template.name, template.description, schema, template.icon or UNSET)


def wire_instance(instance: Instance) -> WireInstance:
    """Return an offer as a page is told it."""
    return WireInstance(
        instance.id,
        instance.template,
        instance.label,
        instance.params,
        instance.style,
        instance.session,
        instance.created,
        instance.description or UNSET,
    )


def wire_result(result: Mapping[str, Json]) -> WireResult:
    """Return a stored result as a page is told it. Raises `ProposalError` if it has another form."""
    try:
        return msgspec.convert({name: value for name, value in result.items() if value is not None}, WireResult)
    except msgspec.MsgspecError as wrong:
        raise ProposalError(f"this is no result of an action: {_why(wrong)}", "message.form") from None
