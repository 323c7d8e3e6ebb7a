"""A helper program: keeps one wrapped MCP server running, and lends it to one process of sayso at a time.

All processes of a home that use the server connect to its private socket, and whoever wants to ask something waits for
a turn. During a turn, what the server writes goes to the process whose turn it is and to nobody else. The server is
started for the first turn, and ends with its last user. Frames are a letter, four bytes with a length, and that many
bytes.
"""

import fcntl
import json
import math
import os
import re
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable

HEAD = struct.Struct(">cI")
CHUNK = 65536
MOST_WAITING = 1 << 20
"""While more bytes than this wait to be read by a process of sayso, nothing more is read from the server."""
MOST_COMPLAINT = 2000
NOBODY_CAME = 10_000
"""Milliseconds after which this program ends if no process has connected."""
LOCK_SECONDS = 20
QUIET_SECONDS = 1.0
"""After so long without a word of the process whose turn it is, it is asked for one, if others wait."""
LEASE_SECONDS = 10.0
"""How long it may take to answer that; then its turn is over, since a process that was stopped would keep it."""
MARK = "SAYSO_STARTED"
SAFE = 10
"""Descriptors are moved to numbers from here on, so that those below are free for the server."""
ASKED = re.compile(rb'\{"jsonrpc":"2\.0","id":(\d{1,15}),')
"""How sayso begins a request; a notification has no number."""


class Server:
    """The running server, and the ends of its pipes."""

    def __init__(self, argv: list[str]) -> None:
        self.token = os.urandom(16).hex()
        reads, self.stdin = pipe()
        self.stdout, writes = pipe()
        self.stderr, complains = pipe()
        life, self.life = pipe()
        nothing = moved(os.open(os.devnull, os.O_RDONLY))
        theirs = (reads, writes, complains, life, nothing)
        places = [(os.POSIX_SPAWN_DUP2, descriptor, number) for number, descriptor in enumerate(theirs)]
        environ = {**os.environ, MARK: self.token}
        try:
            self.process = os.posix_spawn(argv[0], argv, environ, file_actions=places, setsid=True)
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)
        self.goes = bytearray()
        self.complaint = bytearray()
        self.complains = True
        self.version = ""
        """The version of the protocol that was agreed on; empty before."""
        self.next = 1
        """A number that no request had yet."""
        self.asked = 0
        """The number of the latest request in this turn."""
        self.cut = self.skips = False
        """Whether what was passed on last ended within a line; and whether the rest of that line is passed over."""

    @property
    def ended(self) -> bool:
        """Return whether nobody reads the server's input any more."""
        looks = select.poll()
        looks.register(self.stdin, 0)
        return bool(looks.poll(0))

    def flush(self) -> None:
        """Write what can be written; that the server has ended is seen at its output."""
        try:
            while self.goes:
                del self.goes[: os.write(self.stdin, self.goes[:CHUNK])]
        except BlockingIOError:
            return
        except OSError:
            self.goes.clear()

    def read(self) -> bytes | None:
        """Return what the server wrote; None at the end of its output."""
        try:
            data = os.read(self.stdout, CHUNK)
        except BlockingIOError:
            return b""
        except OSError:
            return None
        if not data:
            return None
        if self.skips:
            _, end, data = data.partition(b"\n")
            self.skips = not end
        self.cut = not data.endswith(b"\n") if data else self.cut and self.skips
        return data

    def listen(self) -> None:
        """Read the error output, of which the last is kept."""
        try:
            while self.complains:
                data = os.read(self.stderr, CHUNK)
                self.complains = bool(data)
                self.complaint += data
                del self.complaint[:-MOST_COMPLAINT]
        except BlockingIOError:
            return
        except OSError:
            self.complains = False

    def end(self) -> None:
        """End the server with all processes that it started."""
        for descriptor in (self.life, self.stdin, self.stdout, self.stderr):
            os.close(descriptor)
        os.waitpid(self.process, 0)
        kill_marked(f"{MARK}={self.token}".encode())


