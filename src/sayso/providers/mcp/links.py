"""Opening the link to a wrapped server: its program or its address, with secrets from the keyring."""

from collections.abc import Mapping

from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.ports import BackendContext
from sayso.core.provider import add_extra
from sayso.core.quotes import quoted
from sayso.providers.accounts.keyring import KeyringEntry, read_keyring, why_not
from sayso.providers.mcp.process import start_server
from sayso.providers.mcp.servers import WrappedServer
from sayso.providers.mcp.session import Link


async def open_link(server: WrappedServer, context: BackendContext) -> Link:
    """Return a new link to a server. Raises `SetupError` and `ProviderError`."""
    secrets = {name: await _secret(server, name, context) for name in server.secrets}
    if server.url:
        return _over_http(server, secrets)
    return start_server(server, context, secrets)


def _over_http(server: WrappedServer, secrets: Mapping[str, str]) -> Link:
    try:
        return load("sayso.providers.mcp.http:HttpLink")(server.url, secrets)
    except ModuleNotFoundError as missing:
        said = f"MCP servers with a url need {missing.name}, which is not installed; {add_extra('mcp')}"
        raise SetupError(said, "mcp.extra") from missing


def entry_of(server: str, name: str) -> KeyringEntry:
    """Return where a secret of a server is in the keyring."""
    return KeyringEntry("mcp", server, name)


async def _secret(server: WrappedServer, name: str, context: BackendContext) -> str:
    answer = await read_keyring(context, entry_of(server.name, name))
    if answer.how == "found":
        return answer.password
    said = f"the MCP server {quoted(server.name)} needs {quoted(name)} from the keyring: {why_not(answer)}"
    raise SetupError(f"{said}; “sayso mcp secret {server.name} {name}” puts it there", "mcp.secret")
