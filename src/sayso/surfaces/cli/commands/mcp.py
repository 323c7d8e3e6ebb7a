"""`sayso mcp`: serve an agent over the Model Context Protocol."""

import argparse
import re
from collections.abc import Awaitable, Callable

from sayso.assembly import Home
from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.provider import add_extra
from sayso.core.quotes import quoted
from sayso.surfaces.cli.app import Command, UsageProblem, port
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home

SERVE = "sayso.surfaces.mcp.server:serve"
SERVE_HTTP = "sayso.surfaces.mcp.http:serve_http"
SECRET, TOKENS = "sayso.surfaces.mcp.tokens:secret_in", "sayso.surfaces.mcp.tokens:Tokens"
PORT = 8738
PATIENCE = 45.0
MOST = 3600.0
DEEDS = ("wrap", "list", "tools", "accept", "unwrap", "secret", "import")
LISTS = {
    "reads": "tools that only read, as names or globs",
    "writes": "tools that replace and remove nothing",
    "paths": "arguments that are paths on this computer",
    "environment": "variables of yours that its program gets",
    "secrets": "variables, or headers, whose values are in the keyring",
}
_BY_HAND = (
    "sayso: an agent starts this and talks to it over standard input and output, so you need not type it; Ctrl+C ends "
    "it. “sayso mcp --help” lists what you can do"
)
_NAME = re.compile("[a-z0-9][a-z0-9.-]{0,39}")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "what", nargs="?", metavar=f"[{'|'.join(DEEDS)}]", help="what to do with other MCP servers; without it, serve"
    )
    parser.add_argument(
        "words", nargs="*", metavar="NAME", help="a server by your name for it; with wrap, then -- and its command"
    )
    parser.add_argument("--url", metavar="URL", help="with wrap: the address of a server that is no program")
    for option, does in LISTS.items():
        parser.add_argument(f"--{option}", metavar="NAME,…", help=f"with wrap: {does}")
    parser.add_argument(
        "--trust-annotations", action="store_true", help="with wrap: believe what the server says of its tools"
    )
    parser.add_argument(
        "--local", action="store_true", help="with wrap: nothing that the server is given leaves this computer"
    )
    parser.add_argument("--recipes", metavar="NAME", help="with wrap: recipes by which calls can be taken back")
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
    parser.add_argument(
        "--http",
        action="store_true",
        help="serve any number of agents over HTTP on this computer, instead of the one that started this",
    )
    parser.add_argument(
        "--port", type=port, metavar="PORT", help=f"the port of --http (default: {PORT}); 0 takes a free one"
    )
    parser.add_argument(
        "--token",
        action="store_true",
        help="print the token that an agent needs for --http, for all agents or, with --client, for one, and end",
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
    """Serve until the agent closes the connection or, over HTTP, until a signal ends it; or print a token.

    With a word after “mcp”, look after other MCP servers instead.
    """
    if arguments.what is not None:
        return load("sayso.surfaces.cli.mcp_servers:act")(arguments, here)
    given = [name for name in ("url", "recipes", *LISTS) if getattr(arguments, name) is not None]
    given += [name for name in ("trust_annotations", "local") if getattr(arguments, name)]
    if given:
        raise UsageProblem(f"--{given[0].replace('_', '-')} is for sayso mcp wrap")
    if arguments.port is not None and not arguments.http:
        raise UsageProblem("--port is the port of --http; write --http too")
    if arguments.http and arguments.token:
        raise UsageProblem("--http serves and --token prints a token; use one of them at a time")
    if arguments.http and arguments.client:
        raise UsageProblem("over HTTP the token names the agent: sayso mcp --token --client NAME")
    if arguments.token:
        _print_token(arguments.client, here)
    elif arguments.http:
        _serve_http(arguments, here)
    else:
        serve = serving(SERVE)
        if here.stdin is not None and here.stdin.isatty():
            here.tell(_BY_HAND)
        in_home(here, lambda home: serve(home, arguments.wait, arguments.client, arguments.tools))
    return Exit.FINE


def _serve_http(arguments: argparse.Namespace, here: CommandContext) -> None:
    serve = serving(SERVE_HTTP)
    at = PORT if arguments.port is None else arguments.port

    def began(address: str) -> None:
        print(
            f"Agents reach sayso at {address}\nEach needs a token: sayso mcp --token. Ctrl+C ends this.",
            file=here.out,
            flush=True,
        )

    in_home(here, lambda home: serve(home, arguments.wait, arguments.tools, at, began))


def _print_token(client: str, here: CommandContext) -> None:
    async def token(home: Home) -> str:
        secret: bytes = load(SECRET)(home.settings.places.home, home.ids)
        return load(TOKENS)(secret).of(client)

    print(in_home(here, token), file=here.out)


def serving(place: str) -> Callable[..., Awaitable[None]]:
    """Return the function that serves agents. Raises `SetupError` if the MCP library is not installed."""
    try:
        return load(place)
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
