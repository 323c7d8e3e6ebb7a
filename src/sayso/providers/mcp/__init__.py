"""The provider of wrapped MCP servers: the tools of other people's servers, each call on the one path."""

from sayso.core.encoding import Json
from sayso.core.lazy import LazySequence, load
from sayso.core.provider import Provider
from sayso.core.settings import FLAG, Setting, ValueKind, memory_world
from sayso.providers.index import FACTS, STEPS


def _read(value: Json) -> Json:
    return load("sayso.providers.mcp.servers:read_servers")(value)


def _write(value: Json) -> Json:
    return load("sayso.providers.mcp.servers:write_servers")(value)


SERVERS = ValueKind("tables [mcp.servers.NAME], each with command or url", _read, _write)

MCP = Provider(
    store="mcp",
    operations=LazySequence({}),
    steps=LazySequence(STEPS["mcp"]),
    facts=LazySequence(FACTS["mcp"]),
    outside=(),
    backends={"servers": "sayso.providers.mcp.backend:build", "memory": "sayso.providers.mcp.memory:build"},
    default="servers",
    kinds={"servers": "other MCP servers, each call of a tool by your say-so"},
    serves="the tools of other MCP servers",
    settings=(
        Setting("mcp", "servers", SERVERS, "The MCP servers whose tools are operations here, by name."),
        Setting(
            "mcp",
            "forms",
            FLAG,
            "Whether the programs of agents may show you a form about what can be taken back; they could answer it "
            "themselves.",
            default=False,
        ),
        memory_world("mcp"),
    ),
)
