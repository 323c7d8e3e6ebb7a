"""Find out which dialect a text is written in; chat reads blocks and actions on one stream."""

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
from sayso.dialects.fences import FencedReader
from sayso.dialects.json import NotStrict, Whole, strict_json, strip_fence
from sayso.dialects.lines import LINES
from sayso.dialects.tools import TOOLS, is_assistants, is_done_elsewhere


class ChatReader(FencedReader):
    """Reads both, and says which of them came first."""

    @property
    def chosen(self) -> str:
        """The dialect of the first block; blocks where there is none."""
        return next(iter(self.dialects), BLOCKS.name)


def chat_reader(operations: Mapping[str, Operation]) -> ChatReader:
    """Return a reader of blocks and of envelopes."""
    block, fence = partial(read_block, operations=operations), partial(read_fence, operations=operations)
    document = partial(read_document, operations=operations)
    return ChatReader({BLOCK: (BLOCKS.name, block), ENVELOPE: (ACTIONS.name, fence)}, (ACTIONS.name, document))


class _FoundByReading(AnsweringDialect):
    """A dialect of which each proposal is written in another: a model is answered in that."""

    def part_of(self, row: ResultRow, said: str) -> AnsweringDialect:
        """Return the dialect of one proposal of a chat reply: an action runs a template, all else is a block."""
        return ACTIONS if row["operation"] == TEMPLATE or '"templateId"' in said else BLOCKS

    def result(self, row: ResultRow, operations: Operations) -> dict[str, Json]:
        """Return what a model is given back of a block, or of an action."""
        return self.part_of(row, "").result(row, operations)


class ChatDialect(_FoundByReading):
    """S2 and S3 together."""

    name: str = "chat"

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader that knows these operations and no others."""
        return chat_reader(operations)

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the prompt sections of both."""
        return "\n".join(part for part in (BLOCKS.describe(operations), ACTIONS.describe(operations)) if part)

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Return the block that reads back as this; raises `ProposalError` for what no block can say."""
        return BLOCKS.write(operation, arguments)

    def write_instance(self, template_id: str, params: Mapping[str, Json]) -> str:
        """Return the fenced envelope that names this action of the person's own."""
        return write_instance(template_id, params)

    def remark(self, text: str) -> str:
        """Return the words as they stand among what `write` writes."""
        return BLOCKS.remark(text)

    def together(self, parts: Sequence[str]) -> str:
        """Return one text of what `write` wrote."""
        return BLOCKS.together(parts)


CHAT = ChatDialect()

_LIKE_A_COMMAND = re.compile(r"[A-Z]{2,}(?:_[A-Z]+)*(?![^\s\"])")


def find_dialect(text: str, operations: Mapping[str, Operation]) -> str | None:
    """Return `lines` or `auto`, whichever alone has a meaning for this text; None where both have one, or neither.

    A text of lines consists of commands that there are, misspelled ones and comments; other words make it a chat reply.
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
"""What an interface returns beside calls."""
_COMMANDS = re.compile(r'\s*\{\s*("commands"|"needs_clarification"|"clarification_reason")\s*:')
_NAME = re.compile(r'"name"\s*:')
_ARGUMENTS = re.compile(r'"(?:arguments|input|function)"\s*:')
_LONGEST_START = 256
_FENCE = 3


class AutoReader:
    """Holds a reply that may be one document; any other is a chat reply, read as it comes."""

    def __init__(self, operations: Mapping[str, Operation]) -> None:
        self._whole = ""
        self._operations = operations
        self._held = Whole()
        self._start = ""
        self._holds: bool | None = None
        self._chat = chat_reader(operations)

    @property
    def chosen(self) -> str:
        """The dialect found: that of the document, or of a chat reply's first block; `auto` where there is none."""
        return self._whole or next(iter(self._chat.dialects), "auto")

    def feed(self, chunk: str) -> list[Event]:
        """Take the next piece of text and return what is certain by now."""
        if self._holds is False:
            return self._chat.feed(chunk)
        self._held.add(chunk)
        if self._holds is None:
            self._start = (self._start + chunk).lstrip()[:_LONGEST_START]
            self._holds = _is_document(self._start)
        return self._chat.feed(self._held.take()) if self._holds is False else []

    def close(self) -> list[Event]:
        """Take the end of the text and return what is left."""
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
    """Say whether a reply that begins like this may be one document, bare or in a fence; None when that is open."""
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
    """Return the dialect of a whole reply, its fence taken off: `tools`, `commands`, or else `chat`."""
    if document.lstrip()[:1] not in ("{", "["):
        return CHAT
    try:
        value = strict_json(document)
    except NotStrict:
        return _guess_dialect(document)
    if isinstance(value, dict) and "commands" in value:
        return COMMANDS
    return TOOLS if _is_call(cast("Json", value)) else CHAT


def _guess_dialect(broken: str) -> Dialect:
    """Return the dialect that a document which is no strict JSON was meant for; its reader says what is wrong."""
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
    """Reads what the entry point cannot tell."""

    name: str = "auto"

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader that knows these operations and no others."""
        return AutoReader(operations)

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the chat's prompt: a free reply is a chat reply."""
        return CHAT.describe(operations)

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Return a form that is known again for what it is; raises `ProposalError` for what does not pass the door."""
        return COMMANDS.write(operation, arguments)

    def remark(self, text: str) -> str:
        """Return the words as they stand among what `write` writes."""
        return COMMANDS.remark(text)

    def together(self, parts: Sequence[str]) -> str:
        """Return one text of what `write` wrote."""
        return COMMANDS.together(parts)

    def clarify(self, reason: str, about: Sequence[Operation] = ()) -> str:
        """Return what asks back, in the dialect of what `write` writes."""
        return COMMANDS.clarify(reason, about)


AUTO = AutoDialect()
