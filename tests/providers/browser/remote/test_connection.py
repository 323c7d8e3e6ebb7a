"""The connection to a browser, down to its frames."""

import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any, cast

import pytest
from websockets.sync.server import ServerConnection, serve

from sayso.core.errors import SetupError
from sayso.core.provider import add_extra
from sayso.providers.browser.cdp import protocol
from sayso.providers.browser.remote import connection as wires
from sayso.providers.browser.remote.connection import CallError, ConnectionLost, ProtocolClient, ProtocolEvent
from sayso.providers.browser.remote.websocket import WebSocket, fetch
from sayso.testing.fakes import FakeClock
from tests.desktop_env.browser import serving
from tests.patience import patience


class Script:
    """Answers from a list; what it was told stands in `told`."""

    def __init__(self, *comes: Any) -> None:
        self.comes = list(comes)
        self.told: list[dict[str, Any]] = []
        self.closed = False

    def send(self, *texts: bytes) -> None:
        self.told += [json.loads(text) for text in texts]

    def receive(self, seconds: float) -> list[bytes]:
        if not self.comes:
            raise TimeoutError
        comes: Any = self.comes.pop(0)
        if isinstance(comes, Exception):
            raise comes
        return [json.dumps(each).encode() for each in several(comes)]

    def close(self) -> None:
        self.closed = True


def several(comes: Any) -> list[Any]:
    return cast("list[Any]", comes) if isinstance(comes, list) else [comes]


def window(number: int, id_: int) -> dict[str, Any]:
    return {"id": id_, "result": {"windowId": number, "more": [1]}}


def a_connection(*comes: Any) -> tuple[Script, ProtocolClient]:
    script = Script(*comes)
    return script, ProtocolClient(script, FakeClock())


def test_answers_are_given_in_the_order_of_the_calls():
    script, client = a_connection(window(7, 2), [window(5, 1), {"id": 3, "error": {"code": -1, "message": "gone"}}])

    answers = client.call_all(
        protocol.TargetWindow, "Browser.getWindowForTarget", [{"targetId": each} for each in "abc"]
    )

    assert answers[:2] == [protocol.TargetWindow(5), protocol.TargetWindow(7)]
    assert isinstance(answers[2], CallError)
    assert [each["params"] for each in script.told] == [{"targetId": "a"}, {"targetId": "b"}, {"targetId": "c"}]


def test_a_call_names_its_session_and_leaves_out_what_is_not_said_and_its_error_is_raised():
    script, client = a_connection({"id": 1, "result": {}}, {"id": 2, "error": {"code": -1, "message": "No target"}})

    client.run("Page.enable", "s1", path=None)
    with pytest.raises(CallError, match="No target") as raised:
        client.run("Target.closeTarget", targetId="x")

    assert script.told[0] == {"id": 1, "method": "Page.enable", "params": {}, "sessionId": "s1"}
    assert raised.value.method == "Target.closeTarget"


def test_a_lost_connection_is_told():
    script, client = a_connection(ConnectionLost("the browser has ended"))

    with pytest.raises(ConnectionLost):
        client.run("Page.enable")
    client.close()

    assert script.closed


def test_an_answer_that_comes_too_late_is_nobody_elses():
    _, client = a_connection(TimeoutError(), [window(1, 1), window(2, 2)])
    with pytest.raises(TimeoutError):
        client.call(protocol.TargetWindow, "Browser.getWindowForTarget")

    assert client.call(protocol.TargetWindow, "Browser.getWindowForTarget") == protocol.TargetWindow(2)


def test_events_are_heard_while_something_else_is_waited_for():
    event = {"method": "Target.targetDestroyed", "params": {"targetId": "x"}, "sessionId": "s"}
    _, client = a_connection([event, window(1, 1)], window(1, 2))
    heard: list[ProtocolEvent] = []
    stop = client.listen(heard.append)

    client.call(protocol.TargetWindow, "Browser.getWindowForTarget")
    stop()
    client.call(protocol.TargetWindow, "Browser.getWindowForTarget")

    assert [(each.method, each.session, each.read(protocol.Gone)) for each in heard] == [
        ("Target.targetDestroyed", "s", protocol.Gone("x"))
    ]


def test_what_is_said_to_an_event_needs_no_answer():
    _, client = a_connection({"method": "A"}, [{"id": 2, "result": {}}, window(1, 1)])
    client.listen(lambda event: client.post("B"))

    assert client.call(protocol.TargetWindow, "Browser.getWindowForTarget") == protocol.TargetWindow(1)


def test_waiting_ends_when_it_is_so_or_the_time_is_over():
    _, client = a_connection({"method": "A"}, {"method": "B"})
    heard: list[str] = []
    client.listen(lambda event: heard.append(event.method))

    assert client.wait(lambda: "A" in heard, 1)
    assert not client.wait(lambda: "C" in heard, 1)
    assert not client.wait(lambda: "C" in heard, 0)
    assert heard == ["A", "B"]


def nobody() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_nobody_there_is_told():
    for ask in (wires.open_transport, wires.fetch, WebSocket, fetch):
        with pytest.raises(ConnectionLost, match="nothing answers"):
            ask("127.0.0.1", nobody(), "/")


def test_the_library_is_not_loaded_before():
    code = "import sys, sayso.providers.browser.remote.connection; print('websockets' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_without_the_library_it_is_said_which_command_installs_it(monkeypatch: pytest.MonkeyPatch):
    wires.must_be_installed()
    monkeypatch.delitem(sys.modules, wires.WEBSOCKET, raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] == "websockets"]:
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(SetupError, match=f"websockets.*; {re.escape(add_extra('browser'))}"):
        wires.must_be_installed()


def test_somebody_is_touched_and_left_again():
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"hello")
                heard.append(connection.recv(1))

        thread = threading.Thread(target=serve)
        thread.start()
        wires.probe("127.0.0.1", server.getsockname()[1])
        thread.join(patience())
    wires.probe("127.0.0.1", nobody())

    assert heard in ([b""], [])


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
    wire = WebSocket("127.0.0.1", port, "/")
    long = "ü" * 3_000_000

    wire.send(long.encode())
    (came,) = wire.receive(patience())
    wire.close()

    assert came.decode() == long


def test_what_does_not_come_in_time_may_come_later_and_an_end_is_told(port: int):
    wire = WebSocket("127.0.0.1", port, "/")

    wire.send(b"silence")
    with pytest.raises(TimeoutError):
        wire.receive(0.05)
    wire.send(b"here")
    came = wire.receive(patience())
    wire.send(b"end")

    assert came == [b"here"]
    with pytest.raises(ConnectionLost, match="ended"):
        wire.receive(patience())
    with pytest.raises(ConnectionLost, match="ended"):
        wire.send(b"more")
    wire.close()


def test_somebody_else_there_is_told():
    with serving() as site:
        site.pages["/missing"] = (404, {}, b"")

        with pytest.raises(ConnectionLost, match="not the DevTools of a browser"):
            WebSocket("127.0.0.1", site.port, "/")
        with pytest.raises(ConnectionLost, match="not the DevTools of a browser"):
            fetch("127.0.0.1", site.port, "/missing")
