"""What a handler's process and sayso say to each other: one JSON object a line, read strictly."""

from typing import Annotated, Any, Literal

import msgspec

from sayso.templates.complaints import worded

MOST_CHARACTERS = 4000
"""Characters of the message that a handler returns: it is one of the lines that a person reads."""


class Ask(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="ask"):
    """The handler asks for an operation."""

    operation: str
    arguments: dict[str, Any]


class Says(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="says"):
    """The handler keeps a line with the run."""

    text: str
    level: Literal["info", "warn", "error"]


class Tried(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="tried"):
    """The handler tried what it must not; its process refused it."""

    what: str


class Failed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="failed"):
    """The handler ended with an error."""

    why: str


class Returned(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="result"):
    """The handler ended with this."""

    result: Any


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel", omit_defaults=True):
    """What a handler returns (S3-26 to S3-29)."""

    success: bool
    message: Annotated[str, msgspec.Meta(max_length=MOST_CHARACTERS)]
    data: dict[str, Any] | None = None
    suggested_actions: list[dict[str, Any]] | None = None
    refresh_inbox: bool | None = None


Message = Ask | Says | Tried | Failed | Returned


def read_message(line: bytes) -> Message | None:
    """Return a message; None for what is none."""
    try:
        return msgspec.json.decode(line, type=Message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def read_result(value: object) -> Result | str:
    """Return what a handler returned, or one sentence about what is wrong with it."""
    try:
        return msgspec.convert(value, Result, strict=True)
    except msgspec.ValidationError as wrong:
        return f"what the handler returned is no result: {worded(str(wrong), 'result', {})}"
