"""A program that keeps running while sayso writes to its standard input and reads its standard output."""

import os
import select
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from typing import IO, Protocol

import anyio
import anyio.lowlevel

_AT_ONCE = 65536
_MOST_COMPLAINT = 2000
_LAST_SECONDS = 5.0


class Process(Protocol):
    """What is used of the process."""

    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    stderr: IO[bytes] | None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process and reap it."""
        ...


class LastingProgram:
    """A program with open pipes. It ends with `end` or `close`, and by itself when sayso ends, even if it is killed."""

    def __init__(self, process: Process, opened: ExitStack, ends: Callable[[], Awaitable[None]]) -> None:
        self._process = process
        self._opened = opened
        self._ends = ends
        self._complaint = bytearray()
        self._streams = [one for one in (process.stdin, process.stdout, process.stderr) if one is not None]
        self._stdin, self._stdout, self._stderr = (one.fileno() for one in self._streams)
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)

    @property
    def ended(self) -> bool:
        """Return whether nobody reads the program's input any more."""
        looks = select.poll()
        looks.register(self._stdin, 0)  # errors are always told
        return not self._streams or bool(looks.poll(0))

    @property
    def complaint(self) -> str:
        """Return the last that the program wrote to its error output, on one line."""
        with suppress(OSError):
            self._drain()
        return " ".join(self._complaint.decode("utf-8", "replace").split())

    async def write(self, data: bytes) -> None:
        """Write all of `data`, while what the program says on its error output is read. Raises `OSError`."""
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._stdin, left) :]
            except BlockingIOError:
                await self._wait(anyio.wait_writable, self._stdin)

    async def read(self) -> bytes:
        """Return the next bytes that the program wrote; empty at the end of its output. Raises `OSError`."""
        while True:
            try:
                data = os.read(self._stdout, _AT_ONCE)
            except BlockingIOError:
                await self._wait(anyio.wait_readable, self._stdout)
            else:
                await anyio.lowlevel.checkpoint()
                return data

    async def end(self) -> None:
        """End the program with all processes that it started, and return once they are gone."""
        await self._ends()
        self._release()

    def close(self) -> None:
        """End the program with all processes that it started, without a running event loop."""
        self._release()
        with suppress(Exception):  # a supervisor that hangs is left to the system
            self._process.wait(_LAST_SECONDS)

    async def _wait(self, ready: Callable[[int], Awaitable[None]], descriptor: int) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._listen)
            await ready(descriptor)
            tasks.cancel_scope.cancel()

    async def _listen(self) -> None:
        """Read the error output, so that the program never has to wait for it."""
        while True:
            try:
                if not self._drain():
                    return
            except OSError:
                return
            await anyio.wait_readable(self._stderr)

    def _drain(self) -> bool:
        """Read what is in the pipe of the error output; return whether more can come."""
        while True:
            try:
                data = os.read(self._stderr, _AT_ONCE)
            except BlockingIOError:
                return True
            if not data:
                return False
            self._complaint += data
            del self._complaint[:-_MOST_COMPLAINT]

    def _release(self) -> None:
        for stream in self._streams:
            with suppress(OSError):
                stream.close()
        self._streams = []
        self._opened.close()
