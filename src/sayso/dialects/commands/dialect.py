"""The commands contract as the one value that the rest of sayso plugs in."""

import json
from collections.abc import Mapping, Sequence

from sayso.core.canonical import Json
from sayso.core.dialect import Reader
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation
from sayso.dialects import names
from sayso.dialects.commands import describing
from sayso.dialects.commands.reader import CommandsReader
from sayso.dialects.keyed import derived, written
from sayso.dialects.names import open_name


class Commands:
    """S4: one JSON object with a list of commands."""

    name: str

    def __init__(self) -> None:
        self.name = "commands"

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader that knows these operations and no others."""
        return CommandsReader(operations)

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the prompt section that teaches a model this contract."""
        return describing.describe(operations)

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Return the object that reads back as this; raises `ProposalError` for arguments that do not pass the door."""
        command = _command(operation, arguments)
        return json.dumps(
            {"commands": [command], "needs_clarification": False, "clarification_reason": None}, ensure_ascii=False
        )

    def remark(self, text: str) -> str:
        """Return nothing: the one object has no place for words."""
        del text
        return ""

    def together(self, parts: Sequence[str]) -> str:
        """Return one object with the commands of all of these, a line for each."""
        commands = [command for part in parts for command in json.loads(part)["commands"]]
        lines = ",".join(f"\n    {json.dumps(command, ensure_ascii=False)}" for command in commands)
        return (
            f'{{\n  "commands": [{lines}\n  ],\n  "needs_clarification": false,\n  "clarification_reason": null\n}}\n'
        )

    def clarify(self, reason: str, about: Sequence[Operation] = ()) -> str:
        """Return the object that asks back, with a command for each operation in doubt and nothing filled in."""
        commands = [{"type": _type(operation)} for operation in about]
        members = {"commands": commands, "needs_clarification": True, "clarification_reason": reason}
        return f"{json.dumps(members, ensure_ascii=False)}\n"


def _type(operation: Operation) -> str:
    return next((keyed.name for keyed in names.COMMANDS if keyed.operation == operation.id), open_name(operation.id))


def _command(operation: Operation, arguments: Mapping[str, Json]) -> dict[str, Json]:
    for keyed in names.COMMANDS:
        if keyed.operation == operation.id:
            try:
                return {"type": keyed.name, **written(keyed, operation, arguments)}
            except ProposalError as wrong:
                if wrong.code != "dialect.unsayable":
                    raise
    keyed = derived(operation, "type")
    return {"type": keyed.name, **written(keyed, operation, arguments)}


COMMANDS = Commands()
