"""Every tool is driven, on each connection and revision."""

import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import jsonschema
import pytest
from anyio.abc import TaskStatus
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

import sayso
from sayso.assembly import Home
from sayso.core.record import State
from sayso.surfaces.mcp.calls import OUTCOME, Calls
from sayso.surfaces.mcp.http import serve_http
from sayso.surfaces.mcp.server import server_of
from sayso.surfaces.mcp.tokens import Tokens, secret_in
from tests.memory import memory_settings

PROTOCOLS = pytest.mark.parametrize("mode", ["legacy", "auto"])


def environ_of(tmp_path: Path) -> dict[str, str]:
    """Make a home in which everything but files is simulated; return the environment that finds it."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "config.toml").write_text(memory_settings("files"))
    (tmp_path / "Documents").mkdir()
    (tmp_path / "Documents" / "a.txt").write_text("kept")
    return {"HOME": str(tmp_path), "SAYSO_HOME": str(tmp_path / "own")}


@asynccontextmanager
async def over_stdio(home: Home, environ: Mapping[str, str], mode: str) -> AsyncGenerator[Client]:
    serves = StdioServerParameters(
        command=sys.executable, args=["-m", "sayso", "mcp", "--wait", "0"], env=dict(environ), cwd=environ["HOME"]
    )
    async with Client(stdio_client(serves), mode=mode) as agent:
        yield agent


@asynccontextmanager
async def over_http(home: Home, environ: Mapping[str, str], mode: str) -> AsyncGenerator[Client]:
    async def serve(*, task_status: TaskStatus[str]) -> None:
        await serve_http(home, 0, "all", 0, task_status.started)

    token = Tokens(secret_in(home.settings.places.home, home.ids)).of("")
    async with anyio.create_task_group() as together:
        address = await together.start(serve)
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, trust_env=False, timeout=60) as web,
            Client(streamable_http_client(address, http_client=web), mode=mode) as agent,
        ):
            yield agent
        together.cancel_scope.cancel()


@asynccontextmanager
async def in_process(home: Home, environ: Mapping[str, str], mode: str) -> AsyncGenerator[Client]:
    async with Client(server_of(Calls(home, 0)), mode=mode) as agent:
        yield agent


def example(schema: Mapping[str, Any], text: str) -> Any:
    """Return a value of the type that a schema names, with this text wherever a text may stand."""
    options: list[dict[str, Any]] = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    first = options[0] if options else {}
    if "enum" in first:
        return first["enum"][0]
    kind: str = first.get("type", "string")
    if kind == "array":
        return [example(first.get("items", {}), text)]
    plain: dict[str, Any] = {"integer": 1, "number": 1, "boolean": True, "object": {}}
    return plain.get(kind, text)


async def drive(agent: Client, text: str) -> dict[str, str]:
    """Call every tool with this text in every argument; return the state that each ended in."""
    states: dict[str, str] = {}
    for tool in (await agent.list_tools()).tools:
        arguments = {name: example(schema, text) for name, schema in tool.input_schema["properties"].items()}
        result = await agent.call_tool(tool.name, arguments)
        if result.structured_content is not None:
            jsonschema.validate(result.structured_content, tool.output_schema or {})
            states[tool.name] = str(result.structured_content["state"])
        else:
            states[tool.name] = "error" if result.is_error else "nothing"
    return states


@pytest.mark.parametrize(
    "connected",
    [
        in_process,
        pytest.param(over_stdio, marks=pytest.mark.thorough),
        pytest.param(over_http, marks=pytest.mark.thorough),
    ],
)
@PROTOCOLS
async def test_every_tool_answers_in_the_form_that_it_told(tmp_path: Path, connected: Any, mode: str):
    environ = environ_of(tmp_path)

    async with sayso.open_home(str(tmp_path / "own"), environ=environ) as home:
        expected = {*Calls(home, 0).tools(), OUTCOME}
        async with connected(home, environ, mode) as agent:
            states = await drive(agent, "~/Documents/a.txt")

    assert states.keys() == expected
    assert states.pop(OUTCOME) == "error"
    assert {*states.values()} <= {state.value for state in State}
    assert "done" in states.values()
