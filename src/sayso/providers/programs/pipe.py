"""Exchange messages with a running program over two pipes, one message per line, with a size limit."""

import math
import os
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Protocol, Self

import anyio
import anyio.lowlevel

_AT_ONCE = 65536


class PipeDialogue(Protocol):
    """sayso's side of a dialogue with a program."""

    most: int
    """The most bytes of one message from the program."""

    async def begin(self) -> bytes:
        """Return the first message to the program."""
        ...

    async def answer(self, message: bytes | None) -> bytes | None:
        """Return the reply to a message: empty to send nothing, None to end the dialogue.

        `message` is None if the program closed the pipe, or if its message was too long.
        """
        ...


class MessagePipe:
    """Two pipes to one program; this process closes the program's ends once the program has them."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._came = bytearray()

    def __enter__(self) -> Self:
        their_reading, self._writing = os.pipe()
        self._reading, their_writing = os.pipe()
        self.theirs = (their_reading, their_writing)
        """The program's ends: it reads from the first and writes to the second."""
        for descriptor in (self._writing, self._reading):
            os.set_blocking(descriptor, False)
            self._open.callback(os.close, descriptor)
        self._given = ExitStack()
        for descriptor in self.theirs:
            self._given.callback(os.close, descriptor)
        self._open.enter_context(self._given)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def dialogue(self, talk: PipeDialogue, limit: anyio.CancelScope) -> Callable[[], Awaitable[None]]:
        """Return the function that runs the dialogue; the time that `talk` takes to answer is not part of `limit`."""

        async def speak() -> None:
            self._given.pop_all().close()
            if not await self._tell(await talk.begin()):
                return
            while True:
                message = await self._receive_line(talk.most)
                left = limit.deadline - anyio.current_time()
                limit.deadline = math.inf
                try:
                    reply = await talk.answer(message)
                finally:
                    limit.deadline = anyio.current_time() + left
                if reply is None or message is None or not await self._tell(reply):
                    return

        return speak

    async def _receive_line(self, most: int) -> bytes | None:
        looked = 0
        while (end := self._came.find(b"\n", looked)) < 0:
            looked = len(self._came)
            if looked > most:
                return None
            try:
                chunk = os.read(self._reading, _AT_ONCE)
            except BlockingIOError:
                await anyio.wait_readable(self._reading)
                continue
            if not chunk:
                return None
            self._came += chunk
        message = bytes(self._came[:end])
        del self._came[: end + 1]
        await anyio.lowlevel.checkpoint()
        return message if len(message) <= most else None

    async def _tell(self, data: bytes) -> bool:
        """Send a message; return False if the program has closed the pipe."""
        while data:
            try:
                data = data[os.write(self._writing, data) :]
            except BlockingIOError:
                await anyio.wait_writable(self._writing)
            except BrokenPipeError:
                return False
        return True
