"""Two published servers of npm are wrapped and driven for real; their calls are taken back by the recipes that ship."""

import json
import subprocess
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest

import sayso
from sayso.assembly import Home
from sayso.assembly.wiring import ground
from sayso.core.ports import no_kill_point
from sayso.core.record import State
from sayso.providers.mcp import MCP
from sayso.providers.mcp.backend import WrappedBackend
from sayso.providers.mcp.definitions import Pinned, keep
from sayso.providers.mcp.servers import WrappedServer
from sayso.runtime.system import RandomIds, SystemClock
from tests.mcp_env.wrapped import YES, call, result_of, states
from tests.memory import memory_settings

PACKAGES = {"filesystem": "2026.8.31", "memory": "2026.8.31"}
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.timeout(300),
    pytest.mark.needs("npm"),
]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("npm")
    names = [f"@modelcontextprotocol/server-{name}@{version}" for name, version in PACKAGES.items()]
    argv = ["npm", "install", "--ignore-scripts", "--prefix", str(folder), *names]
    ended = subprocess.run(argv, capture_output=True, text=True, check=False)
    if ended.returncode:
        pytest.skip(f"the packages cannot be fetched: {ended.stderr[-200:]}")
    return folder / "node_modules" / ".bin"


@asynccontextmanager
async def home_of(installed: Path, tmp_path: Path, name: str, more: str, *words: str) -> AsyncGenerator[Home]:
    """Open a home in which a published server is wrapped, with the tools that it has now accepted."""
    own = tmp_path / "own"
    own.mkdir(exist_ok=True)
    command = json.dumps([str(installed / f"mcp-server-{name}"), *words])
    recipes = f'recipes = "{name}"\nlocal = true\ntrust_annotations = true\n{more}'
    (own / "config.toml").write_text(f"{memory_settings('mcp')}[mcp.servers.npm]\ncommand = {command}\n{recipes}\n")
    environ = {"HOME": str(tmp_path), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    async with sayso.open_home(str(own), environ=environ) as home:
        context = ground(MCP, home.settings, SystemClock(), RandomIds(), no_kill_point)
        servers = cast("Mapping[str, WrappedServer]", home.settings.sections["mcp"]["servers"])
        backend = WrappedBackend(servers, context)
        tools, left_out = await backend.tools_of("npm")
        keep(str(own), "npm", Pinned(backend.servers["npm"].identity, tools, left_out))
        backend.close()
        assert left_out == {}
    async with sayso.open_home(str(own), environ=environ) as home:
        yield home


async def test_the_filesystem_server_moves_and_writes_files_and_takes_it_back(installed: Path, tmp_path: Path):
    docs = tmp_path / "Documents"
    docs.mkdir()
    (docs / "a.txt").write_text("first\n")
    a, b = str(docs / "a.txt"), str(docs / "b.txt")

    async with home_of(
        installed, tmp_path, "filesystem", 'paths = ["path", "paths", "source", "destination"]', str(docs)
    ) as home:
        read = await call(home, "npm.read_text_file", None, path=a)
        outside = await call(home, "npm.read_text_file", YES, path="/etc/hostname")
        moved = await call(home, "npm.move_file", YES, source=a, destination=b)
        was_moved = (docs / "b.txt").exists()
        (back,) = (await home.undo(moved.record.id)).outcomes
        wrote = await call(home, "npm.write_file", YES, path=a, content="second\n")
        edited = await call(
            home, "npm.edit_file", YES, path=a, edits=[{"oldText": "second", "newText": "third"}], dryRun=False
        )
        text = (docs / "a.txt").read_text()
        undone = [(await home.undo(one.record.id)).outcomes[0] for one in (edited, wrote)]
        again = await call(home, "npm.write_file", YES, path=a, content="fourth\n")
        (docs / "a.txt").write_text("mine\n")
        (drifted,) = (await home.undo(again.record.id)).outcomes

    assert states(read, outside, moved, back) == [State.DONE, State.REFUSED, State.DONE, State.DONE]
    assert "first" in read.text
    assert (was_moved, (docs / "b.txt").exists()) == (True, False)
    assert states(wrote, edited, *undone) == [State.DONE] * 4
    assert (text, states(drifted)) == ("third\n", [State.REFUSED])
    assert (docs / "a.txt").read_text() == "mine\n"


async def test_the_memory_server_keeps_a_graph_and_takes_it_back(installed: Path, tmp_path: Path):
    graph = tmp_path / "graph.jsonl"
    more = 'environment = ["MEMORY_FILE_PATH"]\nreads = ["read_graph", "open_nodes", "search_nodes"]'
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_FILE_PATH", str(graph))
        async with home_of(installed, tmp_path, "memory", more) as home:
            ana = [{"name": "Ana", "entityType": "person", "observations": ["likes tea"]}]
            made = await call(home, "npm.create_entities", YES, entities=ana)
            added = await call(
                home, "npm.add_observations", YES, observations=[{"entityName": "Ana", "contents": ["and milk"]}]
            )
            read = await call(home, "npm.read_graph", None)
            (changed,) = (await home.undo(made.record.id)).outcomes
            (less,) = (await home.undo(added.record.id)).outcomes
            (gone,) = (await home.undo(made.record.id)).outcomes
            empty = await call(home, "npm.read_graph", None)

    assert states(made, added, read) == [State.DONE] * 3
    assert result_of(read)["structuredContent"]["entities"][0]["observations"] == ["likes tea", "and milk"]
    assert states(changed, less, gone) == [State.REFUSED, State.DONE, State.DONE]
    assert result_of(empty)["structuredContent"] == {"entities": [], "relations": []}
