"""A home in which the small server of the tests is wrapped, with its tools accepted."""

import json
import sys
import tomllib
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import sayso
from sayso.assembly import Home
from sayso.core.encoding import Json
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import State
from sayso.providers.mcp.definitions import Pinned, keep, read_tools
from sayso.providers.mcp.servers import WrappedServer, read_servers
from sayso.runtime.questions import Client
from sayso.runtime.results import Outcome
from tests.mcp_env import server as small
from tests.memory import memory_settings

SERVER = Path(small.__file__)
YES, NO = Client(lambda question: True), Client(lambda question: False)


def settings_of(folder: Path, more: str = "", *, name: str = "small") -> str:
    """Return the settings of a home in memory that wraps the small server, whose folder this is."""
    return f"{memory_settings('mcp', 'files')}{section_of(folder, more, name=name)}"


def section_of(folder: Path, more: str = "", *, name: str = "small") -> str:
    """Return the section of the settings that wraps the small server, whose folder this is."""
    command = json.dumps([sys.executable, str(SERVER), str(folder)])
    return f"[mcp.servers.{name}]\ncommand = {command}\n{more}\n"


def accept(own: Path, folder: Path, *, name: str = "small") -> None:
    """Keep the tools of the small server as accepted."""
    table = tomllib.loads((own / "config.toml").read_text())["mcp"]["servers"]
    server = cast("Mapping[str, WrappedServer]", read_servers(table))[name]
    before, small.FOLDER = small.FOLDER, folder
    try:
        tools, left_out = read_tools(small.tools())
    finally:
        small.FOLDER = before
    keep(str(own), name, Pinned(server.identity, tools, left_out))


@asynccontextmanager
async def home_with(tmp_path: Path, more: str = "", before: str = "") -> AsyncGenerator[Home]:
    """Open a home with the small server; its folder is `served`, `more` is added to its settings."""
    own, folder = tmp_path / "own", tmp_path / "served"
    for made in (own, folder, tmp_path / "Documents"):
        made.mkdir(exist_ok=True)
    (own / "config.toml").write_text(before + settings_of(folder, more))
    accept(own, folder)
    async with sayso.open_home(str(own), environ={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}) as home:
        yield home


async def call(home: Home, tool: str, approver: Client | None = YES, /, **arguments: Json) -> Outcome:
    """Propose a call of a tool of the small server, and return its outcome."""
    operation = tool if "." in tool else f"small.{tool}"
    report = await home.take([Proposal(0, "", operation, arguments)], Origin("tools", "mcp", "s"), approver)
    (outcome,) = report.outcomes
    return outcome


def calls(tmp_path: Path) -> list[str]:
    """Return the tools that the small server was called by, in order."""
    file = tmp_path / "served" / "calls"
    return file.read_text().split() if file.exists() else []


def states(*outcomes: Outcome) -> list[State]:
    """Return the states of outcomes."""
    return [one.record.state for one in outcomes]


def result_of(outcome: Outcome) -> Any:
    """Return the result of a call as the server sent it."""
    return outcome.data["result"]


def told(tmp_path: Path) -> list[str]:
    """Return the notifications that the small server got, by their methods."""
    file = tmp_path / "served" / "told"
    return [json.loads(line)["method"] for line in file.read_text().splitlines()] if file.exists() else []
