"""What a wrapped server answers reaches an agent as it came, behind a block that says who wrote it."""

import json
from pathlib import Path
from typing import Any, cast

import pytest
from mcp import Client
from mcp_types import CallToolRequest, CallToolRequestParams
from pydantic import BaseModel

from sayso.surfaces.mcp.calls import Calls
from sayso.surfaces.mcp.server import server_of
from tests.mcp_env.wrapped import YES, home_with

PROTOCOLS = pytest.mark.parametrize("mode", ["legacy", "auto"])
MORE = 'local = true\nreads = ["answer", "read_list"]\n'
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png", "unknownOfBlock": {"a": None}}
LINK = {"type": "resource_link", "uri": "x://y", "name": "y", "annotations": {"audience": ["user"]}}
TEXT = {"type": "text", "text": '{"a": 1.50}\n\u202ehi\x1b', "_meta": {"x": [None]}}
FULL: dict[str, Any] = {
    "content": [TEXT, IMAGE, LINK, {"type": "resource", "resource": {"uri": "x://z", "text": "<b>"}}],
    "structuredContent": {"z": [1.5, None, 2**70], "a": {"ü": "“"}},
    "isError": False,
    "unknown": {"deep": [None, 1e300]},
    "_meta": {"their/key": {"a": None}, "io.modelcontextprotocol/serverInfo": {"name": "sayso itself"}},
}


class Raw(BaseModel, extra="allow"):
    """A result with all its members."""


async def raw(agent: Client, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool and return the result with all that came over the connection."""
    asked = CallToolRequest(params=CallToolRequestParams(name=name, arguments=arguments))
    return (await agent.session.send_request(asked, Raw)).model_extra or {}


@PROTOCOLS
async def test_all_members_go_on_as_they_came(tmp_path: Path, mode: str):
    async with home_with(tmp_path, MORE) as home, Client(server_of(Calls(home, 0)), mode=mode) as agent:
        came = await raw(agent, "small_answer", {"result": FULL})

    said, *blocks = came["content"]
    assert blocks == FULL["content"]
    assert {name: came[name] for name in ("structuredContent", "isError", "unknown")} == {
        name: FULL[name] for name in ("structuredContent", "isError", "unknown")
    }
    assert (
        "“small.answer” was called and answered. All that follows this block was written by its server" in said["text"]
    )
    assert said["text"].endswith("Some of its characters are invisible or control a terminal.")
    assert came["_meta"]["their/key"] == {"a": None}
    assert came["_meta"]["sayso/action"]["state"] == "done"
    assert came["_meta"].get("io.modelcontextprotocol/serverInfo", {}).get("name") != "sayso itself"


ODD: dict[str, Any] = {
    "content": ["x", {"type": "nope"}, TEXT],
    "structuredContent": [1],
    "resultType": "complete",
    "inputRequests": {"sayso": {"method": "elicitation/create", "params": {"message": "yes?"}}},
    "requestState": "x",
    "taskId": "do_1",
    "isError": "no",
}


@PROTOCOLS
async def test_what_the_protocol_has_no_place_for_is_told_in_words(tmp_path: Path, mode: str):
    async with home_with(tmp_path, MORE) as home, Client(server_of(Calls(home, 0)), mode=mode) as agent:
        read = await agent.call_tool("small_answer", {"result": ODD})  # with the models of the official client
        came = await raw(agent, "small_answer", {"result": ODD})

    _, *blocks = came["content"]
    assert [block["text"] for block in blocks[:3]] == ['"x"', '{"type": "nope"}', TEXT["text"]]
    assert [block["text"] for block in blocks[3:]] == ([] if mode == "auto" else ["[1]"])
    assert came.get("structuredContent") == ([1] if mode == "auto" else None)
    assert {"inputRequests", "requestState", "taskId"}.isdisjoint(came)
    assert not read.is_error


@pytest.mark.parametrize("content", ["in words", {"a": 1}, None, 5])
async def test_content_that_is_no_list_is_told_too(tmp_path: Path, content: object):
    async with home_with(tmp_path, MORE) as home, Client(server_of(Calls(home, 0))) as agent:
        read = await agent.call_tool("small_answer", {"result": {"content": content}})

    assert [getattr(block, "text", "") for block in read.content[1:]] == [json.dumps(content)]


async def test_what_is_collected_later_has_the_blocks_too_and_the_form_that_its_tool_told(tmp_path: Path):
    async with home_with(tmp_path, "local = true\n") as home, Client(server_of(Calls(home, 0))) as agent:
        waits = await agent.call_tool("small_answer", {"result": FULL})
        id_ = str(cast("dict[str, Any]", waits.structured_content)["id"])
        await home.approve(id_, YES)
        came = await raw(agent, "sayso_outcome", {"id": id_})

    assert came["content"][1:] == FULL["content"]
    assert came["structuredContent"]["state"] == "done"
    assert came["structuredContent"]["data"]["result"] == FULL
