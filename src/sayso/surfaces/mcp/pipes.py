"""The standard streams of one agent, which are read and written without a thread where they are pipes or sockets.

The library of the protocol gives each line that it reads or writes to a thread, which takes about as long as all else
that it does for a call.
"""

import os
import select
import stat
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager

import anyio
from anyio.to_thread import run_sync

_AT_ONCE = 65536
LONGEST = 64 * 2**20
"""The most bytes that one line of an agent may have; a longer one ends the connection."""


@contextmanager
def own_streams() -> Generator[tuple[int, int]]:
    """Give private descriptors of standard input and output; until the end, nothing else can read or write them.

    Meanwhile whatever reads standard input finds it empty, and what is printed goes to standard error.
    """
    private = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(empty, 0)
        os.dup2(2, 1)
        yield private
    finally:
        for standard, own in enumerate(private):
            os.dup2(own, standard)  # a thread may still read from the private one, which stays open for it
        os.close(empty)


class Incoming:
    """The lines that an agent sends; `ended` is called when no more will come."""

    def __init__(self, descriptor: int, ended: Callable[[], None], longest: int = LONGEST) -> None:
        self._descriptor = descriptor
        self._ended = ended
        self._longest = longest
        self._waits = _can_be_waited_for(descriptor)

    async def __aiter__(self) -> AsyncIterator[str]:
        """Iterate over the lines; bytes that are no UTF-8 are replaced."""
        parts: list[bytes] = []
        size = 0
        while size <= self._longest and (some := await self._some()):
            *lines, rest = some.split(b"\n")
            for line in lines:
                yield b"".join((*parts, line)).decode("utf-8", "replace")
                parts.clear()
            parts.append(rest)
            size = len(rest) if lines else size + len(rest)
        self._ended()
        if size <= self._longest and (last := b"".join(parts)):
            yield last.decode("utf-8", "replace")

    async def _some(self) -> bytes:
        if not self._waits:
            return await run_sync(os.read, self._descriptor, _AT_ONCE, abandon_on_cancel=True)
        await anyio.wait_readable(self._descriptor)
        return os.read(self._descriptor, _AT_ONCE)


class Outgoing:
    """The lines that an agent is sent."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._room = select.poll() if _can_be_waited_for(descriptor) else None
        if self._room is not None:
            self._room.register(descriptor, select.POLLOUT)

    async def write(self, text: str) -> None:
        """Write a text at once if there is room for it, so that an agent that does not read delays nobody else."""
        data = text.encode()
        # What has any room has room for this many bytes, and a short text is written as a whole or not at all.
        if self._room is not None and len(data) <= select.PIPE_BUF and self._room.poll(0):
            os.write(self._descriptor, data)
        else:
            await run_sync(self._write_all, data)

    async def flush(self) -> None:
        """Do nothing: nothing is held back."""

    def _write_all(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except BlockingIOError:  # the agent's program set its end, which is this one too, not to wait
                select.select((), (self._descriptor,), ())


def _can_be_waited_for(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
