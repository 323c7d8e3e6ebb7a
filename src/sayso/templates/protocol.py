"""The protocol between sayso and a handler's process: its messages, and the effects that they request."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, cast

import msgspec
from msgspec import Struct

from sayso.core.encoding import Json, canonical
from sayso.core.operation import Operation
from sayso.templates.definition import describe_error

MOST_CHARACTERS = 4000
"""The most characters of the message that a handler returns; the person reads it as one line."""


class HandlerConfined(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="confined"):
    """The process has given up what it can, and says what a handler could still do in it; it has no handler yet."""

    possible: list[str]


class HandlerRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="ask"):
    """The handler requests an operation."""

    operation: str
    arguments: dict[str, Any]


class HandlerSays(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="says"):
    """The handler writes a line to the record of its run."""

    text: str
    level: Literal["info", "warn", "error"]


class HandlerTried(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="tried"):
    """The handler tried something forbidden, and its process refused it."""

    what: str


class HandlerFailed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="failed"):
    """The handler ended with an error."""

    why: str


class HandlerReturned(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="result"):
    """The handler ended and returned `result`."""

    result: Any


class HandlerResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel", omit_defaults=True):
    """The result that a handler must return (S3-26 to S3-29)."""

    success: bool
    message: Annotated[str, msgspec.Meta(max_length=MOST_CHARACTERS)]
    data: dict[str, Any] | None = None
    suggested_actions: list[dict[str, Any]] | None = None
    refresh_inbox: bool | None = None


Message = HandlerConfined | HandlerRequest | HandlerSays | HandlerTried | HandlerFailed | HandlerReturned


def read_message(line: bytes) -> Message | None:
    """Return a message, or None if the line is not one."""
    try:
        return msgspec.json.decode(line, type=Message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def size_in_memory(line: bytes) -> int:
    """Return at least how many bytes the texts of a line of JSON take up once it is read.

    A text takes up one, two or four bytes for each of its characters, as the widest of them needs.
    """
    wide = b"\\u" in line or _WIDEST.search(line)
    return len(line) * (4 if wide else 2 if _WIDER.search(line) else 1)


_WIDER, _WIDEST = re.compile(b"[\xc4-\xff]"), re.compile(b"[\xf0-\xff]")


def count_values(line: bytes) -> int:
    """Return at least how many values a line of JSON has, without reading it as JSON; in linear time."""
    bare = _STRING.sub(b"", line.replace(b"\\\\", b"").replace(b'\\"', b""))
    return 1 + sum(bare.count(sign) for sign in (b",", b"[", b"{"))


_STRING = re.compile(b'"[^"]*"')


def mentions(value: object, words: str) -> bool:
    """Say whether these words are in any text within a value."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str) and words in one:
            return True
        if isinstance(one, dict):
            left += [item for pair in cast("dict[str, object]", one).items() for item in pair]
        elif isinstance(one, list | tuple):
            left += cast("Sequence[object]", one)
    return False


def read_result(value: object) -> HandlerResult | str:
    """Return a handler's result, or one sentence that says why it is not valid."""
    try:
        return msgspec.convert(value, HandlerResult, strict=True)
    except msgspec.ValidationError as error:
        return f"what the handler returned is no result: {describe_error(str(error), 'result', {})}"


MOST_IDS = 5000
"""How many ids one action may have."""


class Effect(Struct, frozen=True):
    """One action that a handler requested; `calls` are the numbers of the handler's calls that requested it."""

    operation: str
    arguments: Mapping[str, Json]
    calls: tuple[int, ...]


def merge_effects(effects: Iterable[Effect], operations: Mapping[str, Operation]) -> list[Effect]:
    """Return the effects; neighbours that differ only in their list of ids are merged into one.

    An id that occurs twice is kept once.
    """
    out: list[tuple[Effect, dict[Json, None], bytes]] = []
    for effect in effects:
        ids = _ids(effect, operations)
        rest = canonical({name: value for name, value in effect.arguments.items() if name != "ids"})
        if ids is not None and out:
            before, known, same = out[-1]
            alike = bool(known) and before.operation == effect.operation and same == rest
            if alike and len({**known, **dict.fromkeys(ids)} if len(known) + len(ids) > MOST_IDS else ()) <= MOST_IDS:
                known.update(dict.fromkeys(ids))
                out[-1] = (Effect(before.operation, before.arguments, (*before.calls, *effect.calls)), known, same)
                continue
        out.append((effect, dict.fromkeys(ids or ()), rest))
    return [
        Effect(one.operation, {**one.arguments, "ids": list(known)}, one.calls) if known else one
        for one, known, _ in out
    ]


def _ids(effect: Effect, operations: Mapping[str, Operation]) -> Sequence[Json] | None:
    """Return the ids of an effect, or None if its operation takes no list of ids."""
    operation = operations.get(effect.operation)
    given = effect.arguments.get("ids")
    if operation is None or not isinstance(given, list | tuple):
        return None
    if all(parameter.name != "ids" or "array" not in str(parameter.schema) for parameter in operation.parameters):
        return None
    return cast("Sequence[Json]", given)
