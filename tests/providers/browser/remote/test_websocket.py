"""A connection that is none, or ends, is told as lost; texts of any length come whole."""

import socket
import threading
from collections.abc import Iterator

import pytest
from websockets.sync.server import ServerConnection, serve

from sayso.providers.browser.remote.connection import Lost
from sayso.providers.browser.remote.websocket import Wire, fetch
from tests.desktop_env.browser import serving
from tests.patience import patience


def echo(connection: ServerConnection) -> None:
    for text in connection:
        if text == "end":
            return
        if text != "silence":
            connection.send([str(text)[:10], str(text)[10:]])


@pytest.fixture
def port() -> Iterator[int]:
    with serve(echo, "127.0.0.1", 0, max_size=None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.socket.getsockname()[1]
        server.shutdown()
        thread.join()


def test_texts_come_whole_however_they_are_cut(port: int):
    wire = Wire("127.0.0.1", port, "/")
    long = "ü" * 3_000_000

    wire.send(long.encode())
    (came,) = wire.receive(patience())
    wire.close()

    assert came.decode() == long


def test_what_does_not_come_in_time_may_come_later(port: int):
    wire = Wire("127.0.0.1", port, "/")

    wire.send(b"silence")
    with pytest.raises(TimeoutError):
        wire.receive(0.05)
    wire.send(b"here")

    assert wire.receive(patience()) == [b"here"]
    wire.close()


def test_an_end_is_told(port: int):
    wire = Wire("127.0.0.1", port, "/")

    wire.send(b"end")

    with pytest.raises(Lost, match="ended"):
        wire.receive(patience())
    with pytest.raises(Lost, match="ended"):
        wire.send(b"more")
    wire.close()


def test_nobody_there_is_told():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    with pytest.raises(Lost, match="nothing answers"):
        Wire("127.0.0.1", port, "/")
    with pytest.raises(Lost, match="nothing answers"):
        fetch("127.0.0.1", port, "/json/version")


def test_somebody_else_there_is_told():
    with serving() as site:
        site.pages["/missing"] = (404, {}, b"")

        with pytest.raises(Lost, match="no browser's DevTools"):
            Wire("127.0.0.1", site.port, "/")
        with pytest.raises(Lost, match="no browser's DevTools"):
            fetch("127.0.0.1", site.port, "/missing")
