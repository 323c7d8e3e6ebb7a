"""Detect the dialect of a text; the chat dialect reads blocks and actions in the same reply."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import cast

from sayso.core.dialect import Dialect, Event, Reader
from sayso.core.encoding import Json
from sayso.core.operation import Operation
from sayso.dialects.actions import ACTIONS, read_document, read_fence, write_instance
from sayso.dialects.actions import OPERATION as TEMPLATE
from sayso.dialects.actions import TAG as ENVELOPE
from sayso.dialects.answers import AnsweringDialect, Operations, ResultRow
from sayso.dialects.base import read
from sayso.dialects.blocks import BLOCKS, read_block
from sayso.dialects.blocks import TAG as BLOCK
from sayso.dialects.commands import COMMANDS
from sayso.dialects.envelopes import is_document, is_nameless_call
from sayso.dialects.fences import FencedReader
from sayso.dialects.json import NotStrict, Whole, strict_json, strip_fence
from sayso.dialects.lines import LINES
from sayso.dialects.tools import TOOLS, is_assistants, is_done_elsewhere


class ChatReader(FencedReader):
    """Reads blocks and actions, and says in which of the two dialects the first block is written."""

    @property
    def chosen(self) -> str:
        """The name of the dialect of the first block; `blocks` if there is no block."""
        return next(iter(self.dialects), BLOCKS.name)


def chat_reader(operations: Mapping[str, Operation]) -> ChatReader:
    """Return a reader for both blocks and envelopes of actions."""
    block, fence = partial(read_block, operations=operations), partial(read_fence, operations=operations)
    document = partial(read_document, operations=operations)
    return ChatReader({BLOCK: (BLOCKS.name, block), ENVELOPE: (ACTIONS.name, fence)}, (ACTIONS.name, document))


class _FoundByReading(AnsweringDialect):
    """A dialect whose proposals are written in other dialects; each result has the form of its proposal's dialect."""

    def part_of(self, row: ResultRow, said: str) -> AnsweringDialect:
        """Return the dialect of one proposal in a chat reply: actions if the proposal runs a template, else blocks."""
        return ACTIONS if row["operation"] == TEMPLATE or '"templateId"' in said else BLOCKS

    def result(self, row: ResultRow, operations: Operations) -> dict[str, Json]:
        """Return the result in the form of the dialect in which its proposal is written."""
        return self.part_of(row, "").result(row, operations)


class ChatDialect(_FoundByReading):
    """The dialects S2 (blocks) and S3 (actions) together; one reply may contain both."""

    name: str = "chat"

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader that knows these operations and no others."""
        return chat_reader(operations)

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the prompt sections of blocks and of actions."""
        return "\n".join(part for part in (BLOCKS.describe(operations), ACTIONS.describe(operations)) if part)

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Return a block that the reader reads back as this operation with these arguments.

        Raises `ProposalError` if no block can express them.
        """
        return BLOCKS.write(operation, arguments)

    def write_instance(self, template_id: str, params: Mapping[str, Json]) -> str:
        """Return a fenced envelope that proposes this template with these parameters."""
        return write_instance(template_id, params)

    def remark(self, text: str) -> str:
        """Return text for the person in a form that the reader does not read as a block."""
        return BLOCKS.remark(text)

    def together(self, parts: Sequence[str]) -> str:
        """Return one reply with all these blocks and texts."""
        return BLOCKS.together(parts)


CHAT = ChatDialect()

_LIKE_A_COMMAND = re.compile(r"[A-Z]{2,}(?:_[A-Z]+)*(?![^\s\"])")


def find_dialect(text: str, operations: Mapping[str, Operation]) -> str | None:
    """Return `lines` or `auto` if only this one of the two finds proposals in the text; None if both or neither do.

    A text is read as lines if it contains only known commands, misspelled commands and comments; with other words, it
    is a chat reply.
    """
    reply, commands = read(AUTO, operations, text), read(LINES, operations, text).proposals
    says = bool(reply.proposals) or reply.dialect in {TOOLS.name, COMMANDS.name}
    known = any(one.operation for one in commands) or not commands
    lines = known and all(one.operation or _LIKE_A_COMMAND.match(one.said) for one in commands)
    if says == lines:
        return None
    return AUTO.name if says else LINES.name


_CALL = ("input", "arguments")
_PARTS = frozenset({"text", "output_text", "message", "thinking", "redacted_thinking", "reasoning"})
"""The types of parts that a model's API returns besides calls."""
_COMMANDS = re.compile(r'\s*\{\s*("commands"|"needs_clarification"|"clarification_reason")\s*:')
_NAME = re.compile(r'"name"\s*:')
_ARGUMENTS = re.compile(r'"(?:arguments|input|function)"\s*:')
_LONGEST_START = 256
_FENCE = 3


