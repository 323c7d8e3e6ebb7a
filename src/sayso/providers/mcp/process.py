"""A link to an MCP server that is a program: one process for all of sayso's that use a home, by turns."""

import fcntl
import os
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import msgspec

from sayso.core.errors import ProviderError
from sayso.core.ports import BackendContext
from sayso.core.quotes import quoted
from sayso.providers.mcp import keeper
from sayso.providers.mcp.servers import WrappedServer
from sayso.providers.mcp.session import MOST_BYTES, NONE, LinkBroken, Turn, cancels
from sayso.providers.programs.own_python import script_command
from sayso.providers.programs.run import ProgramCall, ProgramRunner, launch, supervisor_command

_HEAD = keeper.HEAD
_ROOM = 100
"""The longest path that every system accepts as the name of a socket."""
_PAUSE = 0.01
_TRIES = 5
_KEEPER_SECONDS = 30.0
"""How long the helper program may take to answer: one before it may still be ending its server."""
_LAST_SECONDS = 10.0
_PIPES = (3, 4)
"""The descriptors that the helper program gives to the server's supervisor."""


def start_server(server: WrappedServer, context: BackendContext, secrets: Mapping[str, str]) -> "SharedLink":
    """Return the link to the program of a server, which starts with the first turn. Raises `SetupError`.

    The program gets what a desktop program needs of the environment, the variables that the settings name, and secrets
    from the keyring; it has no terminal, and none of sayso's own variables. It is the same process for all processes
    of this home, as long as the settings start the same.
    """
    program, *words = server.command
    runner = ProgramRunner(context.environ, context.ids)
    path = runner.must_find(program)
    home = context.home
    folder = home + server.folder[1:] if server.folder.startswith("~") else server.folder or home
    also = {name: context.environ[name] for name in server.environment if name in context.environ}
    call = ProgramCall(program, tuple(words), folder=folder, kept=True, also={**also, **secrets})
    own, name = Path(context.own, "run"), server.identity[:32]
    supervised = (*supervisor_command(call, _PIPES), path, *call.arguments())
    python, *rest = script_command(keeper.__file__, str(own), name, *supervised)
    helper = ProgramCall(python, tuple(rest), folder=folder, also=call.also)
    return SharedLink(own, name, lambda: launch(runner, helper))


