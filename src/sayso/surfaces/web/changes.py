"""Tells open pages what has changed: in the journal, whichever process changed it, and in replies that go on."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache

import anyio
from msgspec import json
from starlette.websockets import WebSocket, WebSocketDisconnect

from sayso.journal.sqlite import SqliteJournal
from sayso.surfaces.web.faults import Guarded
from sayso.surfaces.web.messages import Attach, Changed, Grows, Hello, Sent, SessionStatus, Status, read_message
from sayso.surfaces.web.visitors import Rate, Visitors
from sayso.templates.messages import ErrorMessage, ExecuteAction, encode

EVERY = 0.1
EACH_FRAME = 0.04
"""Seconds between two pieces of a reply that one page is sent."""
MOST_BYTES = 64 * 1024
MOST_UNSENT = 1000
"""How many messages about own actions a page may lack before it is closed, and has to fetch all anew."""
_MOST_SOCKETS = 1000
_AT_ONCE, _EACH_SECOND = 40.0, 10.0
_POLICY, _BUSY, _AWAY = 1008, 1013, 1001
"""Why a socket is closed: it broke a rule, there are too many, or the server ends."""


class Listener:
    """One open page: what it has been told, and the conversation that it shows."""

    def __init__(self, sequence: int) -> None:
        self.woken = anyio.Event()
        self.session = ""
        self.told = sequence
        self.sent: Sent | None = None
        self.statuses: dict[str, str] = {}
        """The newest status of each conversation that the page was not told yet."""
        self.unsent: deque[str] = deque()
        self.lost = False
        """Whether it was sent too little of what it lacked."""

    def add(self, frame: str) -> None:
        """Send it a message when it is ready; one that lacks too many is closed then, and has to fetch all anew."""
        self.lost = self.lost or len(self.unsent) >= MOST_UNSENT
        if self.lost:
            self.unsent.clear()
        else:
            self.unsent.append(frame)

    def wake(self) -> None:
        """Let it look whether there is something to tell, or whether it has to close."""
        self.woken.set()
        self.woken = anyio.Event()


class Changes:
    """Watches the journal, and wakes pages; a slow one gets what it lacks when it is ready, never an endless queue."""

    def __init__(self, journal: SqliteJournal, visitors: Visitors) -> None:
        self._journal = journal
        self._visitors = visitors
        self._listeners: set[Listener] = set()
        self.sequence = self.newest()
        self.changed = anyio.Event()
        """Set at the next change of the journal, and then replaced."""
        self.grows: Callable[[str], Grows | None] = lambda session: None
        """Returns the reply of a conversation that goes on, or that ended last."""
        self.greeting = ""
        """What a page is told first: the person's own actions (S3-73)."""
        self.execute: Callable[[ExecuteAction, str, Callable[[str], None]], None] | None = None
        """Runs an offer of the conversation that a page shows; the page itself is only told if that is not possible."""
        self.ending = False

    def newest(self) -> int:
        """Return the number of the last line of the audit trail, which every change adds one to."""
        ((newest,),) = self._journal.look(lambda c: c.execute("SELECT coalesce(max(seq), 0) FROM audit").fetchall())
        return newest

    def wake(self, session: str | None = None) -> None:
        """Let every page look whether there is something to tell, or those that show this conversation."""
        for one in self._listeners:
            if session is None or one.session == session:
                one.wake()

    def tell_status(self, session: str, status: Status, message: str) -> None:
        """Tell all pages the status of a conversation; one that is slow gets only the newest."""
        frame = _frame(SessionStatus(session, status, message))
        for one in self._listeners:
            one.statuses[session] = frame
            one.wake()

    def tell(self, frame: str, session: str | None = None) -> None:
        """Send a message to all pages, or to those that show this conversation."""
        for one in self._listeners:
            if session is None or one.session == session:
                one.add(frame)
                one.wake()

    def end(self) -> None:
        """Close all sockets."""
        self.ending = True
        self.wake()

    async def watch(self) -> None:
        """Look for changes until this is cancelled: at once for those of this process, and else every `EVERY`."""
        while True:
            committed = self._journal.committed
            with Guarded() as looked:
                if self._look():
                    await anyio.sleep(EVERY)
                    continue
            with anyio.move_on_after(EVERY):
                await (anyio.sleep(EVERY) if looked.problem else committed.wait())

    def _look(self) -> bool:
        """Return whether there is a change since the last look; all pages are woken then."""
        newest = self.newest()
        if newest == self.sequence:
            return False
        self.sequence = newest
        self.changed.set()
        self.changed = anyio.Event()
        self.wake()
        return True

    async def serve(self, socket: WebSocket, rate: Rate) -> None:
        """Tell one page of changes until it leaves, breaks a rule, or is let in no more."""
        await socket.accept()
        if len(self._listeners) >= _MOST_SOCKETS:
            await socket.close(_BUSY)
            return
        page = Listener(self.sequence)
        for frame in filter(None, [self.greeting, _frame(Hello(page.told))]):
            page.add(frame)
        self._listeners.add(page)
        try:
            await self._talk(socket, page, rate)
        finally:
            self._listeners.discard(page)

    async def _talk(self, socket: WebSocket, page: Listener, rate: Rate) -> None:
        async with anyio.create_task_group() as together:
            together.start_soon(self._tell, socket, page)
            with suppress(WebSocketDisconnect, RuntimeError):
                if await self._listen(socket, page, rate):
                    await socket.close(_POLICY)
            together.cancel_scope.cancel()

    async def _tell(self, socket: WebSocket, page: Listener) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):  # it left; `_listen` sees it, too
            await self._keep_told(socket, page)

    async def _keep_told(self, socket: WebSocket, page: Listener) -> None:
        while True:
            woken = page.woken
            if self.ending or self._visitors.known(socket.scope["visitor"]) is None:
                await socket.close(_AWAY if self.ending else _POLICY)
                return
            if page.lost:
                await socket.close(_BUSY)
                return
            streams = await self._send_what_is_new(socket, page)
            if streams:
                await anyio.sleep(EACH_FRAME)
            else:
                await woken.wait()

    async def _send_what_is_new(self, socket: WebSocket, page: Listener) -> bool:
        """Send a page what it lacks; return whether it was a piece of a reply, after which more may soon come."""
        while page.unsent:
            await socket.send_text(page.unsent.popleft())
        if page.told != self.sequence:
            page.told = self.sequence
            await socket.send_text(_changed(page.told))
        reply = self.grows(page.session)
        grown = reply.since(page.sent) if reply is not None else None
        if grown is not None:
            page.sent = grown.sent
            await socket.send_text(grown.frame)
        statuses, page.statuses = page.statuses, {}
        for frame in statuses.values():
            await socket.send_text(frame)
        return grown is not None or bool(statuses)

    async def _listen(self, socket: WebSocket, page: Listener, rate: Rate) -> bool:
        """Do what a page asks; return whether it broke a rule, rather than left."""
        while True:
            message = await socket.receive()
            if message["type"] != "websocket.receive":
                return False
            if not rate.allows():
                return True
            match read_message(message.get("text") or message.get("bytes") or b""):
                case Attach() as asked:
                    page.session, page.sent = asked.session, None
                    page.told = asked.since
                case ErrorMessage() as wrong:
                    page.add(encode(wrong))
                case ExecuteAction() as asked if self.execute is not None:
                    self.execute(asked, page.session, page.add)
                case _:
                    pass
            page.wake()


@lru_cache(maxsize=1)
def _changed(sequence: int) -> str:
    """Return the message about a change, made once for all pages."""
    return _frame(Changed(sequence))


def _frame(message: Hello | Changed | SessionStatus) -> str:
    return json.encode(message).decode()


def rate_of(socket: WebSocket) -> Rate:
    """Return the limit of how often one page may send something."""
    return Rate(socket.app.state.clock, _AT_ONCE, _EACH_SECOND)
