"""The three entry points: automation, chat and commands, and what each asks of a model."""

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
    """What its system prompt says of the person's own actions, where these may be offered."""
    talks: bool = False
    """Its reply has words for the person, which are shown as they come."""
    calls: bool = False
    """The model may call tools, and is told what came of each before it goes on."""
    remembers: bool = False
    """The whole conversation goes along; else only what was asked back, for the words that answer it (T-95)."""
    batch: bool = True
    """Its reply is one batch: one that was cut off is not carried out at all."""


AUTOMATION_ENTRY = EntryPoint("automation", LINES, prompts.automation_system, prompts.automation_user)

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
)

COMMANDS_ENTRY = EntryPoint("commands", COMMANDS, prompts.commands_system, prompts.commands_user)
