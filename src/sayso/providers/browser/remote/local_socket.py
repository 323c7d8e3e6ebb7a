"""The connection to a browser over the private socket of the broker that started it (`cdp/broker.py`)."""

import os
import socket
import struct
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from sayso.providers.browser.remote.connection import ConnectionLost
from sayso.providers.browser.remote.settings import SOCKET_FILE

END = b"\0"
CHUNK = 1 << 20
ENDED = "the browser has ended"
ROOM = 100
"""The longest path that every system accepts as the name of a socket."""


class Greeting(Struct, frozen=True):
    """The first message from the broker: an identifier of this run of the browser, and its process."""

    browser: str
    process: int


class LocalSocket:
    """One connection. Raises `ConnectionLost` once it is closed, and `TimeoutError` if nothing arrived in time."""

    def __init__(self, folder: Path, seconds: float = 10.0) -> None:
        self._came = bytearray()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.settimeout(seconds)
            reach_socket(self._socket, folder)
            _must_be_mine(self._socket)
            first, *_ = self.receive(seconds)
            self.greeting = msgspec.json.decode(first, type=Greeting)
        except (OSError, msgspec.MsgspecError, ConnectionLost) as error:
            self._socket.close()
            raise ConnectionLost(f"nothing answers at {folder / SOCKET_FILE}") from error

    def send(self, *texts: bytes) -> None:
        """Send messages."""
        try:
            self._socket.sendall(b"".join(text + END for text in texts))
        except OSError as error:
            # After a message was sent only in part, no other message can be sent.
            raise ConnectionLost(ENDED) from error

    def receive(self, seconds: float) -> list[bytes]:
        """Return the messages that have arrived, at least one."""
        while True:
            self._socket.settimeout(max(seconds, 0.001))
            try:
                chunk = self._socket.recv(CHUNK)
            except TimeoutError:
                raise
            except OSError as error:
                raise ConnectionLost(ENDED) from error
            if not chunk:
                raise ConnectionLost(ENDED)
            self._came += chunk
            if END in chunk:
                *whole, rest = bytes(self._came).split(END)
                self._came = bytearray(rest)
                return whole

    def close(self) -> None:
        """Close the connection; the browser keeps running."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def reach_socket(line: socket.socket, folder: Path) -> None:
    """Connect to the socket in a folder. Raises `OSError`."""
    path = str(folder / SOCKET_FILE)
    if len(os.fsencode(path)) <= ROOM or not Path("/proc/self/fd").is_dir():
        line.connect(path)
        return
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        line.connect(f"/proc/self/fd/{opened}/{SOCKET_FILE}")
    finally:
        os.close(opened)


def _must_be_mine(line: socket.socket) -> None:
    """Raise `ConnectionLost` if the program at the other end runs as another user."""
    if hasattr(socket, "SO_PEERCRED"):
        credentials = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        if struct.unpack("3i", credentials)[1] != os.geteuid():
            raise ConnectionLost("another user's program listens there")
