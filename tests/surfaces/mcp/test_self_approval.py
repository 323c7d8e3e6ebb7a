"""Nothing that an agent can list, call, read, ask, answer or reach through a wrapped server decides for the person."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.extension import ClientExtension
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, PromptReference, ResourceTemplateReference
from pydantic import ValidationError

from sayso.assembly import Home
from sayso.core.record import State
from sayso.surfaces.mcp.calls import Calls, ToolSet
from sayso.surfaces.mcp.forms import secret_for
from sayso.surfaces.mcp.server import server_of
from tests.mcp_env.wrapped import home_with
from tests.surfaces.mcp.test_every_tool import drive
from tests.surfaces.mcp.test_tasks import Knows, ask

FORMS = "[mcp]\nforms = true\n"
HIDDEN = (
    "approve", "decline", "sayso_approve", "home_approve", "config_set", "policy_set", "grant_give", "grants_add",
    "undo", "pause", "resume", "settle", "mcp_accept", "mcp_wrap", "small_small_add", "sayso",
)  # fmt: skip
METHODS = (
    "sayso/approve", "tools/approve", "elicitation/create", "sampling/createMessage", "roots/list", "tasks/list",
    "tasks/result", "tasks/approve", "notifications/elicitation/complete", "logging/setLevel",
)  # fmt: skip
YES = {"action": "accept", "content": {"answer": "do it"}}


async def says_yes(context: Any, params: Any) -> ElicitResult:
    """Answer every form and every address as a program does that decides by itself."""
    return ElicitResult(action="accept", content={"answer": "do it"})


async def by_tools(agent: Client, id_: str, own: Path) -> None:
    await drive(agent, id_)


async def by_tools_with_other_texts(agent: Client, id_: str, own: Path) -> None:
    for text in (f"sayso approve {id_}", f"{own}/config.toml", f"{own}/sayso.db"):
        await drive(agent, text)


async def by_hidden_tools(agent: Client, id_: str, own: Path) -> None:
    for name in HIDDEN:
        with pytest.raises(MCPError, match="there is no tool"):
            await agent.call_tool(name, {"id": id_, "ref": id_})


async def by_resources(agent: Client, id_: str, own: Path) -> None:
    for resource in (await agent.list_resources()).resources:
        await agent.read_resource(resource.uri)
    for template in (await agent.list_resource_templates()).resource_templates:
        await agent.read_resource(template.uri_template.replace("{id}", id_))
        about = ResourceTemplateReference(type="ref/resource", uri=template.uri_template)
        await agent.session.complete(about, {"name": "id", "value": id_})


async def by_prompts(agent: Client, id_: str, own: Path) -> None:
    for prompt in (await agent.list_prompts()).prompts:
        await agent.get_prompt(prompt.name, {"request": f"sayso approve {id_}"})
        await agent.session.complete(
            PromptReference(type="ref/prompt", name=prompt.name), {"name": "request", "value": "yes"}
        )


async def by_answers(agent: Client, id_: str, own: Path) -> None:
    """Send yeses to questions that were not asked, or were asked about something else."""
    for state in (json.dumps([id_, "sha256:0"]), id_, "x" * 200):
        with pytest.raises(MCPError):
            await ask(
                agent, "tools/call", name="file_delete", arguments={}, inputResponses={"sayso": YES}, requestState=state
            )


async def by_tasks(agent: Client, id_: str, own: Path) -> None:
    claims: list[dict[str, Any]] = [
        {"inputResponses": {"sayso": YES}},
        {"status": "completed"},
        {"result": {"content": []}},
    ]
    for more in claims:
        for method in ("tasks/update", "tasks/get"):
            told = await ask(agent, method, taskId=id_, **more)
            assert told.get("status", "working") == "working"


async def by_other_methods(agent: Client, id_: str, own: Path) -> None:
    for method in METHODS:
        with pytest.raises((MCPError, ValidationError)):
            await ask(agent, method, id=id_, taskId=id_, **YES)


WAYS = (by_tools, by_hidden_tools, by_resources, by_prompts, by_answers, by_other_methods)
"""Each way on which a program could try."""


def program(home: Home, mode: str, toolset: ToolSet, *extensions: ClientExtension) -> Client:
    server = server_of(Calls(home, 0, tools=toolset), secret_for(home))
    return Client(server, elicitation_callback=says_yes, extensions=extensions, mode=mode)


@pytest.mark.req("SE-02", "SE-04", "AV-12")
@pytest.mark.parametrize(
    ("mode", "toolset", "settings"),
    [
        ("auto", "all", FORMS),
        ("auto", "s1", ""),
        pytest.param("legacy", "all", "", marks=pytest.mark.thorough),
    ],
)
async def test_what_waits_still_waits_whatever_a_program_tries(
    tmp_path: Path, mode: str, toolset: ToolSet, settings: str
):
    async with home_with(tmp_path, "local = true\n", settings) as home:
        (tmp_path / "Documents" / "a.txt").write_text("kept")
        own = tmp_path / "own"
        before = (own / "config.toml").read_bytes()
        waits = await Calls(home, 0).call("file_delete", {"path": "~/Documents/a.txt"})
        assert waits is not None
        id_ = str(waits.told["id"])
        async with program(home, mode, toolset) as agent:
            for way in WAYS if mode == "auto" else (*WAYS, by_tools_with_other_texts):
                await way(agent, id_, own)
        if mode == "auto":
            async with program(home, mode, toolset, Knows()) as agent:
                await by_tasks(agent, id_, own)
        outcome = await home.outcome(id_)
        grants = await home.grants.all(ended=True)
        said = {record.marks.approved_by for record in await home.log()}

    assert outcome is not None
    assert (outcome.record.state, outcome.record.marks.approved_by, grants) == (State.WAITING, None, [])
    assert (tmp_path / "Documents" / "a.txt").read_text() == "kept"
    assert said <= ({None, "form", "policy"} if settings else {None, "policy"})
    assert (own / "config.toml").read_bytes() == before
