"""A real CalDAV server, and a wire to it that is cut where a test wants it."""

import base64
import http.client
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Literal

import pytest

from tests.desktop_env.ports import free_port
from tests.desktop_env.session import Session, wait_for

USER, PASSWORD = "ana", "s3cret-of-ana"
Cut = Literal["never", "before", "heard", "answered"]


async def password() -> str:
    """Return the password of `USER`."""
    return PASSWORD


class Radicale:
    """A server of its own for a test module, and its calendars as files."""

    def __init__(self, session: Session) -> None:
        self.port = free_port()
        self.folder = session.home / "collections"
        (session.home / "users").write_text(f"{USER}:{PASSWORD}\n")
        config = session.home / "radicale.conf"
        config.write_text(
            f"[server]\nhosts = 127.0.0.1:{self.port}\n[auth]\ntype = htpasswd\n"
            f"htpasswd_filename = {session.home}/users\nhtpasswd_encryption = plain\ndelay = 0\n"
            f"[storage]\nfilesystem_folder = {self.folder}\n"
        )
        session.start(sys.executable, "-m", "radicale", "--config", config)
        wait_for(lambda: answers(self.port), "the calendar server")
        self.url = f"http://127.0.0.1:{self.port}/"

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> tuple[int, str]:
        """Ask it as any other program would; return status and body."""
        given = {"Authorization": "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode(), **headers}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(method, path, body.encode(), given)
        answer = connection.getresponse()
        found = answer.status, answer.read().decode()
        connection.close()
        return found

    def calendar(self, name: str, said: str, *kinds: str) -> str:
        """Make a calendar and return its path."""
        sets = "".join(f'<C:comp name="{kind}"/>' for kind in kinds or ("VEVENT", "VTODO"))
        said = said.replace("&", "&amp;").replace("<", "&lt;")
        body = (
            '<?xml version="1.0"?><C:mkcalendar xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop>'
            f"<displayname>{said}</displayname><C:supported-calendar-component-set>{sets}"
            "</C:supported-calendar-component-set></prop></set></C:mkcalendar>"
        )
        status, _ = self.ask("MKCALENDAR", f"/{USER}/{name}/", body)
        assert status == 201
        return f"/{USER}/{name}/"

    def clear(self) -> None:
        """Remove every calendar."""
        root = self.folder / "collection-root" / USER
        for folder in root.iterdir() if root.is_dir() else ():
            if not folder.name.startswith("."):
                self.ask("DELETE", f"/{USER}/{folder.name}/")

    def files(self) -> dict[str, str]:
        """Return what the server keeps on its disk."""
        root = self.folder / "collection-root" / USER
        return {str(path.relative_to(root)): path.read_text() for path in sorted(root.glob("*/*.ics"))}


class Wire:
    """Passes bytes between a client and a server; a request with `method` is cut where `cut` says."""

    def __init__(self, port: int) -> None:
        self._there = port
        self.method, self.cut = b"", "never"
        self.passed = 0
        """How many requests with this method reached the server."""
        self._held = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/"
        threading.Thread(target=self._serve, daemon=True).start()

    def at(self, method: str, cut: Cut) -> None:
        """Cut the next requests with this method."""
        self.method, self.cut, self.passed = method.encode(), cut, 0

    def hold(self, method: str) -> None:
        """Let the next requests with this method wait until the wire is closed."""
        self.method, self.cut = method.encode(), "held"

    def close(self) -> None:
        """Listen no longer."""
        self._held.set()
        self._listening.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._one, args=(client,), daemon=True).start()

    def _one(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            asked = whole_message(client)
            cut = self.cut  # what a test says later is for later requests
            ours = cut != "never" and asked.startswith(self.method + b" ")
            if ours and cut == "held":
                self._held.wait(30)
            if ours and cut in {"before", "held"}:
                return
            with socket.create_connection(("127.0.0.1", self._there), 10) as server:
                server.sendall(asked.replace(b"Connection: keep-alive", b"Connection: close", 1))
                self.passed += ours
                answer = whole_message(server)
            if ours and cut == "heard":
                return
            client.sendall(answer[: len(answer) // 3] if ours else answer)


def whole_message(connection: socket.socket) -> bytes:
    """Return one request or answer of HTTP/1.1, head and body."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return data
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    fields = dict(line.split(b":", 1) for line in head.lower().split(b"\r\n")[1:] if b":" in line)
    length = int(fields.get(b"content-length", b"0"))
    while len(body) < length:
        piece = connection.recv(65536)
        if not piece:
            break
        body += piece
    return head + b"\r\n\r\n" + body


def answers(port: int) -> bool:
    """Say whether a server listens on a port."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@pytest.fixture(scope="module")
def radicale() -> Iterator[Radicale]:
    """Return a server for a module."""
    session = Session()
    try:
        yield Radicale(session)
    finally:
        session.close()


@pytest.fixture
def wire(radicale: Radicale) -> Iterator[Wire]:
    """Return a wire to it."""
    made = Wire(radicale.port)
    yield made
    made.close()
