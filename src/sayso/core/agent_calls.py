"""What a coding agent is about to do by itself, as its hooks report it, and how the journal names such actions."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from msgspec import Struct

from sayso.core.operation import Operation
from sayso.core.plan import Plan


async def _nobody() -> Plan:
    raise NotImplementedError("an agent does this itself")


ENTRY = "hook"
"""The entry point of what agents do by themselves."""
SHELL = "shell.run"
"""The operation of a command that an agent ran. It is not in the catalogue, so no model can propose it."""

BY_AGENTS: Mapping[str, Operation] = MappingProxyType({SHELL: Operation(SHELL, "external", "none", _nobody)})
"""Operations that only agents do, with tools of their own; the journal has actions of them, the catalogue has not."""


class Replacement(Struct, frozen=True):
    """One replacement of text in a file: the first place, or with `everywhere` all of them."""

    old: str
    new: str
    everywhere: bool = False


class ReadsFile(Struct, frozen=True, tag=True):
    """The agent reads a file."""

    path: str


class WritesFile(Struct, frozen=True, tag=True):
    """The agent writes a whole file."""

    path: str
    content: str


class EditsFile(Struct, frozen=True, tag=True):
    """The agent replaces parts of a file."""

    path: str
    replacements: tuple[Replacement, ...]


class RunsCommand(Struct, frozen=True, tag=True):
    """The agent runs a command in a shell."""

    command: str


Deed = ReadsFile | WritesFile | EditsFile | RunsCommand


class AgentCall(Struct, frozen=True):
    """One call of an agent's own tool: which agent and session, in which folder, and what it does.

    `call` is the same before and after the call, and differs from those of other calls. `project` is the folder in
    which the agent works; `folder`, in which the tool is called, is the same or one inside it.
    """

    agent: str
    session: str
    call: str
    folder: str
    project: str
    tool: str
    does: Deed


class AgentAnswer(Struct, frozen=True):
    """What an agent is told before a call: no, ask the person, or nothing; never yes."""

    ruling: Literal["none", "ask", "deny"] = "none"
    because: str = ""
