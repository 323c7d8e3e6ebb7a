"""A server on the bare SDK of the Model Context Protocol, with one tool that does nothing."""

import asyncio
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

TOOL = types.Tool(name="template_list", input_schema={"type": "object", "properties": {}})


async def listed(_: Any, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """Return the one tool."""
    return types.ListToolsResult(tools=[TOOL])


async def called(_: Any, __: types.CallToolRequestParams) -> types.CallToolResult:
    """Return a fixed text and fixed data, about as long as what sayso answers."""
    told = {"id": "do_0000000000000", "state": "done", "success": True, "message": "nothing", "error": None}
    text = types.TextContent(type="text", text="nothing")
    return types.CallToolResult(content=[text], structured_content={**told, "code": None, "data": {}, "undo": None})


async def main() -> None:
    """Serve until standard input ends."""
    server = Server("bare", version="1", on_list_tools=listed, on_call_tool=called)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
