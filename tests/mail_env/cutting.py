"""What stands between a mail program and its server: it counts the commands, and cuts the connection when told."""

import re
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Literal

When = Literal["before", "half", "after"]
_COMMAND = re.compile(rb"^([A-Za-z]+\d+) (?:UID )?(\w+)")


class Between:
    """Passes on what is said; `heard` holds each command's name, in order."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.heard: list[str] = []
        self.logins = 0
        self._cut: tuple[str, When, int] = ("", "before", 0)
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []

    def cut(self, command: str, when: When, time: int = 1) -> None:
        """Cut once: before the command is passed on, when half of it was, or before its answer comes back."""
        self._cut = (command, when, time)

    def count(self, *commands: str) -> int:
        """Return how often these commands were passed on."""
        return sum(self.heard.count(one) for one in commands)

    def serve(self) -> None:
        """Take connections until it is closed."""
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._target), 10)
                server.settimeout(None)
                for one in (client, server):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.logins += 1
                withheld = threading.Event()
                self._open += [client, server]
                for work in (self._asks, self._answers):
                    thread = threading.Thread(target=work, args=(client, server, withheld))
                    thread.start()
                    self._threads.append(thread)

    def close(self) -> None:
        """End all connections."""
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for one in self._open:
            hung_up(one)
        for thread in self._threads:
            thread.join(5)

    def _asks(self, client: socket.socket, server: socket.socket, withheld: threading.Event) -> None:
        with suppress(OSError), client.makefile("rb") as lines:
            for line in lines:
                found = _COMMAND.match(line)
                when = self._due(found[2].decode().upper()) if found else None
                if when == "before":
                    break
                if when == "after":
                    withheld.set()
                if found:
                    self.heard.append(found[2].decode().upper())
                server.sendall(line[: len(line) // 2] if when == "half" else line)
                if when == "half":
                    break
        hung_up(client)
        hung_up(server)

    def _answers(self, client: socket.socket, server: socket.socket, withheld: threading.Event) -> None:
        with suppress(OSError), server.makefile("rb") as lines:
            for line in lines:
                if withheld.is_set() and not line.startswith(b"+"):
                    if re.match(rb"[A-Za-z]+\d+ (OK|NO|BAD)", line):
                        break
                else:
                    client.sendall(line)
        hung_up(client)
        hung_up(server)

    def _due(self, command: str) -> When | None:
        name, when, time = self._cut
        if command != name:
            return None
        self._cut = (name, when, time - 1) if time > 1 else ("", when, 0)
        return when if time == 1 else None


def hung_up(one: socket.socket) -> None:
    """End a connection, whatever state it is in."""
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()


@contextmanager
def between(target: int) -> Generator[Between]:
    """Give what stands before a server on this machine; it ends with the block."""
    made = Between(target)
    thread = threading.Thread(target=made.serve)
    thread.start()
    try:
        yield made
    finally:
        made.close()
        thread.join(5)
