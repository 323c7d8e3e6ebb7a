"""The line dialect as the one value that the rest of sayso plugs in."""

from collections.abc import Mapping, Sequence

from sayso.core.canonical import Json
from sayso.core.dialect import Dialect, Reader
from sayso.core.operation import Operation
from sayso.dialects.lines import describing, writing
from sayso.dialects.lines.reader import LinesReader
from sayso.dialects.lines.scan import scan


class Lines:
    """S0: plain text, one command per line."""

    name: str

    def __init__(self) -> None:
        self.name = "lines"

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader that knows these operations and no others."""
        return LinesReader(operations)

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the prompt section that teaches a model to write these operations."""
        return describing.describe(operations)

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Return the lines that read back as this; raises `ProposalError` for what lines cannot say."""
        return writing.write(operation, arguments)

    def remark(self, text: str) -> str:
        """Return the words behind `#`, line by line; an empty line stays one."""
        return "\n".join(_comment(line) if line else "" for line in text.split("\n"))

    def together(self, parts: Sequence[str]) -> str:
        """Return the parts one below the other."""
        return "".join(f"{part}\n" for part in parts)


def _comment(line: str) -> str:
    comment = f"# {line}"
    return comment if scan(comment).opener is None else f"{comment} #"  # a comment that ends in <<WORD takes its text


LINES: Dialect = Lines()
