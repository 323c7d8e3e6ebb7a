"""`sayso serve`: serve sayso's own page to the person at this computer."""

import argparse
from collections.abc import Awaitable, Callable
from typing import Any

from sayso.assembly import Home
from sayso.config.paths import places
from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.provider import add_extra
from sayso.core.quotes import quoted
from sayso.providers.browser.address import invitation
from sayso.surfaces.cli.app import Command, port
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home

_HERE = "127.0.0.1"
SERVE = "sayso.surfaces.web.application:serve"
OPENER = "sayso.surfaces.web.opening:open_in_browser"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--host", type=_host, default=_HERE, metavar=_HERE, help="where it listens: on this computer alone"
    )
    parser.add_argument("--port", type=port, default=0, metavar="PORT", help="the port; without it, a free one")
    parser.add_argument(
        "--open",
        action="store_true",
        help="open it in your browser; other users of this computer may see the address",
    )


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Serve until a signal ends it; if the page is served already, tell its address.

    Raises `SetupError` if a library is missing.
    """
    serve: Callable[..., Awaitable[None]] = of_page(SERVE)
    if found := invitation(str(places(here.environ).home), arguments.port):
        return _open_running(here, *found, opens=arguments.open)

    def began(address: str, token: str) -> None:
        _tell(here, address, token, "The address works once. Ctrl+C ends this; what waits stays.")

    in_home(here, lambda home: serve(home, arguments.port, began, here.tell if arguments.open else None))
    return Exit.FINE


def _open_running(here: CommandContext, address: str, token: str, *, opens: bool) -> int:
    """Tell the address of the page that is served already, and open it if asked to; no second server begins."""
    _tell(here, address, token, "The page is served already; this address works once.")
    if opens:
        opener: Callable[[Home, str], Awaitable[str]] = of_page(OPENER)
        if why := in_home(here, lambda home: opener(home, f"{address}#token={token}")):
            here.tell(why)
    return Exit.FINE


def _tell(here: CommandContext, address: str, token: str, more: str) -> None:
    if here.json:
        here.document({"url": address, "token": token})
    else:
        here.print(f"Open {address}#token={token}", more)
    here.out.flush()


def _host(text: str) -> str:
    """Return the only place where it listens. Raises `ArgumentTypeError` for any other."""
    if text != _HERE:
        raise argparse.ArgumentTypeError(
            f"the page is for this computer alone, so it listens on {_HERE} only, not on {quoted(text[:60])}"
        )
    return text


def of_page(name: str) -> Any:
    """Return a function of the page's server. Raises `SetupError` if a library is missing."""
    try:
        return load(name)
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