class SharedLink:
    """Messages to and from a program that a helper keeps (`keeper.py`); between two turns, nothing is read."""

    repeats = False

    def __init__(self, folder: Path, name: str, start: Callable[[], Awaitable[object]]) -> None:
        self._folder = folder
        self._name = name
        self._start = start
        self._line: socket.socket | None = None
        self._frames = bytearray()
        self._came = bytearray()
        self._looked = 0
        self._version = ""
        self._held = False

    async def take(self) -> Turn:
        """Wait for the turn of this process. Raises `ProviderError`."""
        for _ in range(_TRIES):
            if self._line is None:
                self._line = await self._connect()
            try:
                turn = msgspec.json.decode(await self._granted(), type=Turn)
            except LinkBroken:
                continue  # the helper has just ended; nothing was asked
            self._came.clear()
            self._looked, self._held = 0, True
            self._version = turn.version
            return turn
        raise ProviderError("the helper program that keeps MCP servers has ended", "mcp.keeper")

    async def _granted(self) -> bytes:
        """Ask for the turn, and return what is said with it. Whoever stops waiting leaves the queue."""
        granted = False
        try:
            await self._write(b"W", b"")
            while True:
                kind, data = await self._frame()  # what the server wrote after the last turn is passed over
                if kind == b"T":
                    granted = True
                    return data
        finally:
            if not granted:
                self._cut()

    def release(self, *, changed: bool) -> None:
        """End the turn; `changed` says whether the server said that its tools have changed."""
        if self._line is None or not self._held:
            return
        self._held = False
        said = msgspec.json.encode({"changed": changed or bool(self._came), "version": self._version})
        try:
            frame = _HEAD.pack(b"R", len(said)) + said
            if self._line.send(frame) != len(frame):
                self._cut()
        except OSError:
            self._cut()

    async def send(self, message: bytes, headers: Mapping[str, str] = NONE) -> None:
        """Write one message as a line."""
        await self._write(b"D", message + b"\n")

    async def receive(self) -> bytes:
        """Return the next line that is not empty."""
        while True:
            end = self._came.find(b"\n", self._looked)
            if end >= 0:
                line = bytes(self._came[:end]).strip()
                del self._came[: end + 1]
                self._looked = 0
                if line:
                    return line
                continue
            self._looked = len(self._came)
            if self._looked > MOST_BYTES:
                raise LinkBroken(f"it sent a message of more than {MOST_BYTES:,} bytes")
            kind, data = await self._frame()
            if kind == b"G":
                said = " ".join(data.decode("utf-8", "replace").split())
                raise LinkBroken(f"its program ended, and said last: {said[-300:]}" if said else "its program ended")
            self._came += data

    def agreed(self, version: str) -> None:
        """Remember the version for whoever has the next turn: the handshake is done once."""
        self._version = version

    async def cancel(self, number: int) -> None:
        """Tell the server that nobody waits for the answer to a request any more."""
        await self.send(cancels(number))

    async def end(self) -> None:
        """End the program with all processes that it started, and return once they are gone."""
        line, self._line = self._line, None
        if line is None:
            return
        with suppress(OSError), anyio.move_on_after(_LAST_SECONDS):
            line.send(_HEAD.pack(b"E", 0) if self._held else b"")
            line.shutdown(socket.SHUT_WR)
            while True:
                await anyio.wait_readable(line)
                if not line.recv(keeper.CHUNK):
                    break
        self._held = False
        self._frames.clear()
        line.close()

    def close(self) -> None:
        """Leave the program to its other users; if there are none, return once it is gone with all that it started."""
        line, self._line = self._line, None
        if line is None:
            return
        with suppress(OSError):
            line.settimeout(_LAST_SECONDS)
            line.shutdown(socket.SHUT_WR)
            while line.recv(keeper.CHUNK):
                pass
        line.close()

    async def _write(self, kind: bytes, data: bytes) -> None:
        if self._line is None:
            raise LinkBroken("its program ended", sent=False)
        left, whole = memoryview(_HEAD.pack(kind, len(data)) + data), False
        try:
            while left:
                try:
                    left = left[self._line.send(left) :]
                except BlockingIOError:
                    await anyio.wait_writable(self._line)
            whole = True
        except OSError:
            raise LinkBroken("its program ended", sent=False) from None
        finally:
            if not whole:  # after a part of a frame, no other can be sent
                self._cut()

    async def _frame(self) -> tuple[bytes, bytes]:
        while True:
            if len(self._frames) >= _HEAD.size:
                kind, size = _HEAD.unpack_from(self._frames)
                if len(self._frames) >= _HEAD.size + size:
                    data = bytes(self._frames[_HEAD.size : _HEAD.size + size])
                    del self._frames[: _HEAD.size + size]
                    if kind != b"P":
                        return kind, data
                    await self._write(b"P", b"")  # others wait for the turn of this process, which goes on
                    continue
            if self._line is None:
                raise LinkBroken("its program ended")
            try:
                data = self._line.recv(keeper.CHUNK)
            except BlockingIOError:
                await anyio.wait_readable(self._line)
                continue
            except OSError:
                data = b""
            if not data:
                self._cut()
                raise LinkBroken("its program ended")
            self._frames += data

    def _cut(self) -> None:
        line, self._line = self._line, None
        self._held = False
        self._frames.clear()
        self._came.clear()
        if line is not None:
            line.close()

    async def _connect(self) -> socket.socket:
        """Return a connection to the helper program, which is started if none answers. Raises `ProviderError`."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with anyio.fail_after(_KEEPER_SECONDS):
                async with self._alone():
                    line = self._reach()
                    if line is None:
                        await self._start()
                    while line is None:
                        await anyio.sleep(_PAUSE)
                        line = self._reach()
                    return line
        except TimeoutError:
            raise ProviderError("the helper program that keeps MCP servers does not answer", "mcp.keeper") from None
        except OSError as error:
            said = f"{quoted(str(self._folder))} cannot be used: {error.strerror}"
            raise ProviderError(said, "mcp.keeper") from None

    @asynccontextmanager
    async def _alone(self) -> AsyncGenerator[None]:
        """Hold the lock of whoever starts the helper program, so that it is started once."""
        file = self._folder / f"{self._name}.starts"
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            while True:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    await anyio.sleep(_PAUSE)
            yield
        finally:
            os.close(handle)

    def _reach(self) -> socket.socket | None:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _connect_in(line, self._folder, self._name)
            if keeper.peer_of(line) == os.geteuid():
                line.settimeout(0)
                return line
        except OSError:
            pass
        line.close()
        return None


def _connect_in(line: socket.socket, folder: Path, name: str) -> None:
    """Connect to a socket in a folder. Raises `OSError`."""
    path = str(folder / name)
    if len(os.fsencode(path)) <= _ROOM or not Path("/proc/self/fd").is_dir():
        line.connect(path)
        return
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        line.connect(f"/proc/self/fd/{opened}/{name}")
    finally:
        os.close(opened)
