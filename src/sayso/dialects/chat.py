"""A chat reply: text, `json-action` blocks and envelopes of actions on one stream (house, section 5)."""

from collections.abc import Mapping, Sequence
from functools import partial

from sayso.core.canonical import Json
from sayso.core.dialect import Dialect, Reader
from sayso.core.operation import Operation
from sayso.dialects.actions import ACTIONS
from sayso.dialects.actions.dialect import write_instance
from sayso.dialects.actions.envelope import TAG as ENVELOPE
from sayso.dialects.actions.envelope import read_document, read_fence
from sayso.dialects.blocks import BLOCKS
from sayso.dialects.blocks.block import TAG as BLOCK
from sayso.dialects.blocks.block import read_block
from sayso.dialects.fenced import FencedReader


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


class Chat:
    """S2 and S3 together."""

    name: str

    def __init__(self) -> None:
        self.name = "chat"

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


CHAT: Dialect = Chat()
