"""A socket is connected to once there is room, and somebody who gives up leaves none open."""

from pathlib import Path
from socket import AF_UNIX, socket

import anyio
import pytest

from sayso.providers.bus.reaching import reached


async def test_one_that_takes_nobody_in_is_given_up_and_reached_once_there_is_room(tmp_path: Path):
    with socket(AF_UNIX) as full, socket(AF_UNIX) as first:
        full.bind(str(tmp_path / "full"))
        full.listen(0)
        first.connect(str(tmp_path / "full"))

        with pytest.raises(TimeoutError):
            with anyio.fail_after(0.1):
                await reached(str(tmp_path / "full"))
        full.accept()[0].close()
        async with await reached(str(tmp_path / "full")) as stream:
            taken, _ = full.accept()
            with taken:
                taken.sendall(b"come in")
                said = await stream.receive()

    assert said == b"come in"


async def test_where_nobody_listens_it_says_so(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        await reached(str(tmp_path / "nobody"))
