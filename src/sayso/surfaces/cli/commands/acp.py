"""`sayso acp`: serve the chat to an editor over the Agent Client Protocol."""

import argparse
from typing import Any

from sayso.assembly import Home
from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.provider import add_extra
from sayso.surfaces.cli.app import Command
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home

AGENT, SERVE = "sayso.surfaces.acp.agent:ChatAgent", "sayso.surfaces.acp.agent:serve"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--model", default="", metavar="NAME", help="use this model, and not the one in the settings")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Serve until the editor closes the connection. Raises `SetupError` if the library of the protocol is missing."""
    try:
        make, serve = load(AGENT), load(SERVE)
    except ModuleNotFoundError as missing:
        raise SetupError(
            f"talking to editors needs {missing.name}, which is not installed; {add_extra('acp')}", "acp.extra"
        ) from missing
    serving: list[Any] = []

    async def work(home: Home) -> None:
        serving.append(make(home, arguments.model))
        await serve(home, serving[0])

    in_home(here, work, stopping=lambda: bool(serving) and serving[0].is_stopping())
    return Exit.FINE


COMMAND = Command(
    configure,
    act,
    "sayso acp --model embedded",
    "An editor starts this itself, over its standard input and output. What needs your yes waits until you decide on "
    "a terminal of your own: sayso pending, sayso approve.",
)
