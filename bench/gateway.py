"""What sayso adds to a call of another MCP server's tool that a rule allows, journal included."""

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import cast

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process
from anyio.streams.buffered import BufferedByteReceiveStream

import sayso
from bench.agents import TOOL, committing
from bench.line import Gap, Line
from bench.paired import ROOT
from bench.size import Size
from sayso.assembly import Home
from sayso.assembly.wiring import ground
from sayso.core.ports import no_kill_point
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import State
from sayso.providers.mcp import MCP
from sayso.providers.mcp.backend import WrappedBackend
from sayso.providers.mcp.definitions import Pinned, keep
from sayso.providers.mcp.servers import WrappedServer
from sayso.providers.mcp.session import MOST_BYTES, NONE, ServerSession, Turn
from sayso.runtime.system import RandomIds, SystemClock

MOST = 3.0
SETTINGS = """
[mcp.servers.bare]
command = ["{python}", "-m", "bench.bare_mcp"]
folder = "{root}"
environment = ["PYTHONPATH"]
reads = ["*"]
local = true
"""


def measured(size: Size) -> list[Line | Gap]:
    """Measure calls through sayso and straight to the same server in turns."""
    person = Path(size.folder("gateway"))
    own = person / "own"
    own.mkdir()
    (own / "config.toml").write_text(SETTINGS.format(python=sys.executable, root=ROOT), "utf-8")
    return [anyio.run(_measured, str(person), str(own), size.rounds * size.n)]


async def _measured(person: str, own: str, count: int) -> Line:
    environ = {**os.environ, "HOME": person, "PYTHONPATH": str(ROOT)}
    async with sayso.open_home(own, environ=environ) as home:
        server = await _accepted(home)
    async with (
        sayso.open_home(own, environ=environ) as home,
        await anyio.open_process(server.command, env=environ) as process,
    ):
        session = ServerSession(server.name, _Pipes(process))
        await session.join(Turn())
        with committing(own) as commit:
            took = await _in_turns(home, session, commit, count)
        process.kill()
    added = median(ours - bare for ours, bare in zip(took["sayso"], took["bare"], strict=True))
    commits = median(took["commit"])
    floor = f"a commit to this disk takes {commits:.2f} ms, and a call has two"
    beside = f"{median(took['sayso']):.2f} ms beside {median(took['bare']):.2f} ms"
    return Line("what the gateway adds to a call that a rule allows", added, MOST, "ms", floor=floor, beside=beside)


class _Pipes:
    """The link to a process of the server of its own, with nothing in between."""

    repeats = False

    def __init__(self, process: Process) -> None:
        self._input = cast("ByteSendStream", process.stdin)
        self._lines = BufferedByteReceiveStream(cast("ByteReceiveStream", process.stdout))

    async def take(self) -> Turn:
        return Turn()

    def release(self, *, changed: bool) -> None:
        pass

    async def send(self, message: bytes, headers: Mapping[str, str] = NONE) -> None:
        await self._input.send(message + b"\n")

    async def receive(self) -> bytes:
        return await self._lines.receive_until(b"\n", MOST_BYTES)

    def agreed(self, version: str) -> None:
        pass

    async def cancel(self, number: int) -> None:
        pass

    async def end(self) -> None:
        pass

    def close(self) -> None:
        pass


async def _accepted(home: Home) -> WrappedServer:
    """Keep the tools of the server as a person would who accepts them."""
    servers = cast("Mapping[str, WrappedServer]", home.settings.sections["mcp"]["servers"])
    backend = WrappedBackend(servers, ground(MCP, home.settings, SystemClock(), RandomIds(), no_kill_point))
    tools, left_out = await backend.tools_of("bare")
    backend.close()
    keep(str(home.settings.places.home), "bare", Pinned(servers["bare"].identity, tools, left_out))
    return servers["bare"]


async def _in_turns(home: Home, session: ServerSession, commit: object, count: int) -> dict[str, list[float]]:
    took: dict[str, list[float]] = {"sayso": [], "bare": [], "commit": []}
    for number in range(count + 1):
        begun = time.perf_counter()
        (outcome,) = (await home.take([Proposal(0, "", f"bare.{TOOL}", {})], Origin("tools", "mcp", "bench"))).outcomes
        called = time.perf_counter()
        await session.call(TOOL, "{}")
        answered = time.perf_counter()
        if callable(commit):
            commit()
        if outcome.record.state is not State.DONE:
            raise RuntimeError(outcome.record.marks.error)
        if number:  # the first call starts the server
            times = (called - begun, answered - called, time.perf_counter() - answered)
            for name, seconds in zip(took, times, strict=True):
                took[name].append(seconds * 1000)
    return took
