"""Tool calls as the one value that the rest of sayso plugs in."""

import json
from collections.abc import Iterator, Mapping, Sequence

from sayso.core.canonical import Json
from sayso.core.dialect import Dialect, Reader
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation
from sayso.dialects.keyed import derived, written
from sayso.dialects.names import open_name
from sayso.dialects.tools import describing
from sayso.dialects.tools.naming import TWO, own_tool
from sayso.dialects.tools.reader import ToolsReader

_NEXT = ",\n  "


class Tools:
    """S1: one call is one action."""

    name: str

    def __init__(self) -> None:
        self.name = "tools"

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader that knows these operations and no others."""
        return ToolsReader(operations)

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the prompt section that teaches a model these tools."""
        return describing.describe(operations)

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Return the call that reads back as this; raises `ProposalError` for what no tool can say."""
        name, members = next(_calls(operation, arguments))
        return json.dumps({"name": name, "arguments": members}, ensure_ascii=False)

    def remark(self, text: str) -> str:
        """Return the words as text beside the calls, a part for each line."""
        lines = text.strip("\n").split("\n")
        return _NEXT.join(json.dumps({"type": "text", "text": line}, ensure_ascii=False) for line in lines)

    def together(self, parts: Sequence[str]) -> str:
        """Return one list of these calls and words."""
        return f"[\n  {_NEXT.join(parts)}\n]\n"


def _calls(operation: Operation, arguments: Mapping[str, Json]) -> Iterator[tuple[str, dict[str, Json]]]:
    if own_tool(open_name(operation.id), {operation.id: operation}) is not None:
        yield open_name(operation.id), written(derived(operation), operation, arguments)
    unsaid = ProposalError(f"no tool says {operation.id}", "dialect.unsayable")
    for tool in TWO:
        for keyed in tool.actions.names:
            if keyed.operation == operation.id:
                try:
                    yield tool.name, {"action": keyed.name, **written(keyed, operation, arguments)}
                except ProposalError as wrong:
                    unsaid = wrong
    raise unsaid


TOOLS: Dialect = Tools()
