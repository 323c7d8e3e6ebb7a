"""A helper program: starts a browser that is controlled through a pipe, and serves the pipe on a private socket.

A browser that listens on a port can be controlled by every user of the machine. This one listens nowhere: it reads from
descriptor 3 and writes to descriptor 4, and ends when they close. Whoever connects to the socket gets a session of
their own with the browser, which ends with the connection; a process of another user is not served.
"""

import fcntl
import itertools
import json
import os
import selectors
import socket
import struct
import sys
from collections.abc import Mapping
from typing import Any

SOCKET = "sayso-socket"
MADE = "sayso-socket.new"
END = b"\0"
CHUNK = 1 << 20
MOST_WAITING = 1 << 28
"""A connection is closed when more bytes than this wait to be read by it."""
READS, WRITES = 3, 4
SAFE = 10
"""Descriptors of this process are moved to numbers from here on, so that 3 and 4 are free for the browser."""


class Stream:
    """One end of a connection: what came without its end yet, and what is still to be written."""

    def __init__(self, reading: int, writing: int) -> None:
        self.reading = reading
        self.writing = writing
        self.came = bytearray()
        self.goes = bytearray()
        self.session = ""
        """The browser's session of this connection; empty until the browser has made it."""
        for descriptor in {reading, writing}:
            os.set_blocking(descriptor, False)

    def receive(self) -> list[bytearray] | None:
        """Return the whole messages that have come, or None at the end of the stream."""
        try:
            chunk = os.read(self.reading, CHUNK)
        except BlockingIOError:
            return []
        except OSError:
            return None
        if not chunk:
            return None
        self.came += chunk
        if END not in chunk:
            return []
        *whole, self.came = self.came.split(END)
        return whole

    def send(self, message: Mapping[str, Any]) -> bool:
        """Write a message, or keep what cannot be written yet."""
        self.goes += json.dumps(message, separators=(",", ":")).encode() + END
        return self.flush()

    def flush(self) -> bool:
        """Write what can be written; return whether the stream is still open."""
        try:
            while self.goes:
                with memoryview(self.goes) as goes, goes[:CHUNK] as piece:
                    written = os.write(self.writing, piece)
                del self.goes[:written]
        except BlockingIOError:
            return len(self.goes) <= MOST_WAITING
        except OSError:
            return False
        return True


