"""A link to an MCP server that is a program: one message per line on its standard input and output."""

from collections.abc import Mapping

from sayso.core.ports import Ids
from sayso.providers.mcp.servers import WrappedServer
from sayso.providers.mcp.session import MOST_BYTES, LinkBroken
from sayso.providers.programs.lasting import LastingProgram
from sayso.providers.programs.run import ProgramCall, ProgramRunner


def start_server(
    server: WrappedServer, environ: Mapping[str, str], ids: Ids, home: str, secrets: Mapping[str, str]
) -> "ProcessLink":
    """Start the program of a server. Raises `SetupError` if it is not installed, `ProviderError` if it does not start.

    It gets what a desktop program needs of the environment, the variables that the settings name, and secrets from the
    keyring; it has no terminal, and none of sayso's own variables.
    """
    program, *words = server.command
    folder = home + server.folder[1:] if server.folder.startswith("~") else server.folder or home
    also = {name: environ[name] for name in server.environment if name in environ}
    call = ProgramCall(program, tuple(words), folder=folder, kept=True, also={**also, **secrets})
    return ProcessLink(ProgramRunner(environ, ids).start(call))


class ProcessLink:
    """Messages to and from a running program."""

    def __init__(self, program: LastingProgram) -> None:
        self._program = program
        self._came = bytearray()
        self._looked = 0

    @property
    def alive(self) -> bool:
        """Return whether the program runs."""
        return not self._program.ended

    async def send(self, message: bytes) -> None:
        """Write one message as a line."""
        try:
            await self._program.write(message + b"\n")
        except OSError:
            raise LinkBroken(self._why(), sent=False) from None

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
            await self._read()

    async def _read(self) -> None:
        try:
            data = await self._program.read()
        except OSError:
            data = b""
        if not data:
            raise LinkBroken(self._why())
        self._came += data

    def _why(self) -> str:
        said = self._program.complaint
        return f"its program ended, and said last: {said[-300:]}" if said else "its program ended"

    def agreed(self, version: str) -> None:
        """Do nothing: a pipe has no headers."""

    async def end(self) -> None:
        """End the program with its group."""
        await self._program.end()

    def close(self) -> None:
        """End the program with its group, without a running event loop."""
        self._program.close()
