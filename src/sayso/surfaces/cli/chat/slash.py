"""The commands of the conversation, which begin with a slash."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from sayso.core.quotes import quoted
from sayso.surfaces.cli.app import near


class Slash(Struct, frozen=True):
    """One command: what carries it out, its argument, and what it does."""

    act: Callable[[Any, str], Awaitable[None]]
    argument: str
    says: str
    arguments: Callable[[Any], list[str]] | None = None
    """Returns what Tab offers for the argument."""


async def _help(chat: Any, _: str) -> None:
    width = max(len(f"/{name} {one.argument}") for name, one in SLASH.items())
    for name, one in SLASH.items():
        chat.say(one.says, f"  {f'/{name} {one.argument}':<{width}}  ")
    chat.say("Alt-Enter, or a backslash at the end of a line, begins another line.", "  ")
    chat.say("Ctrl-C ends a reply and leaves what waits; Ctrl-D leaves the conversation.", "  ")


async def _new(chat: Any, _: str) -> None:
    await chat.begin_session("")
    chat.say("This is a new conversation; the one before stays in “/sessions”.")


async def _quit(chat: Any, _: str) -> None:
    chat.leaves = True


SLASH: Mapping[str, Slash] = MappingProxyType(
    {
        "new": Slash(_new, "", "begin a new conversation"),
        "help": Slash(_help, "", "show this list"),
        "quit": Slash(_quit, "", "leave; what waits goes on waiting"),
    }
)
NAMES = tuple(f"/{name}" for name in SLASH)


async def carry_out(chat: Any, text: str) -> None:
    """Carry out the command that a text beginning with a slash names; an unknown one is told, with the nearest."""
    name, _, argument = text[1:].partition(" ")
    found = SLASH.get(name.lower())
    if found is None:
        chat.say(f"There is no command {quoted(f'/{name[:40]}')}{near(f'/{name[:40]}', NAMES)}")
        return
    await found.act(chat, argument.strip())