class Client:
    """One connected process of sayso."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.came = bytearray()
        self.goes = bytearray()
        connection.settimeout(0)

    def receive(self) -> list[tuple[bytes, bytes]] | None:
        """Return the whole frames that have come; None at the end of the connection."""
        try:
            data = self.connection.recv(CHUNK)
        except BlockingIOError:
            return []
        except OSError:
            return None
        if not data:
            return None
        self.came += data
        frames: list[tuple[bytes, bytes]] = []
        while len(self.came) >= HEAD.size:
            kind, size = HEAD.unpack_from(self.came)
            if len(self.came) < HEAD.size + size:
                break
            frames.append((kind, bytes(self.came[HEAD.size : HEAD.size + size])))
            del self.came[: HEAD.size + size]
        return frames

    def send(self, kind: bytes, data: bytes) -> None:
        """Send a frame, or keep what cannot be written yet."""
        self.goes += HEAD.pack(kind, len(data)) + data
        self.flush()

    def flush(self) -> None:
        """Write what can be written; that the process has ended is seen at what it sends."""
        try:
            while self.goes:
                del self.goes[: self.connection.send(self.goes[:CHUNK])]
        except BlockingIOError:
            return
        except OSError:
            self.goes.clear()


class Keeper:
    """Lends the server to its users, one after the other."""

    def __init__(
        self, listening: socket.socket, argv: list[str], forget: Callable[[], None], clock: Callable[[], float]
    ) -> None:
        self.listening = listening
        self.forget = forget
        self.clock = clock
        self.argv = argv
        self.clients: dict[int, Client] = {}
        self.waiting: list[Client] = []
        self.holder: Client | None = None
        self.server: Server | None = None
        self.runs = 0
        self.changed = 0
        """How often the tools may have changed."""
        self.heard = 0.0
        """When the process whose turn it is was last heard of."""
        self.asked: float | None = None
        """When it was asked for a word; None if it has answered."""

    def serve(self) -> None:
        """Serve until the last user has left."""
        came = False
        while self.clients or not came:
            ready = self.wait(self.patience() if came else NOBODY_CAME)
            if not ready and not came:
                self.forget()
                return
            for descriptor in ready:
                self.look(descriptor)
            self.hold_to_lease()
            came = came or bool(self.clients)

    def patience(self) -> int:
        """Return after how many milliseconds the lease must be looked at; -1 if nobody waits for a turn to end."""
        if not (self.holder and self.waiting):
            return -1
        until = self.heard + QUIET_SECONDS if self.asked is None else self.asked + LEASE_SECONDS
        return max(0, math.ceil((until - self.clock()) * 1000))

    def hold_to_lease(self) -> None:
        """Ask the process whose turn it is for a word; end its turn, and its call, if it gives none for too long."""
        if self.patience() or not self.holder:
            return
        if self.asked is None:
            self.asked = self.clock()
            self.holder.send(b"P", b"")
        else:
            self.leave(self.holder)

    def wait(self, milliseconds: int) -> list[int]:
        """Return the descriptors at which something can be done."""
        poll = select.poll()
        poll.register(self.listening, select.POLLIN)
        for number, client in self.clients.items():
            poll.register(number, select.POLLIN | (select.POLLOUT if client.goes else 0))
        if self.server:
            if self.server.complains:
                poll.register(self.server.stderr, select.POLLIN)
            if self.server.goes:
                poll.register(self.server.stdin, select.POLLOUT)
            if self.holder and len(self.holder.goes) < MOST_WAITING:
                poll.register(self.server.stdout, select.POLLIN)
        return [number for number, _ in poll.poll(milliseconds)]

    def look(self, descriptor: int) -> None:
        """Do what can be done at a descriptor."""
        if descriptor == self.listening.fileno():
            self.accept()
        elif descriptor in self.clients:
            self.hear(self.clients[descriptor])
        elif self.server and descriptor == self.server.stderr:
            self.server.listen()
        elif self.server and descriptor == self.server.stdin:
            self.server.flush()
        elif self.server and descriptor == self.server.stdout:
            self.pass_on(self.server)

    def accept(self) -> None:
        """Take a connection of this user."""
        try:
            connection, _ = self.listening.accept()
        except OSError:
            return
        if peer_of(connection) != os.geteuid():
            connection.close()
            return
        self.clients[connection.fileno()] = Client(connection)

    def hear(self, client: Client) -> None:
        """Do what a process asks for; forget one that has ended, and one that speaks out of its turn."""
        client.flush()
        frames = client.receive()
        if frames is None:
            self.leave(client)
            return
        if client is self.holder and frames:
            self.heard, self.asked = self.clock(), None
        for kind, data in frames:
            if kind == b"P":
                continue
            if kind == b"W" and client is not self.holder and client not in self.waiting:
                self.waiting.append(client)
                self.lend()
            elif client is self.holder and kind in b"DRE":
                self.obey(client, kind, data)
            else:
                self.leave(client)
                return

    def obey(self, client: Client, kind: bytes, data: bytes) -> None:
        """Do what the process says whose turn it is."""
        if kind == b"R":
            said = json.loads(data)
            self.changed += bool(said["changed"])
            if self.server:
                self.server.version = self.server.version or said["version"]
            self.take_back()
        elif kind == b"E":
            self.end_server()
        elif self.server is None:
            client.send(b"G", b"")
        else:
            asks = ASKED.match(data)
            if asks:
                self.server.asked = int(asks[1])
                self.server.next = max(self.server.next, self.server.asked + 1)
            self.server.goes += data
            self.server.flush()

    def lend(self) -> None:
        """Give the turn to whoever waits longest; start the server if it does not run."""
        if self.holder or not self.waiting:
            return
        self.holder = self.waiting.pop(0)
        self.heard, self.asked = self.clock(), None
        if self.server and self.server.ended:
            self.end_server()
        if self.server is None:
            self.runs += 1
            self.server = Server(self.argv)
        server = self.server
        turn = {"run": f"{os.getpid()}.{self.runs}", "next": server.next, "version": server.version}
        self.holder.send(b"T", json.dumps({**turn, "changed": self.changed}).encode())

    def take_back(self) -> None:
        """End the turn; a server that nobody could open is ended with it."""
        self.holder = None
        if self.server:
            self.server.asked, self.server.skips = 0, self.server.cut
            if not self.server.version:
                self.end_server()
        self.lend()

    def pass_on(self, server: Server) -> None:
        """Pass on what the server wrote, from the beginning of a line, to the process whose turn it is."""
        if self.holder is None:
            return
        data = server.read()
        if data is None:
            server.listen()
            self.holder.send(b"G", bytes(server.complaint))
            self.end_server()
        elif data:
            self.holder.send(b"D", data)

    def end_server(self) -> None:
        """End the server, if it runs."""
        server, self.server = self.server, None
        if server:
            server.end()

    def leave(self, client: Client) -> None:
        """Forget a process. If it left during its turn, its request is taken back, and its turn is over.

        With the last one, the server ends before the connection does, so that the process can wait for that.
        """
        del self.clients[client.connection.fileno()]
        if client in self.waiting:
            self.waiting.remove(client)
        if not self.clients:
            self.forget()
            self.listening.close()
            self.end_server()
        elif client is self.holder:
            self.changed += 1
            if self.server and self.server.asked:
                params = {"requestId": self.server.asked, "reason": "whoever asked has ended"}
                message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
                self.server.goes += json.dumps(message).encode() + b"\n"
                self.server.flush()
            self.take_back()
        client.connection.close()


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


def pipe() -> tuple[int, int]:
    """Return the ends of a new pipe."""
    reads, writes = os.pipe()
    return moved(reads), moved(writes)


def moved(descriptor: int) -> int:
    """Return a copy of a descriptor with a number that the server does not need."""
    copy = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, SAFE)
    os.close(descriptor)
    return copy


def kill_marked(mark: bytes) -> None:
    """Kill the processes that a server which ended by itself left behind."""
    for entry in os.scandir("/proc") if os.path.isdir("/proc/self") else ():
        try:
            with open(f"/proc/{int(entry.name)}/environ", "rb") as environ:
                carries = mark in environ.read().split(b"\0")
            if carries:
                os.kill(int(entry.name), signal.SIGKILL)
        except (OSError, ValueError):
            continue


def listen(name: str) -> socket.socket:
    """Return a socket in the working folder that only this user can connect to."""
    made = f"{name}.new"
    if os.path.lexists(made):
        os.unlink(made)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listening.bind(made)
    finally:
        os.umask(before)
    listening.listen(128)
    os.rename(made, name)  # it has its name only once it answers; one that was killed may have left another
    listening.settimeout(0)
    return listening


def main(folder: str, name: str, argv: list[str]) -> None:
    """Serve at the socket `name` in a folder; wait for another that is just ending its server there."""
    started_in, place = (os.open(one, os.O_RDONLY | os.O_DIRECTORY) for one in (".", folder))
    os.fchdir(place)  # the whole path may be longer than the name of a socket can be
    lock = os.open(f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    signal.alarm(LOCK_SECONDS)
    fcntl.flock(lock, fcntl.LOCK_EX)
    signal.alarm(0)
    listening = listen(name)
    os.fchdir(started_in)
    keeper = Keeper(listening, argv, lambda: os.unlink(name, dir_fd=place), time.monotonic)
    keeper.serve()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
