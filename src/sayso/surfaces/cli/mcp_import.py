"""Find the MCP servers in the configurations of the person's programs, and propose how to wrap each of them.

Nothing is changed and nothing is started: the person types the commands, and changes the configurations themselves.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from msgspec import Struct

from sayso.config import Settings
from sayso.core.encoding import Json
from sayso.core.lazy import load
from sayso.core.provider import add_extra
from sayso.core.quotes import visible
from sayso.providers.mcp.recipes import shipped
from sayso.providers.mcp.servers import LONGEST_NAME, why_no_name
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit

MOST_BYTES = 10 * 2**20
MOST_YAML = 2**20
_URLS = ("url", "serverUrl", "uri")
_SHIPPED_FOR = "server-{}"
"""How the packages are named that the recipes which ship are for."""


class ClientFile(Struct, frozen=True):
    """Where a program keeps its MCP servers: its name, its file below the home, and the key of the servers."""

    client: str
    file: str
    key: str = "mcpServers"


CLIENTS = (
    ClientFile("Claude Desktop", ".config/Claude/claude_desktop_config.json"),
    ClientFile("Claude Desktop", "Library/Application Support/Claude/claude_desktop_config.json"),
    ClientFile("Claude Code", ".claude.json"),
    ClientFile("Cursor", ".cursor/mcp.json"),
    ClientFile("VS Code", ".config/Code/User/mcp.json", "servers"),
    ClientFile("VS Code", "Library/Application Support/Code/User/mcp.json", "servers"),
    ClientFile("Windsurf", ".codeium/windsurf/mcp_config.json"),
    ClientFile("Zed", ".config/zed/settings.json", "context_servers"),
    ClientFile("Gemini CLI", ".gemini/settings.json"),
    ClientFile("goose", ".config/goose/config.yaml", "extensions"),
)


class FoundServer(Struct, frozen=True):
    """One server in a configuration; of its variables and headers only the names are kept."""

    client: str
    file: str
    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    secrets: tuple[str, ...] = ()
    note: str = ""

    @property
    def proposal(self) -> str:
        """Return the command that wraps the server, as it can be typed into a shell."""
        words = ["sayso", "mcp", "wrap", own_name(self.name)]
        words += ["--secrets", ",".join(self.secrets)] if self.secrets else []
        recipes = [one for one in shipped() if any(_SHIPPED_FOR.format(one) in word for word in self.command)]
        words += ["--recipes", recipes[0]] if recipes else []
        return shlex.join([*words, *(["--url", self.url] if self.url else ["--", *self.command])])


def own_name(name: str) -> str:
    """Return the name under which a server can be wrapped, as near to its own as possible."""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name.lower()).strip("-")
    plain = (plain if plain[:1].isalpha() else f"m{plain}")[:LONGEST_NAME].rstrip("-")
    return f"their-{plain}"[:LONGEST_NAME] if why_no_name(plain) else plain


def propose(now: Settings, here: CommandContext) -> int:
    """Print what was found and what to type for it."""
    found, unread = find(Path(now.places.person))
    if here.json:
        rows = [{"client": one.client, "file": one.file, "name": one.name, "wrap": one.proposal} for one in found]
        here.document({"servers": rows, "unread": unread})
        return Exit.FINE
    for said in unread:
        here.print(f"· {said}")
    if not found:
        here.print("No MCP servers were found in the configurations of programs that sayso knows.")
        return Exit.FINE
    here.print("Nothing was changed. To have the tools of a server need your say-so, wrap it:")
    for one in found:
        here.print(f"\n{visible(one.name)}, of {one.client}:\n  {visible(one.proposal)}")
        if one.note:
            here.print(f"  {one.note}")
    here.print("\nThen take these servers out of the programs' own files, and give each program sayso instead:")
    for client, file in dict.fromkeys((one.client, one.file) for one in found):
        as_name = own_name(client)
        line = json.dumps({"sayso": {"command": "sayso", "args": ["mcp", "--client", as_name]}})
        here.print(f"  {visible(file)}: {line[1:-1]}")
    return Exit.FINE


def find(home: Path) -> tuple[list[FoundServer], list[str]]:
    """Return the servers in all configurations below a home, and a sentence for each file that cannot be read."""
    found: list[FoundServer] = []
    unread: list[str] = []
    for client in CLIENTS:
        file = home / client.file
        shown = f"~/{client.file}"
        form = "YAML" if file.suffix == ".yaml" else "JSON"
        try:
            with file.open("rb") as opened:
                document = _yaml(opened.read(MOST_YAML)) if form == "YAML" else _json(opened.read(MOST_BYTES))
        except ModuleNotFoundError:
            unread.append(f"{shown} is YAML, and pyyaml, which reads it, is not installed; {add_extra('mcp')}")
            continue
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            unread.append(f"{shown} cannot be read: {error.strerror}")
            continue
        except (ValueError, RecursionError):
            unread.append(
                f"{shown} is not plain {form}, perhaps because of comments; look at {client.key} in it yourself"
                if form == "JSON"
                else f"{shown} is not plain YAML; look at {client.key} in it yourself"
            )
            continue
        found += _servers_in(document, client, shown)
    return found, unread


def _json(data: bytes) -> Json:
    return cast("Json", json.loads(data))


def _yaml(data: bytes) -> Json:
    """Return a document all of whose values are texts, lists and maps. Raises `ValueError`."""
    try:
        return cast("Json", load("yaml:load")(data, load("yaml:BaseLoader")))
    except load("yaml:YAMLError"):
        raise ValueError from None


def _servers_in(document: Json, client: ClientFile, shown: str) -> Iterator[FoundServer]:
    for name, table in _members(_members(document).get(client.key)).items():
        members = _members(table)
        command, url = command_of(members), next((members[key] for key in _URLS if members.get(key)), None)
        keys = members.get("env_keys")
        named = [one for one in cast("list[Json]", keys) if isinstance(one, str)] if isinstance(keys, list) else []
        held = [*(_members(members.get(key)) for key in ("env", "envs", "headers")), dict.fromkeys(named)]
        secrets = tuple(dict.fromkeys(name for names in held for name in names))
        if command and not _is_sayso(command):
            open_ = any(_holds_password(word) for word in command)
            note = "Its command seems to hold a password, which would stand in sayso's settings." if open_ else ""
            yield FoundServer(client.client, shown, name, command, "", secrets, note)
        elif isinstance(url, str) and not command:
            yield FoundServer(client.client, shown, name, (), url, secrets)


def command_of(members: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the words of the command that a configuration names; none if it names none."""
    command = members.get("command") or members.get("cmd")
    if isinstance(command, Mapping):  # as older versions of Zed write it
        members = cast("Mapping[str, Json]", command)
        command = members.get("path")
    arguments = members.get("args")
    words = cast("list[Json]", arguments) if isinstance(arguments, list) else []
    return (command, *(str(word) for word in words)) if isinstance(command, str) and command else ()


def _is_sayso(command: tuple[str, ...]) -> bool:
    return any(word.rpartition("/")[2] == "sayso" for word in command) and "mcp" in command


def _holds_password(word: str) -> bool:
    try:
        return urlsplit(word).password is not None
    except ValueError:
        return False


def _members(value: Json) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", value) if isinstance(value, Mapping) else {}