class Broker:
    """Passes messages between a browser and the processes that are connected."""

    def __init__(self, listening: socket.socket, browser: Stream, process: int) -> None:
        self.listening = listening
        self.browser = browser
        self.process = process
        self.clients: dict[int, Stream] = {}
        self.owners: dict[str, Stream] = {}
        """The connection that each session of the browser belongs to."""
        self.asked: dict[int, tuple[Stream, int]] = {}
        """For each call without an answer: its connection, and the number that the connection gave it."""
        self.numbers = itertools.count(1)
        self.name = os.urandom(16).hex()
        self.ready = selectors.DefaultSelector()
        self.ready.register(listening, selectors.EVENT_READ)
        self.ready.register(browser.reading, selectors.EVENT_READ, browser)

    def serve(self) -> None:
        """Serve until the browser ends."""
        while True:
            self.watch(self.browser.writing, self.browser, self.browser.goes, 0)
            for client in self.clients.values():
                self.watch(client.reading, client, client.goes, selectors.EVENT_READ)
            for key, events in self.ready.select():
                if key.fileobj is self.listening:
                    self.accept()
                elif key.data is self.browser:
                    if not self.hear_browser(events):
                        return
                elif self.clients.get(key.data.reading) is key.data:
                    self.hear_client(key.data, events)

    def watch(self, descriptor: int, stream: Stream, goes: bytearray, usual: int) -> None:
        """Be woken when a stream can be written, as long as something waits for that."""
        wanted = usual | (selectors.EVENT_WRITE if goes else 0)
        known = self.ready.get_map().get(descriptor)
        if known is None:
            if wanted:
                self.ready.register(descriptor, wanted, stream)
        elif not wanted:
            self.ready.unregister(descriptor)
        elif known.events != wanted:
            self.ready.modify(descriptor, wanted, stream)

    def accept(self) -> None:
        """Take a connection of this user, and ask the browser for a session."""
        try:
            connection, _ = self.listening.accept()
        except OSError:
            return
        if peer_of(connection) != os.geteuid():
            connection.close()
            return
        descriptor = connection.detach()
        client = self.clients[descriptor] = Stream(descriptor, descriptor)
        self.ask_browser(client, 0, {"method": "Target.attachToBrowserTarget"})

    def ask_browser(self, client: Stream, number: int, message: Mapping[str, Any]) -> None:
        """Pass a call to the browser under a number of its own."""
        own = next(self.numbers)
        self.asked[own] = (client, number)
        self.browser.send({**message, "id": own})

    def hear_client(self, client: Stream, events: int) -> None:
        """Pass on what a connection sends; forget a connection that has ended."""
        messages = client.receive() if events & selectors.EVENT_READ else []
        if messages is None or not client.flush():
            self.leave(client)
            return
        for text in messages:
            try:
                message = json.loads(text)
                number, session = int(message["id"]), str(message.get("sessionId") or client.session)
            except (ValueError, TypeError, KeyError):
                self.leave(client)
                return
            if not session or self.owners.get(session) is not client:
                client.send({"id": number, "error": {"code": -32001, "message": "Session with given id not found."}})
            else:
                self.ask_browser(client, number, {**message, "sessionId": session})

    def leave(self, client: Stream) -> None:
        """Close a connection, and end its session with all that hangs on it."""
        del self.clients[client.reading]
        self.ready.unregister(client.reading)
        os.close(client.reading)
        self.owners = {session: owner for session, owner in self.owners.items() if owner is not client}
        if client.session:
            self.end_session(client.session)

    def end_session(self, session: str) -> None:
        """Tell the browser that a session is over."""
        ends = {"method": "Target.detachFromTarget", "params": {"sessionId": session}}
        self.browser.send({**ends, "id": next(self.numbers)})

    def hear_browser(self, events: int) -> bool:
        """Pass on what the browser says; return whether it still runs."""
        messages = self.browser.receive() if events & selectors.EVENT_READ else []
        if messages is None or not self.browser.flush():
            return False
        for text in messages:
            message = json.loads(text)
            if "id" in message:
                self.answer(message)
            else:
                self.tell(message)
        return True

    def answer(self, message: Mapping[str, Any]) -> None:
        """Pass an answer to the connection that asked."""
        asked = self.asked.pop(message["id"], None)
        if asked is None:
            return
        client, number = asked
        here = client.reading in self.clients and self.clients[client.reading] is client
        if number == 0 and not client.session:
            session = message.get("result", {}).get("sessionId", "")
            if here and session:
                client.session = session
                self.owners[session] = client
                client.send({"browser": self.name, "process": self.process})
            elif session:
                self.end_session(session)
            elif here:
                self.leave(client)
        elif here:
            self.pass_on(client, {**message, "id": number})

    def tell(self, message: dict[str, Any]) -> None:
        """Pass an event to the connection whose session it belongs to."""
        client = self.owners.get(message.get("sessionId", ""))
        session = message.get("params", {}).get("sessionId", "")
        if message["method"] == "Target.attachedToTarget" and client is not None:
            self.owners[session] = client
        elif message["method"] == "Target.detachedFromTarget":
            self.owners.pop(session, None)
        if client is not None:
            self.pass_on(client, message)

    def pass_on(self, client: Stream, message: dict[str, Any]) -> None:
        """Send a message; a message of the connection's own session names no session."""
        if message.get("sessionId") == client.session:
            del message["sessionId"]
        client.send(message)


def peer_of(connection: socket.socket) -> int:
    """Return the user at the other end of a connection, -1 if the system does not say."""
    if hasattr(socket, "SO_PEERCRED"):
        size = struct.calcsize("3i")
        return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))[1]
    local, peer_credentials = 0, 1
    try:
        return struct.unpack_from("=II", connection.getsockopt(local, peer_credentials, 76))[1]
    except OSError:
        return -1


def listen(folder: str) -> socket.socket:
    """Return a socket in the folder that only this user can connect to."""
    os.chdir(folder)  # the whole path may be longer than the name of a socket can be
    if os.path.lexists(MADE):
        os.unlink(MADE)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listening.bind(MADE)
    finally:
        os.umask(before)
    listening.listen()
    os.rename(MADE, SOCKET)  # it has its name only once it answers; a broker that was killed may have left another
    listening.settimeout(0)
    return listening


def start(argv: list[str]) -> tuple[int, Stream]:
    """Start the browser; return its process and the stream that controls it."""
    commands, writes = map(moved, os.pipe())
    reads, answers = map(moved, os.pipe())
    pipes = [(os.POSIX_SPAWN_DUP2, commands, READS), (os.POSIX_SPAWN_DUP2, answers, WRITES)]
    process = os.posix_spawn(argv[0], argv, os.environ, file_actions=pipes)
    os.close(commands)
    os.close(answers)
    return process, Stream(reads, writes)


def moved(descriptor: int) -> int:
    """Return a copy of a descriptor with a number that the browser does not need."""
    copy = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, SAFE)
    os.close(descriptor)
    return copy


def main(folder: str, argv: list[str]) -> None:
    """Start the browser, and serve it until it ends."""
    listening = listen(folder)
    mine = os.stat(SOCKET).st_ino
    try:
        process, browser = start(argv)
        Broker(listening, browser, process).serve()
    finally:
        if os.path.lexists(SOCKET) and os.stat(SOCKET).st_ino == mine:
            os.unlink(SOCKET)
    os.waitpid(process, 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
