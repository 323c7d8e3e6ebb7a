"""`sayso mcp`: serve an agent over the Model Context Protocol."""

import argparse
import re
from collections.abc import Awaitable, Callable

from sayso.assembly import Home
from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.provider import add_extra
from sayso.core.quotes import quoted
from sayso.surfaces.cli.app import Command
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home

SERVE = "sayso.surfaces.mcp.server:serve"
PATIENCE = 45.0
MOST = 3600.0
_NAME = re.compile("[a-z0-9][a-z0-9.-]{0,39}")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--wait",
        type=_seconds,
        default=PATIENCE,
        metavar="SECONDS",
        help="how long a call waits for your decision before the agent is told that it still waits (default: 45)",
    )
    parser.add_argument(
        "--client",
        type=_name,
        default="",
        metavar="NAME",
        help="your name for this agent; what one agent read then makes only that agent ask before it sends",
    )
    parser.add_argument(
        "--tools",
        choices=("all", "s1"),
        default="all",
        help="one tool for each operation that works here (all, the default), or two for everything common (s1)",
    )


def _name(text: str) -> str:
    if text and not _NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{quoted(text[:60])} is no name for an agent; use 1 to 40 small letters, digits, dots and hyphens"
        )
    return text


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= MOST:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no number of seconds from 0 to {MOST:.0f}")
    return seconds


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Serve until the agent closes the connection."""
    serve = serving()
    in_home(here, lambda home: serve(home, arguments.wait, arguments.client, arguments.tools))
    return Exit.FINE


def serving() -> Callable[[Home, float, str, str], Awaitable[None]]:
    """Return the function that serves an agent. Raises `SetupError` if the MCP library is not installed."""
    try:
        return load(SERVE)
    except ModuleNotFoundError as missing:
        raise SetupError(
            f"talking to agents needs {missing.name}, which is not installed; {add_extra('mcp')}", "mcp.extra"
        ) from missing


COMMAND = Command(
    configure,
    act,
    "sayso mcp --wait 45",
    "An agent starts this itself, over its standard input and output. What needs your yes waits until you decide on "
    "a terminal of your own: sayso pending, sayso approve.",
)
