"""Agents speak to sayso over HTTP: only from this computer, only with a token, and each as the one that it is for."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import httpx2
import pytest
from anyio.abc import TaskStatus
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

import sayso
from sayso.assembly import Home
from sayso.runtime.questions import Client as Approves
from sayso.surfaces.mcp.calls import OUTCOME
from sayso.surfaces.mcp.http import serve_http
from sayso.surfaces.mcp.tokens import FILE, Tokens, secret_in
from tests.patience import patience

PROTOCOLS = pytest.mark.parametrize("mode", ["legacy", "auto"])
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}
ACCEPTS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


@pytest.fixture
async def home(tmp_path: Path) -> AsyncGenerator[Home]:
    (tmp_path / "own").mkdir()
    (tmp_path / "Documents").mkdir()
    (tmp_path / "Documents" / "a.txt").write_text("kept")
    async with sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path)}) as opened:
        yield opened


@asynccontextmanager
async def served(home: Home, patience: float = 0) -> AsyncGenerator[str]:
    """Serve agents while the block runs, and give the address."""

    async def serve(*, task_status: TaskStatus[str]) -> None:
        await serve_http(home, patience, "all", 0, task_status.started)

    async with anyio.create_task_group() as together:
        yield await together.start(serve)
        together.cancel_scope.cancel()


def token_of(home: Home, client: str = "") -> str:
    return Tokens(secret_in(home.settings.places.home, home.ids)).of(client)


@asynccontextmanager
async def connected(address: str, token: str, mode: str = "auto") -> AsyncGenerator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=patience()) as web,
        Client(streamable_http_client(address, http_client=web), mode=mode) as agent,
    ):
        yield agent


def id_of(result: CallToolResult) -> str:
    assert result.structured_content is not None
    return str(result.structured_content["id"])


def state_of(result: CallToolResult) -> str:
    assert result.structured_content is not None
    return str(result.structured_content["state"])


@PROTOCOLS
async def test_an_agent_with_a_token_lists_and_calls_tools(home: Home, mode: str, tmp_path: Path):
    async with served(home) as address, connected(address, token_of(home), mode) as agent:
        names = {tool.name for tool in (await agent.list_tools()).tools}
        made = await agent.call_tool("file_mkdir", {"path": "~/Documents/new"})
        waits = await agent.call_tool("file_delete", {"path": "~/Documents/a.txt"})
        later = await agent.call_tool(OUTCOME, {"id": id_of(waits)})

    assert {"file_mkdir", OUTCOME} <= names
    assert [state_of(each) for each in (made, waits, later)] == ["done", "waiting", "waiting"]
    assert (tmp_path / "Documents" / "new").is_dir()
    assert (tmp_path / "Documents" / "a.txt").exists()


@pytest.mark.parametrize(
    ("headers", "status", "says"),
    [
        ({"Authorization": ""}, 401, "sayso mcp --token"),
        ({"Authorization": "Bearer sayso_0"}, 401, "sayso mcp --token"),
        ({"Authorization": "Basic {token}"}, 401, "sayso mcp --token"),
        ({"Host": "evil.test"}, 421, "only under its own name"),
        ({"Host": "127.0.0.1"}, 421, "only under its own name"),
        ({"Origin": "https://evil.test"}, 403, "pages of other sites"),
        ({"Origin": "null"}, 403, "pages of other sites"),
    ],
)
async def test_a_request_that_is_not_an_agents_own_learns_nothing(
    home: Home, headers: Mapping[str, str], status: int, says: str
):
    token = token_of(home)
    sent = {"Authorization": f"Bearer {token}", **ACCEPTS, **{k: v.format(token=token) for k, v in headers.items()}}

    async with served(home) as address, httpx2.AsyncClient(trust_env=False) as web:
        answers = [
            await web.request(method, address, headers=sent, content=json.dumps(HELLO))
            for method in ("POST", "GET", "DELETE", "OPTIONS")
        ]

    for answer in answers:
        assert answer.status_code == status
        assert says in answer.json()["error"]
        assert "access-control-allow-origin" not in answer.headers


async def test_a_token_in_the_address_is_none(home: Home):
    async with served(home) as address, httpx2.AsyncClient(trust_env=False) as web:
        answer = await web.post(f"{address}?token={token_of(home)}", headers=ACCEPTS, content=json.dumps(HELLO))

    assert answer.status_code == 401


async def test_agents_with_tokens_of_different_names_are_kept_apart(home: Home):
    async with served(home) as address:
        async with connected(address, token_of(home, "one")) as one:
            waits = await one.call_tool("file_delete", {"path": "~/Documents/a.txt"})
            await one.call_tool("file_read", {"path": "~/Documents/a.txt"})
        asked = {"id": id_of(waits)}
        async with connected(address, token_of(home, "other")) as other:
            theirs = await other.call_tool(OUTCOME, asked)
        async with connected(address, token_of(home, "one")) as again:
            mine = await again.call_tool(OUTCOME, asked)

    assert (theirs.is_error, state_of(mine)) == (True, "waiting")
    assert [one.principal for one in await home.exposed_principals()] == ["mcp:one"]


async def test_a_session_of_one_agent_cannot_be_used_with_the_token_of_another(home: Home):
    async with served(home) as address, httpx2.AsyncClient(trust_env=False) as web:
        mine = {"Authorization": f"Bearer {token_of(home, 'one')}", **ACCEPTS}
        theirs = {"Authorization": f"Bearer {token_of(home, 'other')}", **ACCEPTS}
        began = await web.post(address, headers=mine, content=json.dumps(HELLO))
        session = {"Mcp-Session-Id": began.headers["mcp-session-id"]}
        answer = await web.post(address, headers=theirs | session, content=json.dumps({**HELLO, "method": "ping"}))

    assert answer.status_code == 404


@pytest.mark.parametrize("mode", [pytest.param("legacy", marks=pytest.mark.thorough), "auto"])
async def test_of_fifty_calls_at_once_none_is_lost(home: Home, mode: str, tmp_path: Path):
    answers: dict[int, CallToolResult] = {}

    async with served(home) as address, connected(address, token_of(home), mode) as agent:

        async def call(number: int) -> None:
            answers[number] = await agent.call_tool("file_mkdir", {"path": f"~/Documents/{number}"})

        async with anyio.create_task_group() as together:
            for number in range(50):
                together.start_soon(call, number)

    assert {number: state_of(answer) for number, answer in answers.items()} == dict.fromkeys(range(50), "done")
    assert all((tmp_path / "Documents" / str(number)).is_dir() for number in range(50))
    assert len({id_of(answer) for answer in answers.values()}) == 50


async def test_what_waits_when_the_server_ends_is_collected_from_the_next_one(home: Home):
    async with served(home) as address, connected(address, token_of(home, "mine")) as agent:
        waits = await agent.call_tool("file_delete", {"path": "~/Documents/a.txt"})
    id_ = id_of(waits)
    await home.approve(id_, Approves(lambda question: True))
    async with served(home) as address, connected(address, token_of(home, "mine")) as agent:
        done = await agent.call_tool(OUTCOME, {"id": id_})

    assert (state_of(waits), state_of(done)) == ("waiting", "done")


@PROTOCOLS
async def test_a_call_that_is_cut_off_by_the_end_of_the_server_still_waits_for_the_person(home: Home, mode: str):
    async def call(address: str) -> None:
        with suppress(Exception):
            async with connected(address, token_of(home), mode) as agent:
                await agent.call_tool("file_delete", {"path": "~/Documents/a.txt"})

    async with anyio.create_task_group() as together:
        async with served(home, 3600) as address:
            together.start_soon(call, address)
            with anyio.fail_after(patience()):
                while not await home.pending():
                    await anyio.lowlevel.checkpoint()
        together.cancel_scope.cancel()

    assert [record.operation for record in await home.pending()] == ["file.delete"]


@PROTOCOLS
async def test_a_call_that_the_agent_takes_back_waits_no_more(home: Home, mode: str):
    async with served(home, 3600) as address, connected(address, token_of(home), mode) as agent:
        async with anyio.create_task_group() as together:
            together.start_soon(agent.call_tool, "file_delete", {"path": "~/Documents/a.txt"})
            with anyio.fail_after(patience()):
                while not await home.pending():
                    await anyio.lowlevel.checkpoint()
            together.cancel_scope.cancel()
        with anyio.fail_after(patience()):
            while await home.pending():
                await anyio.lowlevel.checkpoint()
        (ended,) = await home.log()

    assert (ended.state, ended.marks.code) == ("declined", "call.withdrawn")


@pytest.mark.req("SE-01", "SE-02")
async def test_no_tool_reaches_the_secret_of_the_tokens_or_the_server_itself(home: Home, tmp_path: Path):
    (tmp_path / "Documents" / "link").symlink_to(tmp_path / "own" / FILE)
    token = token_of(home)

    async with served(home) as address, connected(address, token) as agent:
        answers = [
            await agent.call_tool("file_read", {"path": str(tmp_path / "own" / FILE)}),
            await agent.call_tool("file_read", {"path": "~/Documents/link"}),
            await agent.call_tool("file_copy", {"source": str(tmp_path / "own" / FILE), "destination": "~/Documents"}),
            await agent.call_tool("url_open", {"url": address}),
            await agent.call_tool("net_fetch", {"url": address}),
        ]

    assert {state_of(answer) for answer in answers} <= {"refused", "failed", "invalid"}
    secret = (tmp_path / "own" / FILE).read_text()
    assert not any(secret in answer.model_dump_json() for answer in answers)


def test_a_process_of_its_own_serves_until_it_is_asked_to_end(tmp_path: Path):
    (tmp_path / "Documents").mkdir()
    environ = {**os.environ, "HOME": str(tmp_path), "SAYSO_HOME": str(tmp_path / "own")}
    command = [sys.executable, "-m", "sayso", "mcp", "--http", "--port", "0"]

    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        pages = [file.name for file in (tmp_path / "own" / "pages").iterdir()]
        answer = httpx2.get(address, trust_env=False)
        server.send_signal(signal.SIGTERM)
        code = server.wait(30)

    assert answer.status_code == 401
    assert (code, pages) == (0, [address.rpartition(":")[2].partition("/")[0]])
    assert list((tmp_path / "own" / "pages").iterdir()) == []
