"""The library is needed only once a browser is spoken to, and what answers is told from what does not."""

import socket
import subprocess
import sys
import threading

import pytest

from sayso.core.errors import SetupError
from sayso.providers.browser.live import wires
from sayso.providers.browser.live.calling import Lost


def nobody() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_nobody_there_is_told():
    for ask in (wires.wire, wires.fetched):
        with pytest.raises(Lost, match="nothing answers"):
            ask("127.0.0.1", nobody(), "/")


def test_the_library_is_not_loaded_before():
    code = "import sys, sayso.providers.browser.live.wires; print('websockets' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_without_the_library_it_is_said_which_command_installs_it(monkeypatch: pytest.MonkeyPatch):
    wires.must_be_there()
    monkeypatch.delitem(sys.modules, wires.WIRE, raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] == "websockets"]:
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(SetupError, match=r"websockets.*; pip install 'sayso\[browser\]'"):
        wires.must_be_there()


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
        wires.touched("127.0.0.1", server.getsockname()[1])
        thread.join(10)
    wires.touched("127.0.0.1", nobody())

    assert heard in ([b""], [])
