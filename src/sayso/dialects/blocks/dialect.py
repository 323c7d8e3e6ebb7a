"""`json-action` blocks as the one value that the rest of sayso plugs in."""

import json
from collections.abc import Mapping, Sequence
from functools import partial

from sayso.core.canonical import Json
from sayso.core.dialect import Dialect, Reader
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation
from sayso.dialects import prose
from sayso.dialects.blocks import describing
from sayso.dialects.blocks.block import TAG, VOCABULARY, read_block
from sayso.dialects.fenced import FencedReader
from sayso.dialects.keyed import written


class Blocks:
    """S2: a fenced block for each proposal, text around it."""

    name: str

    def __init__(self) -> None:
        self.name = "blocks"

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader that knows these operations and no others."""
        return FencedReader({TAG: (self.name, partial(read_block, operations=operations))})

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the prompt section that teaches a model these blocks."""
        return describing.describe(operations)

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Return the block that reads back as this; raises `ProposalError` for what no block can say."""
        for keyed in VOCABULARY.names:
            if keyed.operation == operation.id:
                members = {"type": keyed.name, **written(keyed, operation, arguments)}
                return describing.fenced(json.dumps(members, ensure_ascii=False))
        raise ProposalError(f"no json-action block says {operation.id}", "dialect.unsayable")

    def remark(self, text: str) -> str:
        """Return the words as text around the blocks."""
        return prose.remark(text)

    def together(self, parts: Sequence[str]) -> str:
        """Return a reply with these blocks and words."""
        return prose.prose(parts)


BLOCKS: Dialect = Blocks()
