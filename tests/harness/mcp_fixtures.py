"""Small MCP servers with the tools that the conformance suite calls; sayso wraps them under the first part of a name.

Run as a program: `mcp_fixtures.py NAME` serves the tools of one of `SERVERS` on its standard streams.
"""

import json
import sys
import time
from typing import Any

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
TEXT = {"type": "text", "text": "This is a simple text."}
IMAGE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": SOUND, "mimeType": "audio/wav"}
RESOURCE = {"type": "resource", "resource": {"uri": "test://a", "mimeType": "text/plain", "text": "a"}}
NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}
ADDRESS = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
SECONDS = {
    "type": "object",
    "properties": {"seconds": {"type": "number"}, "label": {"type": "string"}},
    "required": ["seconds"],
}
REGION = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}
SERVERS: dict[str, dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "test": {
        "simple_text": (NO_ARGUMENTS, {"content": [TEXT]}),
        "image_content": (NO_ARGUMENTS, {"content": [IMAGE]}),
        "audio_content": (NO_ARGUMENTS, {"content": [AUDIO]}),
        "embedded_resource": (NO_ARGUMENTS, {"content": [RESOURCE]}),
        "multiple_content_types": (NO_ARGUMENTS, {"content": [TEXT, IMAGE, RESOURCE]}),
        "error_handling": (NO_ARGUMENTS, {"content": [TEXT], "isError": True}),
    },
    "headers": {"echo": (REGION, {"content": [TEXT]})},
    "json": {"schema_2020_12_tool": (ADDRESS, {"content": [TEXT]})},
    "slow": {"compute": (SECONDS, {"content": [TEXT]})},
    "failing": {"job": ({"type": "object"}, {"content": [TEXT], "isError": True})},
}
"""For each server, its tools with their arguments and their results."""
READS = frozenset({"test", "json", "headers"})
"""The servers that the person says only read, so that nothing of them waits."""


def main() -> None:
    """Answer until the input ends."""
    tools = SERVERS[sys.argv[1]]
    while line := sys.stdin.readline():
        message: dict[str, Any] = json.loads(line)
        if "id" in message:
            said = {"jsonrpc": "2.0", "id": message["id"], "result": _answer(message, tools)}
            sys.stdout.write(f"{json.dumps(said)}\n")
            sys.stdout.flush()


def _answer(message: dict[str, Any], tools: dict[str, tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, Any]:
    params: dict[str, Any] = message.get("params", {})
    if message["method"] == "tools/list":
        return {"tools": [{"name": name, "inputSchema": schema} for name, (schema, _) in tools.items()]}
    if message["method"] == "tools/call":
        time.sleep(min(params.get("arguments", {}).get("seconds", 0), 0.2))
        return tools[params["name"]][1]
    version = params["protocolVersion"]
    return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "f", "version": "1"}}


if __name__ == "__main__":
    main()
