"""A WebSocket over a plain socket: sends and receives messages with a time limit and without a further thread."""

import http.client
import socket
from contextlib import suppress

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake, InvalidState
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.uri import WebSocketURI

from sayso.providers.browser.remote.connection import ConnectionLost

CHUNK = 1 << 20
ENDED = "the browser has ended"


class WebSocket:
    """One connection. Raises `ConnectionLost` once it is closed, and `TimeoutError` if nothing arrived in time."""

    def __init__(self, host: str, port: int, path: str, seconds: float = 5.0) -> None:
        self._protocol = ClientProtocol(
            WebSocketURI(secure=False, host=host, port=port, path=path, query=""), max_size=None
        )
        self._parts: list[bytes] = []
        try:
            self._socket = socket.create_connection((host, port), timeout=seconds)
        except OSError as error:
            raise ConnectionLost(f"nothing answers at {host}:{port}") from error
        try:
            self._shake_hands()
        except (OSError, InvalidHandshake, ConnectionLost) as error:
            self._socket.close()
            raise ConnectionLost(f"what answers at {host}:{port} is not the DevTools of a browser") from error

    def _shake_hands(self) -> None:
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._protocol.send_request(self._protocol.connect())
        self._flush()
        while self._protocol.state is State.CONNECTING:
            self._read_chunk()
            for event in self._protocol.events_received():
                if isinstance(event, Response) and self._protocol.handshake_exc:
                    raise self._protocol.handshake_exc

    def send(self, *texts: bytes) -> None:
        try:
            for text in texts:
                self._protocol.send_text(text)
            self._flush()
        except InvalidState as error:
            raise ConnectionLost(ENDED) from error
        except TimeoutError as error:
            # After a message was sent only in part, no other message can be sent.
            raise ConnectionLost("the browser takes nothing any more") from error
        except OSError as error:
            raise ConnectionLost(ENDED) from error

    def receive(self, seconds: float) -> list[bytes]:
        """Return the messages that have arrived, at least one."""
        texts: list[bytes] = []
        while not texts:
            self._socket.settimeout(max(seconds, 0.001))
            try:
                self._read_chunk()
            except TimeoutError:
                raise
            except OSError as error:
                raise ConnectionLost(ENDED) from error
            texts = self._texts()
        return texts

    def _read_chunk(self) -> None:
        chunk = self._socket.recv(CHUNK)
        if not chunk:
            raise ConnectionLost(ENDED)
        self._protocol.receive_data(chunk)
        self._flush()

    def _texts(self) -> list[bytes]:
        whole: list[bytes] = []
        for event in self._protocol.events_received():
            if not isinstance(event, Frame):
                continue
            if event.opcode is Opcode.CLOSE:
                raise ConnectionLost(ENDED)
            if event.opcode in {Opcode.TEXT, Opcode.CONT}:
                self._parts.append(bytes(event.data))
                if event.fin:
                    whole.append(b"".join(self._parts))
                    self._parts = []
        return whole

    def _flush(self) -> None:
        chunks = b"".join(self._protocol.data_to_send())
        if chunks:
            self._socket.sendall(chunks)

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def fetch(host: str, port: int, path: str, seconds: float = 5.0) -> bytes:
    """Return the body that the browser's DevTools serve over HTTP at this path. Raises `ConnectionLost`."""
    connection = http.client.HTTPConnection(host, port, timeout=seconds)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise ConnectionLost(f"nothing answers at {host}:{port}") from error
    finally:
        connection.close()
    if answer.status != http.client.OK:
        raise ConnectionLost(f"what answers at {host}:{port} is not the DevTools of a browser")
    return body


def probe(host: str, port: int, seconds: float = 5.0) -> None:
    """Connect, read the first bytes, and disconnect, so that the server notices a client leaving."""
    with suppress(OSError), socket.create_connection((host, port), timeout=seconds) as connection:
        connection.recv(CHUNK)
