"""Call every tool with FastMCP's client; runs in an environment that has FastMCP, and prints what came of each as JSON.

The first argument is an address, or `-` for a process; then the token, or the command of the process. After `--`, only
the tool that is named there is called, fifty times at once.
"""

import asyncio
import json
import os
import sys
from importlib import import_module
from typing import Any

FASTMCP: Any = import_module("fastmcp")  # sayso's own environment does not have it
TRANSPORTS: Any = import_module("fastmcp.client.transports")

WHERE, *GIVEN = sys.argv[1:]
WORDS, TOOL = (GIVEN[:-2], GIVEN[-1]) if "--" in GIVEN else (GIVEN, "")
TEXT = "~/Documents/a.txt"


def example(schema: dict[str, Any]) -> Any:
    """Return a value of the type that a schema names."""
    options: list[dict[str, Any]] = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    first = options[0] if options else {}
    kind: str = first.get("type", "string")
    if kind == "array":
        return [example(first.get("items", {}))]
    plain: dict[str, Any] = {"integer": 1, "number": 1, "boolean": True, "object": {}}
    return first["enum"][0] if "enum" in first else plain.get(kind, TEXT)


async def main() -> None:
    """Call every tool, and fifty of one at once."""
    if WHERE == "-":
        transport = TRANSPORTS.StdioTransport(WORDS[0], WORDS[1:], env=dict(os.environ))
    else:
        transport = TRANSPORTS.StreamableHttpTransport(WHERE, headers={"Authorization": f"Bearer {WORDS[0]}"})
    states: dict[str, str] = {}
    async with FASTMCP.Client(transport) as client:
        if TOOL:
            calls: list[Any] = [client.call_tool(TOOL, {"item": f"item {number}"}) for number in range(50)]
            answers: list[Any] = await asyncio.gather(*calls)
            print(json.dumps({"answers": [str(answer.content[-1].text) for answer in answers]}))
            return
        for tool in await client.list_tools():
            properties = getattr(tool, "input_schema", None) or tool.inputSchema
            arguments = {name: example(schema) for name, schema in properties["properties"].items()}
            told: dict[str, Any] | None = (
                await client.call_tool(tool.name, arguments, raise_on_error=False)
            ).structured_content
            states[tool.name] = str(told["state"]) if told else "error"
        many: list[Any] = [client.call_tool("file_mkdir", {"path": f"~/Documents/{number}"}) for number in range(50)]
        results: list[Any] = await asyncio.gather(*many)
        told_of_many: list[dict[str, Any]] = [result.structured_content for result in results]
    made = [str(told["state"]) for told in told_of_many]
    print(json.dumps({"states": states, "made": made}))


asyncio.run(main())
