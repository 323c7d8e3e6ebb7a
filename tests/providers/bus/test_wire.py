"""What is at the other end of the socket may be no bus at all."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.providers.bus.wire import connected


@pytest.fixture
def no_bus(tmp_path: Path) -> Iterator[str]:
    """Return the address of somebody who says no and hangs up."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        listening.listen()

        def refuse() -> None:
            with listening.accept()[0] as one:
                one.recv(100)
                one.sendall(b"REJECTED\r\n")

        refusing = threading.Thread(target=refuse)
        refusing.start()
        yield f"unix:path={tmp_path / 's'}"
        refusing.join()


async def test_who_does_not_let_us_in_is_no_bus(no_bus: str):
    with pytest.raises(ConnectionError, match="it does not let us in"):
        async with connected(no_bus):
            pass


async def test_an_address_of_another_kind_is_none():
    with pytest.raises(ValueError, match="tcp"):
        async with connected("tcp:host=localhost"):
            pass
