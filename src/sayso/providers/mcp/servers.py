"""The wrapped MCP servers in the settings: what starts each of them, and what the person says about its tools."""

import hashlib
import json
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import asdict

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.quotes import quoted
from sayso.core.settings import COMMAND, FLAG, LENGTH, LINE, PATH, TEXTS, NotOfKind, ValueKind, describe_found
from sayso.providers.index import OPERATIONS

LONGEST_NAME = 32
SECONDS = 60


class WrappedServer(Struct, frozen=True, dict=True):
    """One other MCP server whose tools are operations here; either `command` or `url` is set."""

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    folder: str = ""
    """The folder in which the program starts; empty for the person's home."""
    environment: tuple[str, ...] = ()
    """Variables of sayso's own environment that the program gets."""
    secrets: tuple[str, ...] = ()
    """Variables whose values are in the keyring; of a server with `url`, names of headers."""
    reads: tuple[str, ...] = ()
    """Tools, as names or globs, of which the person says that they only read."""
    writes: tuple[str, ...] = ()
    """Tools of which the person says that they replace and remove nothing."""
    paths: tuple[str, ...] = ()
    """Arguments that are paths on this computer, which the rules for paths apply to."""
    trust_annotations: bool = False
    """Whether what the server itself says of its tools (that they only read, or destroy nothing) is believed."""
    local: bool = False
    """Whether nothing that the server is given leaves this computer."""
    recipes: str = ""
    """The recipes by which calls can be taken back: a name of those that ship, or the path of a file."""
    timeout: int = SECONDS

    @cached_property
    def identity(self) -> str:
        """Return a digest of what is started or reached; calls, approvals and grants are for this server only."""
        said = {"command": self.command, "url": self.url, "folder": self.folder, "environment": self.environment}
        return hashlib.sha256(json.dumps({**said, "secrets": self.secrets}, sort_keys=True).encode()).hexdigest()

    def says_reads(self, tool: str) -> bool:
        """Return whether the person says that the tool only reads."""
        return _listed(tool, self.reads)

    def says_writes(self, tool: str) -> bool:
        """Return whether the person says that the tool replaces and removes nothing."""
        return _listed(tool, self.writes)

    @property
    def shown(self) -> str:
        """Return what is started or reached, for the person."""
        return self.url or " ".join(self.command)

    @property
    def table(self) -> dict[str, Json]:
        """Return the server as its table in the settings, without what has its default."""
        plain = WrappedServer(self.name)
        values = {key: value for key, value in asdict(self).items() if value != getattr(plain, key)}
        return {key: _KEYS[key].write(value) for key, value in values.items() if key != "name"}


def _listed(tool: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(tool, glob) for glob in globs)


def _url(value: Json) -> Json:
    text = cast("str", LINE.read(value))
    there = text.partition("://")[2].partition("/")[0].partition("?")[0]
    if "@" not in there and (text.startswith("https://") or _is_loopback(text)):
        return text
    raise NotOfKind


def _is_loopback(text: str) -> bool:
    host = text.removeprefix("http://").partition("/")[0]
    return text.startswith("http://") and host.partition(":")[0] in {"localhost", "127.0.0.1"} and "@" not in host


_KEYS: Mapping[str, ValueKind] = {
    "command": COMMAND,
    "url": ValueKind(
        "an address without a password that begins with https://, or with http:// and this computer's own name",
        _url,
    ),
    "folder": PATH,
    "environment": TEXTS,
    "secrets": TEXTS,
    "reads": TEXTS,
    "writes": TEXTS,
    "paths": TEXTS,
    "trust_annotations": FLAG,
    "local": FLAG,
    "recipes": LINE,
    "timeout": LENGTH,
}


def read_servers(value: Json) -> Json:
    """Read the tables `[mcp.servers.NAME]`. Raises `NotOfKind`, and `SetupError` that names server and key."""
    if not isinstance(value, Mapping):
        raise NotOfKind
    return {name: _server(str(name), table) for name, table in cast("Mapping[str, Json]", value).items()}


def write_servers(value: Json) -> Json:
    """Return the servers as their tables in the settings."""
    return {name: server.table for name, server in cast("Mapping[str, WrappedServer]", value).items()}


def _server(name: str, table: Json) -> WrappedServer:
    why = why_no_name(name)
    if why:
        raise SetupError(f"{quoted(name[:60])} is no name for an MCP server: {why} (config.toml)", "config.value")
    if not isinstance(table, Mapping):
        found = describe_found(table)
        raise SetupError(f"an MCP server is written [mcp.servers.{name}]; found {found} (config.toml)", "config.value")
    values: dict[str, Any] = {key: _value(name, key, one) for key, one in cast("Mapping[str, Json]", table).items()}
    if ("command" in values) == ("url" in values) or values.get("command") == ():
        raise SetupError(f"the MCP server {quoted(name)} needs either “command” or “url” (config.toml)", "config.value")
    return WrappedServer(name, **values)


def _value(name: str, key: str, value: Json) -> Json:
    if key not in _KEYS:
        takes = ", ".join(_KEYS)
        said = f"the MCP server {quoted(name)} has no setting {quoted(key[:60])}; it takes {takes} (config.toml)"
        raise SetupError(said, "config.unknown")
    try:
        return _KEYS[key].read(value)
    except NotOfKind:
        said = f"must be {_KEYS[key].expects}; found {describe_found(value)} (config.toml)"
        raise SetupError(f"{quoted(key)} of the MCP server {quoted(name)} {said}", "config.value") from None


def why_no_name(name: str) -> str:
    """Return why a server cannot have this name; empty if it can."""
    plain = name.replace("-", "a")
    if not (plain.isascii() and plain.isalnum() and name == name.lower() and name[0].isalpha()):
        return "use small letters, digits and hyphens, beginning with a letter"
    if len(name) > LONGEST_NAME:
        return f"it is longer than {LONGEST_NAME} letters"
    return "sayso's own operations begin so" if name in _own_beginnings() else ""


def _own_beginnings() -> frozenset[str]:
    ids = (id_ for ids in OPERATIONS.values() for id_ in ids)
    return frozenset({"sayso", "mcp", *(id_.partition(".")[0] for id_ in ids)})
