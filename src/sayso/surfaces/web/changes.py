"""Tells open pages that the journal has changed, whichever process changed it, and by which number to go on."""

from contextlib import suppress

import anyio
from msgspec import DecodeError, Struct, json
from starlette.websockets import WebSocket, WebSocketDisconnect

from sayso.core.encoding import Json
from sayso.journal.sqlite import SqliteJournal
from sayso.surfaces.web.visitors import Rate, Visitors

EVERY = 0.1
MOST_BYTES = 64 * 1024
_MOST_SOCKETS = 1000
_AT_ONCE, _EACH_SECOND = 40.0, 10.0
_POLICY, _BUSY, _AWAY = 1008, 1013, 1001
"""Why a socket is closed: it broke a rule, there are too many, or the server ends."""


class Attach(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="attach"):
    """What a page sends first: the number of the last change that it has read."""

    since: int = 0


class Changes:
    """Watches the journal, and wakes every socket; a slow one gets the newest number when it is ready, not a queue."""

    def __init__(self, journal: SqliteJournal, visitors: Visitors) -> None:
        self._journal = journal
        self._visitors = visitors
        self._woken = anyio.Event()
        self._open = 0
        self.sequence = self.newest()
        self.ending = False

    def newest(self) -> int:
        """Return the number of the last line of the audit trail, which every change of an action adds one to."""
        ((newest,),) = self._journal.look(lambda c: c.execute("SELECT coalesce(max(seq), 0) FROM audit").fetchall())
        return newest

    def wake(self) -> None:
        """Let every socket look whether there is something to tell, or whether it has to close."""
        self._woken.set()
        self._woken = anyio.Event()

    def end(self) -> None:
        """Close all sockets."""
        self.ending = True
        self.wake()

    async def watch(self) -> None:
        """Look for changes until this is cancelled."""
        while True:
            newest = self.newest()
            if newest != self.sequence:
                self.sequence = newest
                self.wake()
            await anyio.sleep(EVERY)

    async def serve(self, socket: WebSocket, rate: Rate) -> None:
        """Tell one page of changes until it leaves, breaks a rule, or is let in no more."""
        await socket.accept()
        if self._open >= _MOST_SOCKETS:
            await socket.close(_BUSY)
            return
        self._open += 1
        try:
            with suppress(WebSocketDisconnect, RuntimeError):
                await self._talk(socket, rate)
        finally:
            self._open -= 1

    async def _talk(self, socket: WebSocket, rate: Rate) -> None:
        await _send(socket, {"type": "hello", "sequence": self.sequence})
        async with anyio.create_task_group() as together:
            together.start_soon(self._tell, socket)
            if await self._listen(socket, rate):
                await socket.close(_POLICY)
            together.cancel_scope.cancel()

    async def _tell(self, socket: WebSocket) -> None:
        told = self.sequence
        while True:
            woken = self._woken
            if self.ending or self._visitors.known(socket.scope["visitor"]) is None:
                await socket.close(_AWAY if self.ending else _POLICY)
                return
            if told != self.sequence:
                told = self.sequence
                await _send(socket, _changed(told))
            else:
                await woken.wait()

    async def _listen(self, socket: WebSocket, rate: Rate) -> bool:
        """Answer what a page sends; return whether it broke a rule, rather than left."""
        while True:
            message = await socket.receive()
            if message["type"] != "websocket.receive":
                return False
            try:
                asked = json.decode(message.get("text") or b"", type=Attach)
            except (DecodeError, UnicodeError):
                return True
            if not rate.allows():
                return True
            if asked.since != self.sequence:
                await _send(socket, _changed(self.sequence))


def _changed(sequence: int) -> dict[str, Json]:
    return {"type": "changed", "sequence": sequence, "what": ["rows", "waiting"]}


async def _send(socket: WebSocket, message: dict[str, Json]) -> None:
    await socket.send_text(json.encode(message).decode())


def rate_of(socket: WebSocket) -> Rate:
    """Return the limit of how often one page may send something."""
    return Rate(socket.app.state.clock, _AT_ONCE, _EACH_SECOND)
