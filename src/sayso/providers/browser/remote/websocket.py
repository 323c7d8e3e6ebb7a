"""A WebSocket over a plain socket: texts go out and come in, each within a time, with nothing running beside."""

import http.client
import socket
from contextlib import suppress

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake, InvalidState
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.uri import WebSocketURI

from sayso.providers.browser.remote.connection import Lost

PIECE = 1 << 20


class Wire:
    """One connection. Raises `Lost` when there is none any more, `TimeoutError` when nothing came in time."""

    def __init__(self, host: str, port: int, path: str, seconds: float = 5.0) -> None:
        self._speaks = ClientProtocol(
            WebSocketURI(secure=False, host=host, port=port, path=path, query=""), max_size=None
        )
        self._parts: list[bytes] = []
        try:
            self._socket = socket.create_connection((host, port), timeout=seconds)
        except OSError as no:
            raise Lost(f"nothing answers at {host}:{port}") from no
        try:
            self._greet()
        except (OSError, InvalidHandshake, Lost) as no:
            self._socket.close()
            raise Lost(f"what answers at {host}:{port} is no browser's DevTools") from no

    def _greet(self) -> None:
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._speaks.send_request(self._speaks.connect())
        self._flush()
        while self._speaks.state is State.CONNECTING:
            self._take()
            for event in self._speaks.events_received():
                if isinstance(event, Response) and self._speaks.handshake_exc:
                    raise self._speaks.handshake_exc

    def send(self, *texts: bytes) -> None:
        """Send texts."""
        try:
            for text in texts:
                self._speaks.send_text(text)
            self._flush()
        except InvalidState as no:
            raise Lost("the browser has ended") from no
        except TimeoutError as no:
            # What was sent in part cannot be gone on with.
            raise Lost("the browser takes nothing any more") from no
        except OSError as no:
            raise Lost("the browser has ended") from no

    def receive(self, seconds: float) -> list[bytes]:
        """Return what has come, at least one text."""
        texts: list[bytes] = []
        while not texts:
            self._socket.settimeout(max(seconds, 0.001))
            try:
                self._take()
            except TimeoutError:
                raise
            except OSError as no:
                raise Lost("the browser has ended") from no
            texts = self._texts()
        return texts

    def _take(self) -> None:
        piece = self._socket.recv(PIECE)
        if not piece:
            raise Lost("the browser has ended")
        self._speaks.receive_data(piece)
        self._flush()

    def _texts(self) -> list[bytes]:
        whole: list[bytes] = []
        for event in self._speaks.events_received():
            if not isinstance(event, Frame):
                continue
            if event.opcode is Opcode.CLOSE:
                raise Lost("the browser has ended")
            if event.opcode in {Opcode.TEXT, Opcode.CONT}:
                self._parts.append(bytes(event.data))
                if event.fin:
                    whole.append(b"".join(self._parts))
                    self._parts = []
        return whole

    def _flush(self) -> None:
        pieces = b"".join(self._speaks.data_to_send())
        if pieces:
            self._socket.sendall(pieces)

    def close(self) -> None:
        """Let go of it; the browser goes on."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def fetch(host: str, port: int, path: str, seconds: float = 5.0) -> bytes:
    """Return what the browser's own list of its targets says. Raises `Lost`."""
    asked = http.client.HTTPConnection(host, port, timeout=seconds)
    try:
        asked.request("GET", path)
        answer = asked.getresponse()
        said = answer.read()
    except (OSError, http.client.HTTPException) as no:
        raise Lost(f"nothing answers at {host}:{port}") from no
    finally:
        asked.close()
    if answer.status != http.client.OK:
        raise Lost(f"what answers at {host}:{port} is no browser's DevTools")
    return said


def probe(host: str, port: int, seconds: float = 5.0) -> None:
    """Connect, hear what is said first, and go; whoever listens sees somebody leave."""
    with suppress(OSError), socket.create_connection((host, port), timeout=seconds) as touching:
        touching.recv(PIECE)
