"""A link to an MCP server at an address: each request is one POST, answered by JSON or by a stream of events."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, suppress

import httpx2
import msgspec
from msgspec import Struct

from sayso.providers.mcp.session import MOST_BYTES, NONE, WITHOUT_HANDSHAKE, LinkBroken, Turn, cancels

_SESSION = "mcp-session-id"
_VERSION = "MCP-Protocol-Version"
_OURS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "Accept-Encoding": "identity",
    "User-Agent": "sayso",
}
_BAD, _FAULT = 400, 500
_MOVED = range(300, 400)


class _Params(Struct, frozen=True):
    name: str = ""


class _Sent(Struct, frozen=True):
    id: object = None
    method: str = ""
    params: _Params = _Params()


class HttpLink:
    """Messages to and from one address. Nothing is followed elsewhere, and no connection outlives its answer."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._headers = {**_OURS, **headers}
        self._open = AsyncExitStack()
        self._messages: AsyncIterator[bytes] | None = None
        self._changed = 0

    async def take(self) -> Turn:
        """Return at once: each request is a connection of its own."""
        return Turn(changed=self._changed)

    def release(self, *, changed: bool) -> None:
        """Remember that the tools have changed."""
        self._changed += changed

    def agreed(self, version: str) -> None:
        """Tell the server from now on which version was agreed on."""
        self._headers[_VERSION] = version

    @property
    def repeats(self) -> bool:
        """Return whether arguments are repeated as headers: since the revision without a handshake."""
        return self._headers.get(_VERSION) == WITHOUT_HANDSHAKE

    async def send(self, message: bytes, headers: Mapping[str, str] = NONE) -> None:
        """Send one message; what answers a request is read by `receive`."""
        sent = msgspec.json.decode(message, type=_Sent)
        if sent.method and sent.id is not None:
            await self.end()
            await self._ask(message, sent, headers)
            return
        with suppress(httpx2.HTTPError):  # a notification or a refusal, to which there is no answer
            async with (
                self._client() as client,
                client.stream("POST", self._url, content=message, headers=self._headers),
            ):
                return  # whatever the body holds is not read

    async def _ask(self, message: bytes, sent: _Sent, more: Mapping[str, str]) -> None:
        named = {"Mcp-Name": sent.params.name} if sent.params.name.isascii() and sent.params.name else {}
        headers = {**self._headers, "Mcp-Method": sent.method, **named, **more}
        client = await self._open.enter_async_context(self._client())
        try:
            response = await self._open.enter_async_context(
                client.stream("POST", self._url, content=message, headers=headers)
            )
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.UnsupportedProtocol) as error:
            raise LinkBroken(f"it cannot be reached: {error}", sent=False) from None
        except httpx2.HTTPError as error:
            raise LinkBroken(f"it did not answer: {error}") from None
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        status = response.status_code
        if status in _MOVED or (status >= _BAD and kind != "application/json"):
            raise LinkBroken(f"it answered with the status {status}", sent=status >= _FAULT)
        if response.headers.get("content-encoding", "identity") != "identity":
            raise LinkBroken("it sent compressed data, which was not asked for")
        if session := response.headers.get(_SESSION):
            self._headers[_SESSION] = session
        self._messages = _events(response) if kind == "text/event-stream" else _whole(response)

    async def receive(self) -> bytes:
        """Return the next message of the answer."""
        try:
            if self._messages is not None:
                async for message in self._messages:
                    return message
        except httpx2.HTTPError as error:
            raise LinkBroken(f"its answer broke off: {error}") from None
        raise LinkBroken("it ended without an answer")

    async def cancel(self, number: int) -> None:
        """Close the answer, which says it all in the newest version; older ones want to be told."""
        await self.end()
        if not self.repeats:
            await self.send(cancels(number))

    async def end(self) -> None:
        """End the connection, if there is one."""
        self._messages = None
        opened, self._open = self._open, AsyncExitStack()
        with suppress(httpx2.HTTPError):
            await opened.aclose()

    def close(self) -> None:
        """Let go of the connection, if there is one."""
        self._messages = None

    def _client(self) -> httpx2.AsyncClient:
        # The time limit is that of the call.
        return httpx2.AsyncClient(timeout=None, follow_redirects=False)


async def _whole(response: httpx2.Response) -> AsyncIterator[bytes]:
    data = bytearray()
    async for piece in response.aiter_raw():
        data += piece
        _must_be_short(data)
    yield bytes(data)


async def _events(response: httpx2.Response) -> AsyncIterator[bytes]:
    """Yield the data of each event."""
    came, data = bytearray(), bytearray()
    async for piece in response.aiter_raw():
        came += piece
        _must_be_short(came)
        *lines, rest = bytes(came).split(b"\n")
        came = bytearray(rest)
        for line in (one.removesuffix(b"\r") for one in lines):
            if line.startswith(b"data:"):
                data += line[5:].removeprefix(b" ")
                _must_be_short(data)
            elif not line and data:
                yield bytes(data)
                data.clear()


def _must_be_short(data: bytearray) -> None:
    if len(data) > MOST_BYTES:
        raise LinkBroken(f"it sent a message of more than {MOST_BYTES:,} bytes")
