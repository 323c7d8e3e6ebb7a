"""An agent's lines are read and written whole, and an agent that does not read holds up nobody else."""

import os
import socket
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryFile

import anyio
import pytest

from sayso.surfaces.mcp.pipes import Incoming, Outgoing, own_streams

LINES = ["", "{}", "ä€😀", "x" * 200_000, "last"]


@contextmanager
def pipe() -> Generator[tuple[int, int]]:
    ends = os.pipe()
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)


@contextmanager
def sockets() -> Generator[tuple[int, int]]:
    one, other = socket.socketpair()
    with one, other:
        yield one.fileno(), other.fileno()


@contextmanager
def file() -> Generator[tuple[int, int]]:
    with TemporaryFile() as kept:
        kept.write("\n".join(LINES).encode())
        kept.seek(0)
        with Path(os.devnull).open("wb") as nowhere:
            yield kept.fileno(), nowhere.fileno()


async def lines_of(incoming: Incoming, count: int) -> Sequence[str]:
    found: list[str] = []
    async for line in incoming:
        found.append(line)
        if len(found) == count:
            break
    return found


@pytest.mark.parametrize("ends", [pipe, sockets])
async def test_lines_of_any_length_come_as_they_were_sent(ends: Callable[[], AbstractContextManager[tuple[int, int]]]):
    with ends() as (there, here), anyio.fail_after(30):
        found: list[str] = []

        async def read() -> None:
            found.extend(await lines_of(Incoming(there, lambda: None), len(LINES)))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            outgoing = Outgoing(here)
            for line in LINES:
                await outgoing.write(line + "\n")

    assert found == LINES


async def test_a_pipe_that_was_set_not_to_wait_gets_all_of_a_long_line():
    found: list[str] = []

    async def read(there: int) -> None:
        found.extend(await lines_of(Incoming(there, lambda: None), 1))

    with pipe() as (there, here), anyio.fail_after(30):
        os.set_blocking(here, False)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read, there)
            await Outgoing(here).write("x" * 1_000_000 + "\n")

    assert [len(line) for line in found] == [1_000_000]


async def test_a_file_is_read_to_its_end_and_the_end_is_told():
    ended: list[bool] = []

    with file() as (there, here):
        found = await lines_of(Incoming(there, lambda: ended.append(True)), 100)
        await Outgoing(here).write("nobody reads this\n")

    assert (found, ended) == (LINES, [True])


async def test_a_line_that_does_not_end_ends_the_connection():
    ended: list[bool] = []

    with file() as (there, _):
        found = await lines_of(Incoming(there, lambda: ended.append(True), 100_000), 100)

    assert (found, ended) == (LINES[:3], [True])


async def test_what_is_no_text_is_replaced():
    with pipe() as (there, here):
        os.write(here, b"\xff\xfe{}\r\n")

        (line,) = await lines_of(Incoming(there, lambda: None), 1)

    assert line == "��{}\r"


async def test_while_an_agent_does_not_read_everything_else_goes_on():
    with pipe() as (there, here), anyio.fail_after(30):
        outgoing, written, held = Outgoing(here), 0, 0

        async def write() -> None:
            nonlocal written
            for _ in range(100):
                await outgoing.write("x" * 4000 + "\n")
                written += 1

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            await anyio.wait_all_tasks_blocked()
            held = written
            await lines_of(Incoming(there, lambda: None), 100)

    assert held < 100
    assert written == 100


def test_nothing_else_reads_or_writes_what_belongs_to_the_agent(capfd: pytest.CaptureFixture[str]):
    with own_streams() as (_, written):
        os.write(written, b"for the agent\n")
        os.write(1, b"printed by something\n")
        nothing = os.read(0, 10)
    os.write(1, b"printed after it\n")

    said = capfd.readouterr()
    assert nothing == b""
    assert said.out == "for the agent\nprinted after it\n"
    assert said.err == "printed by something\n"
