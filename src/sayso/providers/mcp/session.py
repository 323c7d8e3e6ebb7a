"""One conversation with a wrapped MCP server: the handshake, its list of tools, and one call after another.

The messages are read and written here, not by the SDK, since what a server answers is to be forwarded as it came, and
since a server that floods or hangs must cost no more than its own connection.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal, Protocol, cast

import msgspec
from msgspec import Raw, Struct, field

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError
from sayso.core.quotes import quoted
from sayso.core.step_watch import StepProgress
from sayso.core.version import VERSION
from sayso.providers.mcp.definitions import MOST_TOOLS, ToolDefinition, read_tools, shorten
from sayso.providers.mcp.headers import headers_of, why_not

MOST_BYTES = 8 * 2**20
"""The most that one message may have, and a result with it."""
MOST_BETWEEN = 32 * 2**20
"""The most that a server may send between a request and its answer."""
MOST_MESSAGES = 10_000
START_SECONDS = 60.0
"""How long a server may take to start: the first start of a program may download it."""
NEWEST = "2025-11-25"
KNOWN = frozenset({"2024-11-05", "2025-03-26", "2025-06-18", NEWEST})
WITHOUT_HANDSHAKE = "2026-07-28"
"""The revision in which every request says what the handshake said."""
_OTHER_HEADERS = -32020
_REFUSALS = frozenset({-32700, -32600, -32601, -32602, _OTHER_HEADERS})
"""Codes with which a server says that it did not begin: no such method, wrong arguments or headers, no JSON."""
_NO_METHOD = -32601
_OURSELVES: dict[str, Json] = {"name": "sayso", "version": VERSION}
_PAGES = 100
NONE: Mapping[str, str] = {}
_MOST_SAID = 200
Tells = Callable[[StepProgress], Awaitable[None]]
"""Is told how far a call has come."""


class Turn(Struct, frozen=True):
    """What is known of a server to whoever may ask it now."""

    run: str = "1"
    """Another value for each time that the server was started."""
    next: int = 1
    """A number that no request had yet."""
    version: str = ""
    """The version of the protocol that was agreed on; empty if nobody has shaken hands yet."""
    changed: int = 0
    """How often its tools may have changed."""


class Link(Protocol):
    """What carries messages to a server and back."""

    async def take(self) -> Turn:
        """Wait until this process may ask the server. Raises `ProviderError`."""
        ...

    def release(self, *, changed: bool) -> None:
        """Let others ask the server; `changed` says whether it said that its tools have changed."""
        ...

    @property
    def repeats(self) -> bool:
        """Return whether arguments that a server marks are repeated as headers."""
        ...

    async def send(self, message: bytes, headers: Mapping[str, str] = NONE) -> None:
        """Send one message, with further headers where there are any. Raises `LinkBroken`."""
        ...

    async def receive(self) -> bytes:
        """Return the next message. Raises `LinkBroken` when none can come."""
        ...

    def agreed(self, version: str) -> None:
        """Remember the version of the protocol that was agreed on."""
        ...

    async def cancel(self, number: int) -> None:
        """Tell the server that nobody waits for the answer to a request any more. Raises `LinkBroken`."""
        ...

    async def end(self) -> None:
        """End the connection, and the program behind it."""
        ...

    def close(self) -> None:
        """Leave it without a running event loop; a program that nobody else uses ends."""
        ...


class LinkBroken(Exception):
    """The connection has ended, or the server sent what no message is; `str()` says which."""

    def __init__(self, why: str, *, sent: bool = True) -> None:
        super().__init__(why)
        self.sent = sent
        """Whether the request may have reached the server."""


class CallResult(Struct, frozen=True):
    """The answer to a call: the JSON of its result as it came, or of its error."""

    text: str
    how: Literal["result", "refused", "error"]


class _Message(Struct, frozen=True):
    id: object = None
    method: str = ""
    params: Raw = Raw(b"null")
    result: Raw | msgspec.UnsetType = msgspec.UNSET
    error: Raw | msgspec.UnsetType = msgspec.UNSET


class _Progress(Struct, frozen=True):
    token: object = field(name="progressToken")
    progress: float
    total: float | None = None
    message: str | None = None


class _Listed(Struct, frozen=True):
    tools: list[object] = field(default_factory=list[object])
    cursor: str | None = field(default=None, name="nextCursor")


class _Agreed(Struct, frozen=True):
    version: str = field(default="", name="protocolVersion")


def cancels(number: int) -> bytes:
    """Return the notification that nobody waits for the answer to a request any more."""
    params = {"requestId": number, "reason": "whoever asked has stopped waiting"}
    return json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).encode()


class ServerSession:
    """A conversation; one request at a time. After a `LinkBroken` or a time-out it must be ended."""

    def __init__(self, name: str, link: Link) -> None:
        self.name = name
        self.link = link
        self.tools: Mapping[str, ToolDefinition] = {}
        self.left_out: dict[str, str] = {}
        self.stale = False
        """Whether the server said that its tools have changed since they were listed."""
        self._run = ""
        self._changed = 0
        self._number = 0
        self._meta: Mapping[str, Json] = {}
        self._tells: Tells | None = None
        self._passed_on = 0
        """How many notes were passed on."""

    async def join(self, turn: Turn) -> None:
        """Learn which tools there are now; shake hands if nobody has.

        Raises `LinkBroken`, and `ProviderError` if the server is not understood.
        """
        self._number = max(self._number, turn.next - 1)
        self.stale = False
        if turn.run != self._run:
            self._run = ""
            self._meta = _meta() if turn.version == WITHOUT_HANDSHAKE else {}
            if not turn.version:
                await self._shake_hands()
            await self.list_tools()
        elif turn.changed != self._changed:
            await self.list_tools()
        self._run, self._changed = turn.run, turn.changed

    async def _shake_hands(self) -> None:
        ours = {"protocolVersion": NEWEST, "capabilities": {}, "clientInfo": _OURSELVES}
        answer = await self.request("initialize", json.dumps(ours))
        if answer.how == "result":
            version = msgspec.json.decode(answer.text, type=_Agreed).version
            if version not in KNOWN:
                said = f"the MCP server {quoted(self.name)} speaks the version {quoted(shorten(version, 40))}"
                raise ProviderError(f"{said}, which sayso does not", "mcp.version")
            self.link.agreed(version)
            await self.link.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        else:
            self._meta = _meta()
            self.link.agreed(WITHOUT_HANDSHAKE)

    async def list_tools(self) -> None:
        """Ask for the tools anew. Raises like `open`."""
        found: list[object] = []
        cursor = None
        for _ in range(_PAGES):
            answer = await self.request("tools/list", json.dumps({"cursor": cursor} if cursor else {}))
            if answer.how != "result":
                said = shorten(answer.text, 200)
                raise ProviderError(f"the MCP server {quoted(self.name)} lists no tools: {quoted(said)}", "mcp.tools")
            page = _decode(answer.text)
            found += page.tools
            cursor = page.cursor
            if not cursor or len(found) > MOST_TOOLS:
                break
        if len(found) > MOST_TOOLS:
            said = f"the MCP server {quoted(self.name)} lists more than {MOST_TOOLS} tools"
            raise ProviderError(said, "mcp.tools")
        tools, self.left_out = read_tools(found)
        odd = {tool.name: why for tool in tools if self.link.repeats and (why := why_not(_arguments_of(tool)))}
        self.left_out |= odd
        self.tools = {tool.name: tool for tool in tools if tool.name not in odd}

    async def call(self, tool: str, arguments: str, tells: Tells | None = None) -> CallResult:
        """Call a tool with JSON that is sent as it is; `tells` is told how far the call is. Raises `LinkBroken`."""
        marked = self.link.repeats and tool in self.tools
        headers = headers_of(_arguments_of(self.tools[tool]), json.loads(arguments)) if marked else NONE
        self._tells = tells
        try:
            params = f'{{"name":{json.dumps(tool)},"arguments":{arguments}}}'
            return await self.request("tools/call", params, headers)
        finally:
            self._tells = None

    async def cancel(self) -> None:
        """Tell the server that nobody waits for its latest answer any more. Raises `LinkBroken`."""
        await self.link.cancel(self._number)

    async def request(self, method: str, params: str, headers: Mapping[str, str] = NONE) -> CallResult:
        """Send a request and return its answer; `params` is the JSON of an object. Raises `LinkBroken`."""
        self._number += 1
        meta = {**self._meta, "progressToken": self._number} if self._tells else self._meta
        if meta:
            said = f'"_meta":{json.dumps(meta)}'
            params = f"{{{said}}}" if params == "{}" else f"{params[:-1]},{said}}}"
        head = f'{{"jsonrpc":"2.0","id":{self._number},"method":{json.dumps(method)},"params":'
        await self.link.send(f"{head}{params}}}".encode(), headers)
        try:
            return await self.answer()
        except LinkBroken as broken:  # also if something could not be sent meanwhile, the request had been
            raise LinkBroken(str(broken)) from None

    async def answer(self) -> CallResult:
        """Return the answer to the latest request; it may still come after a cancellation. Raises `LinkBroken`."""
        size = messages = 0
        while messages < MOST_MESSAGES:
            data = await self.link.receive()
            size += len(data)
            if size > MOST_BETWEEN:
                break
            passed_on = self._passed_on
            answer = await self._take(data)
            if answer is not None:
                return answer
            messages += passed_on == self._passed_on
        raise LinkBroken("it sent far more than an answer")

    async def _take(self, data: bytes) -> CallResult | None:
        """Return the answer to the latest request; answer what the server asks, and pass over everything else."""
        try:
            message = _read(data)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise LinkBroken("it sent something that is no message") from None
        if message.method:
            self.stale = self.stale or message.method == "notifications/tools/list_changed"
            if message.id is not None:
                await self._refuse(message)
            elif self._tells and message.method == "notifications/progress":
                await self._told(message, self._tells)
            return None
        if type(message.id) is not int or message.id != self._number:
            return None
        if not isinstance(message.result, msgspec.UnsetType):
            return CallResult(_text(message.result), "result")
        error = "{}" if isinstance(message.error, msgspec.UnsetType) else _text(message.error)
        self.stale = self.stale or _code(error) == _OTHER_HEADERS
        return CallResult(error, "refused" if _code(error) in _REFUSALS else "error")

    async def _told(self, note: _Message, tells: Tells) -> None:
        """Pass on how far the latest call is; a note that is not understood, or of another call, is passed over."""
        try:
            said = msgspec.json.decode(note.params, type=_Progress)
        except msgspec.MsgspecError:
            return
        if type(said.token) is int and said.token == self._number:
            self._passed_on += 1
            await tells(StepProgress(said.progress, said.total, shorten(said.message or "", _MOST_SAID)))

    async def _refuse(self, asked: _Message) -> None:
        """Answer a request of the server: only that sayso is here. It cannot ask a model or the person for anything."""
        answer: dict[str, Json] = {"jsonrpc": "2.0", "id": asked.id}
        if asked.method == "ping":
            answer["result"] = {}
        else:
            answer["error"] = {"code": _NO_METHOD, "message": "sayso answers no requests of servers"}
        await self.link.send(json.dumps(answer).encode())


def _arguments_of(tool: ToolDefinition) -> Json:
    return tool.said.get("inputSchema")


def _meta() -> dict[str, Json]:
    """Return what each request says where there is no handshake."""
    key = "io.modelcontextprotocol/"
    return {
        f"{key}protocolVersion": WITHOUT_HANDSHAKE,
        f"{key}clientInfo": _OURSELVES,
        f"{key}clientCapabilities": {},
    }


def _read(data: bytes) -> _Message:
    """Return a message; half a character pair in it, as servers make when they cut a text, is replaced."""
    try:
        return msgspec.json.decode(data, type=_Message)
    except msgspec.MsgspecError:
        if b"\\ud" not in data.lower():
            raise
    text = json.dumps(json.loads(data), ensure_ascii=False)
    return msgspec.json.decode(
        text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode(), type=_Message
    )


def _text(raw: Raw) -> str:
    return bytes(raw).decode("utf-8")


def _decode(text: str) -> _Listed:
    try:
        return msgspec.convert(cast("object", json.loads(text)), _Listed)
    except (ValueError, RecursionError):
        raise LinkBroken("its list of tools is not readable") from None


def _code(error: str) -> object:
    try:
        found = cast("object", json.loads(error))
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, object]", found).get("code") if isinstance(found, Mapping) else None
