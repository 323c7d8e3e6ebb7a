"""To a program that knows tasks, what waits for the person is a task: looked at, taken back, never decided by it."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.extension import ClientExtension
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolRequest, CallToolRequestParams, Request, RequestParams

import sayso
from sayso.assembly import Home
from sayso.surfaces.mcp.calls import Calls
from sayso.surfaces.mcp.server import server_of
from sayso.surfaces.mcp.tasks import EXTENSION
from tests.mcp_env.wrapped import YES, home_with
from tests.surfaces.mcp.test_forwarding import FULL, Raw

DELETE = ("file_delete", {"path": "~/Documents/a.txt"})


class Knows(ClientExtension):
    """Says that the program knows tasks."""

    identifier = EXTENSION


def program(calls: Calls, *extensions: ClientExtension, mode: str = "auto") -> Client:
    return Client(server_of(calls), extensions=extensions or (Knows(),), mode=mode)


class Asked(RequestParams, extra="allow"):
    """What a request says."""


async def ask(agent: Client, method: str, **params: Any) -> dict[str, Any]:
    request = Request[Asked, str](method=method, params=Asked(**params))
    return (await agent.session.send_request(request, Raw)).model_extra or {}


async def called(agent: Client, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    asked = CallToolRequest(params=CallToolRequestParams(name=name, arguments=dict(arguments)))
    return (await agent.session.send_request(asked, Raw)).model_extra or {}


@asynccontextmanager
async def home_at(tmp_path: Path) -> AsyncGenerator[Home]:
    (tmp_path / "own").mkdir(exist_ok=True)
    (tmp_path / "Documents").mkdir(exist_ok=True)
    (tmp_path / "Documents" / "a.txt").write_text("kept")
    async with sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path)}) as home:
        yield home


async def test_what_waits_is_a_task_at_once_and_its_result_is_there_after_the_yes(tmp_path: Path):
    async with home_at(tmp_path) as home, program(Calls(home, 60)) as agent:
        task = await called(agent, *DELETE)
        before = await ask(agent, "tasks/get", taskId=task["taskId"])
        await home.approve(task["taskId"], YES)
        after = await ask(agent, "tasks/get", taskId=task["taskId"])

    assert (task["resultType"], task["status"], before["status"], after["status"]) == (
        "task", "working", "working", "completed",
    )  # fmt: skip
    assert not {"result", "error", "inputRequests"} & {*task, *before}
    assert {"createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs"} <= {*task, *after}
    assert after["result"]["structuredContent"]["state"] == "done"
    assert after["result"]["content"][0]["type"] == "text"
    assert not (tmp_path / "Documents" / "a.txt").exists()


async def test_a_no_is_a_result_and_a_task_outlives_a_restart(tmp_path: Path):
    async with home_at(tmp_path) as home, program(Calls(home, 60)) as agent:
        task = await called(agent, *DELETE)
    async with home_at(tmp_path) as home, program(Calls(home, 60)) as agent:
        await home.decline(task["taskId"], by="terminal")
        after = await ask(agent, "tasks/get", taskId=task["taskId"])

    assert (after["status"], after["result"]["isError"]) == ("completed", True)


async def test_a_task_that_is_taken_back_is_cancelled_and_the_person_is_not_asked_any_more(tmp_path: Path):
    async with home_at(tmp_path) as home, program(Calls(home, 60)) as agent:
        task = await called(agent, *DELETE)
        told = [await ask(agent, "tasks/cancel", taskId=task["taskId"]) for _ in range(2)]
        after = await ask(agent, "tasks/get", taskId=task["taskId"])
        waiting = await home.pending()

    assert [{key for key in one if key != "_meta"} for one in told] == [{"resultType"}, {"resultType"}]
    assert (after["status"], waiting) == ("cancelled", [])


async def test_what_needs_no_word_is_no_task(tmp_path: Path):
    async with home_at(tmp_path) as home, program(Calls(home, 60)) as agent:
        listed = await called(agent, "file_list", {"path": "~/Documents"})

    assert listed["resultType"] == "complete"
    assert "taskId" not in listed


@pytest.mark.req("AV-12")
async def test_nothing_that_a_program_says_of_a_task_decides(tmp_path: Path):
    yes = {"sayso": {"action": "accept", "content": {"answer": "do it"}}}
    async with home_at(tmp_path) as home, program(Calls(home, 60)) as agent:
        task = await called(agent, *DELETE)
        await ask(agent, "tasks/update", taskId=task["taskId"], inputResponses=yes)
        await ask(agent, "tasks/update", taskId=task["taskId"], status="completed", approved=True)
        after = await ask(agent, "tasks/get", taskId=task["taskId"], inputResponses=yes)

    assert after["status"] == "working"
    assert (tmp_path / "Documents" / "a.txt").exists()


@pytest.mark.parametrize("method", ["tasks/get", "tasks/cancel", "tasks/update"])
async def test_a_task_is_for_the_agent_whose_it_is_alone(tmp_path: Path, method: str):
    async with home_at(tmp_path) as home, program(Calls(home, 60, "mine")) as agent:
        task = await called(agent, *DELETE)
        async with program(Calls(home, 60, "other")) as other:
            with pytest.raises(MCPError, match="there is no task") as wrong:
                await ask(other, method, taskId=task["taskId"])
        waiting = await home.pending()

    assert wrong.value.code == -32602
    assert [record.id for record in waiting] == [task["taskId"]]


@pytest.mark.parametrize(("mode", "code"), [("auto", -32021), ("legacy", -32601)])
async def test_a_program_that_knows_no_tasks_gets_none(tmp_path: Path, mode: str, code: int):
    async with home_at(tmp_path) as home, Client(server_of(Calls(home, 0)), mode=mode) as agent:
        waits = await agent.call_tool(*DELETE)
        with pytest.raises(MCPError) as wrong:
            await ask(agent, "tasks/get", taskId=waits.structured_content["id"])

    assert (waits.structured_content["state"], wrong.value.code) == ("waiting", code)


async def test_the_result_of_a_wrapped_tool_is_in_its_task_as_it_came(tmp_path: Path):
    async with home_with(tmp_path, "local = true\n") as home, program(Calls(home, 60)) as agent:
        task = await called(agent, "small_answer", {"result": FULL})
        await home.approve(task["taskId"], YES)
        after = await ask(agent, "tasks/get", taskId=task["taskId"])

    assert after["result"]["content"][1:] == FULL["content"]
    assert after["result"]["unknown"] == FULL["unknown"]