class AutoReader:
    """Reads a reply in any dialect but lines.

    A reply that may be a single document is collected until it ends; any other reply is a chat reply, and is read piece
    by piece.
    """

    def __init__(self, operations: Mapping[str, Operation]) -> None:
        self._whole = ""
        self._operations = operations
        self._held = Whole()
        self._start = ""
        self._holds: bool | None = None
        self._chat = chat_reader(operations)

    @property
    def chosen(self) -> str:
        """The name of the dialect of the document or of the first block in a chat reply; `auto` if there is neither."""
        return self._whole or next(iter(self._chat.dialects), "auto")

    def feed(self, chunk: str) -> list[Event]:
        """Take the next piece of text and return the events that no later text can change."""
        if self._holds is False:
            return self._chat.feed(chunk)
        self._held.add(chunk)
        if self._holds is None:
            self._start = (self._start + chunk).lstrip()[:_LONGEST_START]
            self._holds = _is_document(self._start)
        return self._chat.feed(self._held.take()) if self._holds is False else []

    def close(self) -> list[Event]:
        """End the text and return the remaining events."""
        if self._holds is False:
            return self._chat.close()
        text = self._held.take()
        document, _ = strip_fence(text)
        dialect = dialect_of(document)
        if dialect is CHAT:
            envelope = read_document(document, self._operations) is not None
            return [*self._chat.feed(document if envelope else text), *self._chat.close()]
        self._whole = dialect.name
        reader = dialect.reader(self._operations)
        return [*reader.feed(text), *reader.close()]


def _is_document(start: str) -> bool | None:
    """Say whether a reply that begins like this may be a document, bare or in a fence; None if more text is needed."""
    if not start:
        return None
    mark = start[0]
    if mark not in "`~":
        return mark in "{["
    run = len(start) - len(start.lstrip(mark))
    info, newline, rest = start[run:].partition("\n")
    if info and run < _FENCE:
        return False
    if newline and info.strip() == BLOCK:
        return False
    inner = rest.lstrip()[:1]
    if inner:
        return inner in "{["
    return None if len(start) < _LONGEST_START else False


def dialect_of(document: str) -> Dialect:
    """Return the dialect of a whole reply, given without its fence: `tools`, `commands`, or else `chat`."""
    if document.lstrip()[:1] not in ("{", "["):
        return CHAT
    try:
        value = strict_json(document)
    except NotStrict:
        return _guess_dialect(document)
    if is_document(value):
        return COMMANDS
    return TOOLS if _is_call(value) or is_nameless_call(value) else CHAT


def _guess_dialect(broken: str) -> Dialect:
    """Return the likely dialect of a document that is not strict JSON; the dialect's reader explains the error."""
    if _COMMANDS.match(broken):
        return COMMANDS
    return TOOLS if _NAME.search(broken) and _ARGUMENTS.search(broken) else CHAT


def _is_call(value: Json) -> bool:
    if isinstance(value, list):
        items = cast("list[Json]", value)
        return bool(items) and all(_is_call(item) or _is_part(item) for item in items)
    if not isinstance(value, dict):
        return False
    members = cast("Mapping[str, Json]", value)
    if not is_assistants(members):
        return False
    if "tool_calls" in members or "function" in members or ("role" in members and "content" in members):
        return True
    return "name" in members and any(key in members for key in _CALL)


def _is_part(value: Json) -> bool:
    kind = cast("Mapping[str, Json]", value).get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and (kind in _PARTS or is_done_elsewhere(kind))


class AutoDialect(_FoundByReading):
    """The dialect for a text whose dialect is not known."""

    name: str = "auto"

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader that knows these operations and no others."""
        return AutoReader(operations)

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the prompt of the chat dialect, because a model that is told no dialect writes chat replies."""
        return CHAT.describe(operations)

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Return a `commands` document, which the reader recognises. Raises `ProposalError` for invalid arguments."""
        return COMMANDS.write(operation, arguments)

    def remark(self, text: str) -> str:
        """Return an empty text, because a `commands` document cannot contain text for the person."""
        return COMMANDS.remark(text)

    def together(self, parts: Sequence[str]) -> str:
        """Return one `commands` document with all these commands."""
        return COMMANDS.together(parts)

    def clarify(self, reason: str, about: Sequence[Operation] = ()) -> str:
        """Return a `commands` document that asks the person for clarification."""
        return COMMANDS.clarify(reason, about)


AUTO = AutoDialect()
