"""The secrets of wrapped MCP servers: asked for at the terminal, and kept in the keyring alone."""

from collections.abc import Sequence

import anyio

from sayso.assembly.wiring import ground
from sayso.config import Settings
from sayso.core.errors import SetupError
from sayso.core.ports import no_kill_point
from sayso.core.quotes import quoted
from sayso.providers.accounts.keyring import Keyring, keyring_of, why_not
from sayso.providers.mcp import MCP
from sayso.providers.mcp.links import entry_of
from sayso.providers.mcp.servers import WrappedServer
from sayso.runtime.system import RandomIds, SystemClock
from sayso.surfaces.cli.terminal import Interview


def ask_for_secret(server: WrappedServer, name: str, now: Settings, interview: Interview) -> None:
    """Ask for a secret and keep it in the keyring. Raises `SetupError` if it is not kept, and `InterviewLeft`."""
    secret = interview.hidden(f"{name} (not shown)")
    answer = anyio.run(_keyring(now).keep, entry_of(server.name, name), secret)
    if answer.how != "kept":
        raise SetupError(f"{quoted(name)} was not kept: {why_not(answer)}", "mcp.secret")
    interview.good(f"{name} is in the keyring ({answer.name}).")


def missing_secrets(server: WrappedServer, now: Settings) -> list[str]:
    """Return the names of the secrets of a server that the keyring does not have."""
    return [
        name for name in server.secrets if anyio.run(_keyring(now).get, entry_of(server.name, name)).how == "absent"
    ]


def take_out(server: WrappedServer, names: Sequence[str], now: Settings) -> list[str]:
    """Take secrets of a server out of the keyring; return the names of those that may still be there."""
    gone = {"removed", "absent", "none", "library"}
    return [name for name in names if anyio.run(_keyring(now).remove, entry_of(server.name, name)).how not in gone]


def _keyring(now: Settings) -> Keyring:
    return keyring_of(ground(MCP, now, SystemClock(), RandomIds(), no_kill_point))
