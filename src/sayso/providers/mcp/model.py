"""What operations can read from wrapped MCP servers, the steps that call their tools, and the fact a call leaves."""

import json
from collections.abc import Mapping
from typing import ClassVar, Protocol, cast

from sayso.core.encoding import Json
from sayso.core.plan import Answer, Fact, Reach, Step, unknown
from sayso.core.sanitize import fence_data

WHEREVER = "what it is called with, to the MCP server and wherever that sends it"


class WrappedServers(Protocol):
    """What operations can read from wrapped servers; nothing here starts or asks one."""

    def new_id(self) -> str:
        """Return an unused id for a call."""
        ...

    def resolve(self, path: str) -> str:
        """Return where a path leads on this computer, absolute and with links resolved."""
        ...


class CallTool(Step, frozen=True):
    """Call one tool of a wrapped MCP server, once.

    `identity` and `definition` are digests of what is started or reached, and of what the server said of the tool when
    the person accepted it: if one of them has changed, nothing is called. `arguments` is the JSON that the tool gets.
    """

    step: ClassVar[str] = "mcp.call"
    reach: ClassVar[Reach] = unknown(WHEREVER, unless="local")
    store: ClassVar[str] = "mcp"
    paths: ClassVar[tuple[str, ...]] = ("places",)
    hands_over: ClassVar[tuple[str, ...]] = ("arguments", "places")
    watched: ClassVar[bool] = True
    id: str
    server: str
    tool: str
    arguments: str
    identity: str
    definition: str
    recipe: str = ""
    """The recipe by which the call can be taken back, as JSON; empty if there is none."""
    only_reads: bool = False
    """Whether the person says that the tool only reads, so that a lost answer is no reason for doubt."""
    local: bool = False
    """Whether the person says that nothing that the server is given leaves this computer."""
    places: tuple[str, ...] = ()
    """Where the arguments lead that the person calls paths, with links resolved."""


class TakeBackCall(Step, frozen=True):
    """Take back a call by calling the tool `tool`, as a recipe of sayso's or the person's says.

    What the recipe looks at is looked at first; if it is not as the recipe expects, nothing is called.
    """

    step: ClassVar[str] = "mcp.take_back"
    reach: ClassVar[Reach] = unknown(WHEREVER, unless="local")
    store: ClassVar[str] = "mcp"
    hands_over: ClassVar[tuple[str, ...]] = ("given",)
    id: str
    server: str
    tool: str
    recipe: str
    """The recipe as JSON."""
    given: str
    """The JSON that the call had."""
    identity: str
    local: bool = False


Steps = CallTool | TakeBackCall


class ToolAnswered(Fact, frozen=True):
    """The result of a call, as the JSON that the server sent; `about` is the id of the call."""

    fact: ClassVar[str] = "mcp_answered"
    owner: ClassVar[str] = "mcp"
    server: str
    tool: str
    result: str
    failed: bool = False
    """Whether the server says that the call failed."""
    before: str = ""
    """The result of what the recipe looks at before the call, as JSON; empty if there is none or it failed."""
    after: tuple[str, ...] = ()
    """For each check of the recipe that must find the same again: the digest of the text that it found right after."""

    @property
    def answer(self) -> Answer:
        """Return the result for whoever asked for the call; all of it was written by strangers."""
        result = cast("Json", json.loads(self.result))
        said = "The server says that it failed." if self.failed else "The server answered."
        return Answer("", {"result": result}, f"{said}\n{fence_data(f'{self.server}.{self.tool}', text_of(result))}")


def text_of(result: Json) -> str:
    """Return what a result says in words: its texts, or else its structured content, and what else it holds."""
    members = cast("Mapping[str, Json]", result) if isinstance(result, Mapping) else dict[str, Json]()
    content = members.get("content")
    blocks = cast("list[Json]", content) if isinstance(content, list) else []
    texts = [_block(cast("Mapping[str, Json]", one)) for one in blocks if isinstance(one, Mapping)]
    if not texts and "structuredContent" in members:
        texts = [json.dumps(members["structuredContent"], ensure_ascii=False)]
    return "\n".join(texts)


def _block(block: Mapping[str, Json]) -> str:
    kind, text, resource = block.get("type"), block.get("text"), block.get("resource")
    if kind == "text" and isinstance(text, str):
        return text
    inner = cast("Mapping[str, Json]", resource).get("text") if isinstance(resource, Mapping) else None
    if isinstance(inner, str):
        return inner
    data = block.get("data")
    size = f" of {len(data)} characters in base64" if isinstance(data, str) else ""
    return f"[{kind}{size}, not shown here]"
