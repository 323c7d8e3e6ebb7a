"""The line between a browser and a server, as a SOCKS proxy: it can be made slow, and cut."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import anyio


class Line:
    """Passes on bytes; `delay` seconds later, if that is set, and none at all while it is cut."""

    def __init__(self) -> None:
        self.port = 0
        self.delay = 0.0
        self._cut = False
        self._open: set[asyncio.Task[None]] = set()

    def cut(self) -> None:
        """End all connections, and refuse new ones."""
        self._cut = True
        for task in self._open:
            task.cancel()

    async def end(self) -> None:
        """End all connections, and return when none is left."""
        self.cut()
        if self._open:
            await asyncio.wait(self._open)

    def mend(self) -> None:
        """Let new connections through again."""
        self._cut = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Connect whoever calls with the address that they name."""
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._connect(reader, writer)
        await self._end(writer)
        self._open.discard(task)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly((await reader.readexactly(2))[1])
        writer.write(b"\x05\x00")
        *_, kind = await reader.readexactly(4)
        length = 4 if kind == 1 else (await reader.readexactly(1))[0]
        host = await reader.readexactly(length)
        port = int.from_bytes(await reader.readexactly(2))
        if self._cut:
            return
        name = ".".join(map(str, host)) if kind == 1 else host.decode()
        there, to = await asyncio.open_connection(name, port)
        writer.write(b"\x05\x00\x00\x01" + bytes(6))
        try:
            async with anyio.create_task_group() as both:
                both.start_soon(self._pass, reader, to, both.cancel_scope)
                both.start_soon(self._pass, there, writer, both.cancel_scope)
        finally:
            await self._end(to)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, both: anyio.CancelScope) -> None:
        with suppress(OSError):
            while some := await reader.read(4096 if self.delay else 65536):
                if self.delay:
                    await anyio.sleep(self.delay)
                writer.write(some)
                await writer.drain()
        both.cancel()

    async def _end(self, writer: asyncio.StreamWriter) -> None:
        """Close a connection once all was sent, or at once where the line is cut."""
        with suppress(OSError, asyncio.CancelledError):
            if not self._cut:
                writer.close()
                await writer.wait_closed()
        writer.transport.abort()


@asynccontextmanager
async def line() -> AsyncGenerator[Line]:
    """Have a line while the block runs."""
    made = Line()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        await made.end()
        await server.wait_closed()
