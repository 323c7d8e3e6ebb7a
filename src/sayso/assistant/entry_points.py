"""The three entry points, automation, chat and commands, and how each of them asks a model."""

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from sayso.assistant import prompts
from sayso.assistant.prompts import PromptContext
from sayso.core.dialect import Dialect
from sayso.core.encoding import Json
from sayso.core.operation import Operation
from sayso.dialects.commands import COMMANDS
from sayso.dialects.detect import CHAT
from sayso.dialects.lines import LINES

Name = Literal["commands", "automation", "chat"]


class EntryPoint(Struct, frozen=True):
    """One entry point."""

    name: Name
    dialect: Dialect
    system: Callable[[Sequence[Operation]], str]
    user: Callable[[PromptContext, str], str]
    offers: Callable[[Sequence[Json]], str] = lambda actions: ""
    """Returns the part of the system prompt about the person's own actions."""
    talks: bool = False
    """Whether replies contain text for the person, which is shown as it arrives."""
    calls: bool = False
    """Whether the model may call tools, and gets their results before it continues."""
    remembers: bool = False
    """Whether requests include the whole conversation; otherwise only the model's open questions (T-95)."""
    batch: bool = True
    """Whether a reply must be whole; an incomplete reply is then not executed at all, and its reader needs no text."""
    tells_deeds: bool = False
    """Whether the model always gets the results of a turn; otherwise only if it looked at something or must correct it.
    """
    ends: str = ""
    """What the model is told to write when nothing is left to propose."""


AUTOMATION_ENTRY = EntryPoint(
    "automation", LINES, prompts.automation_system, prompts.automation_user, ends=prompts.AUTOMATION_ENDS
)

CHAT_ENTRY = EntryPoint(
    "chat",
    CHAT,
    prompts.chat_system,
    prompts.chat_user,
    prompts.offers,
    talks=True,
    calls=True,
    remembers=True,
    batch=False,
    tells_deeds=True,
    ends=prompts.CHAT_ENDS,
)

COMMANDS_ENTRY = EntryPoint(
    "commands",
    COMMANDS,
    prompts.commands_system,
    prompts.commands_user,
    prompts.offers_in_commands,
    ends=prompts.COMMANDS_ENDS,
)
