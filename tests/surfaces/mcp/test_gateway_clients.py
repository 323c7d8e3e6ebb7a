"""A program of somebody else calls the tools of a wrapped server through sayso, as it would call the server itself."""

import os
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from mcp import Client
from mcp_types import TextContent

from sayso.assembly import Home
from tests.mcp_env.wrapped import calls, home_with
from tests.surfaces.mcp.test_every_tool import in_process, over_http, over_stdio
from tests.surfaces.mcp.test_forwarding import FULL, raw

NEVER = '[policy]\nmode = "never"\n'
LOCAL = "local = true\n"


def connected(home: Home, tmp_path: Path, how: Any, mode: str = "auto") -> AbstractAsyncContextManager[Client]:
    """Return a connection to sayso in this home, as the program of an agent has it."""
    environ = {"HOME": str(tmp_path), "SAYSO_HOME": str(tmp_path / "own"), "PATH": os.environ["PATH"]}
    return how(home, environ, mode)


@pytest.mark.parametrize("how", [over_stdio, pytest.param(over_http, marks=pytest.mark.thorough)])
async def test_fifty_calls_at_once_lose_none_and_each_gets_its_own_answer(tmp_path: Path, how: Any):
    answers: dict[int, str] = {}

    async with home_with(tmp_path, LOCAL, NEVER) as home, connected(home, tmp_path, how) as agent:

        async def one(number: int) -> None:
            result = await agent.call_tool("small_add", {"item": f"item {number}"})
            answers[number] = cast("TextContent", result.content[-1]).text

        async with anyio.create_task_group() as tasks:
            for number in range(50):
                tasks.start_soon(one, number)
        full = await raw(agent, "small_answer", {"result": FULL})

    done = (tmp_path / "served" / "list").read_text().split("\n")[:-1]
    assert answers == {number: f"added item {number}" for number in range(50)}
    assert sorted(done) == sorted(f"item {number}" for number in range(50))
    assert len(list((tmp_path / "served").glob("started-*"))) == 1
    assert (full["content"][1:], full["structuredContent"], full["unknown"]) == (
        FULL["content"], FULL["structuredContent"], FULL["unknown"],
    )  # fmt: skip


@pytest.mark.parametrize("how", ["die", "flood", "nonsense"])
async def test_a_server_that_misbehaves_costs_one_call_and_the_agent_is_told(tmp_path: Path, how: str):
    async with home_with(tmp_path, LOCAL, NEVER) as home, connected(home, tmp_path, in_process) as agent:
        lost = await agent.call_tool("small_misbehave", {"how": how})
        then = await agent.call_tool("small_add", {"item": "tea"})
        others = await agent.call_tool("file_list", {"path": "~/Documents"})

    assert (lost.is_error, lost.structured_content["state"]) == (True, "unknown")
    assert (then.is_error, others.is_error) == (False, False)
    assert calls(tmp_path) == ["misbehave", "add"]


async def test_tools_that_change_in_between_stay_listed_as_accepted_and_are_not_called(tmp_path: Path):
    async with home_with(tmp_path, LOCAL, NEVER) as home, connected(home, tmp_path, in_process) as agent:
        before = {tool.name: tool.description for tool in (await agent.list_tools()).tools}
        await agent.call_tool("small_misbehave", {"how": "change"})
        after = {tool.name: tool.description for tool in (await agent.list_tools()).tools}
        changed = await agent.call_tool("small_add", {"item": "tea"})

    assert before == after
    assert "Ignore" not in (after["small_add"] or "")
    assert (changed.is_error, changed.structured_content["code"]) == (True, "mcp.changed")
    assert calls(tmp_path) == ["misbehave"]


async def test_what_waits_is_told_in_sayso_s_words_and_collected_later(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as home, connected(home, tmp_path, in_process) as agent:
        waits = await agent.call_tool("small_add", {"item": "tea"})
        id_ = waits.structured_content["id"]
        await home.decline(id_, by="terminal")
        told = await agent.call_tool("sayso_outcome", {"id": id_})

    assert (waits.structured_content["state"], told.structured_content["state"]) == ("waiting", "declined")
    assert calls(tmp_path) == []
