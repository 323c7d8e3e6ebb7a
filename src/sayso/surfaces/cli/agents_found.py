"""What `sayso doctor` says of other people's agents: where sayso's hooks, its chat and its tools are set up."""

import json
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from sayso.config import Settings
from sayso.core.encoding import Json
from sayso.core.quotes import quoted, visible
from sayso.surfaces.cli.findings import Finding
from sayso.surfaces.cli.hooks.setup import FOLDERS, hook_commands
from sayso.surfaces.cli.mcp_import import CLIENTS, MOST_BYTES, command_of

EDITORS = (("Zed", ".config/zed/settings.json"), ("JetBrains", ".jetbrains/acp.json"))
"""Editors with the chat, and where below the home they keep which agents they start."""
_SERVERS = "agent_servers"


def of_agents(now: Settings) -> Iterator[Finding]:
    """Yield a finding for each agent or editor in whose settings sayso stands; nothing is started."""
    home = Path(now.places.person)
    for agent, (variable, usual) in FOLDERS.items():
        file = Path(now.environ.get(variable) or home / usual) / "settings.json"
        commands = hook_commands(_read(file), agent)
        if commands:
            again = f"sayso hook uninstall {agent}, then sayso hook install {agent}"
            yield _finding(f"hook {agent}", shlex.split(commands[0])[:1], f"its hooks are in {_shown(file)}", again)
    for editor, name in EDITORS:
        yield from _started(home / name, _SERVERS, "acp", f"acp {editor}", "the chat is set up in")
    for client in CLIENTS:
        yield from _started(
            home / client.file, client.key, "mcp", f"mcp of {client.client}", "sayso's tools are set in"
        )


def _started(file: Path, key: str, word: str, about: str, what: str) -> Iterator[Finding]:
    for table in _members(_members(_read(file)).get(key)).values():
        command = command_of(_members(table))
        if word in command and any(one.rpartition("/")[2] == "sayso" for one in command):
            yield _finding(about, command[:1], f"{what} {_shown(file)}", f"change its command in {_shown(file)}")
            return


def _finding(about: str, program: Sequence[str], says: str, fix: str) -> Finding:
    missing = [one for one in program if shutil.which(one) is None]
    if missing:
        return Finding(about, "broken", f"{says}, and start {quoted(visible(missing[0]))}, which is not there", fix)
    return Finding(about, "good", says)


def _shown(file: Path) -> str:
    return quoted(visible(str(file)))


def _read(file: Path) -> Json:
    """Return what is in a file of settings, also if whole lines of it are comments; None if it cannot be read."""
    try:
        with file.open("rb") as opened:
            text = opened.read(MOST_BYTES).decode("utf-8")
        return cast("Json", json.loads("\n".join(_plain(line) for line in text.split("\n"))))
    except (OSError, ValueError, RecursionError):
        return None


def _plain(line: str) -> str:
    return "" if line.lstrip().startswith("//") else line


def _members(value: Json) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", value) if isinstance(value, Mapping) else {}
