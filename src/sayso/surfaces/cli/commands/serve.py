"""`sayso serve`: serve sayso's own page to the person at this computer."""

import argparse
from collections.abc import Awaitable, Callable

from sayso.assembly import Home
from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.provider import add_extra
from sayso.surfaces.cli.app import Command
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.ports import port

SERVE = "sayso.surfaces.web.application:serve"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--host", choices=("127.0.0.1",), default="127.0.0.1", help="where it listens: on this computer alone"
    )
    parser.add_argument("--port", type=port, default=0, metavar="PORT", help="the port; without it, a free one")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Serve until a signal ends it. Raises `SetupError` if a library is missing."""
    serve = _serving()

    def began(address: str, token: str) -> None:
        if here.json:
            here.document({"url": address, "token": token})
        else:
            here.print(f"Open {address}#token={token}", "The address works once. Ctrl+C ends this; what waits stays.")
        here.out.flush()

    in_home(here, lambda home: serve(home, arguments.port, began))
    return Exit.FINE


def _serving() -> Callable[[Home, int, Callable[[str, str], None]], Awaitable[None]]:
    try:
        return load(SERVE)
    except ModuleNotFoundError as missing:
        raise SetupError(
            f"the page needs {missing.name}, which is not installed; {add_extra('web')}", "page.extra"
        ) from missing


COMMAND = Command(
    configure,
    act,
    "sayso serve --port 8737",
    "Whoever has the address may decide as you do, so give it to nobody and to no program.",
)
