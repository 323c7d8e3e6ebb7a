"""What an agent waits for: a call that only reads, and the first answer of a new server, beside the bare SDK."""

import os
import sqlite3
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import AsyncExitStack, closing, contextmanager
from statistics import median
from tempfile import TemporaryDirectory

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from bench.line import Gap, Line
from bench.paired import ROOT
from bench.size import Size

TOOL = "template_list"
MOST = 1.5
SIDES = {"sayso": ("-m", "sayso", "mcp"), "bare": ("-m", "bench.bare_mcp")}
_STARTS = 7


def measured(size: Size) -> list[Line | Gap]:
    """Measure both servers in turns."""
    with TemporaryDirectory(dir=size.work) as home:
        environ = {**os.environ, "HOME": home, "SAYSO_HOME": f"{home}/own", "PYTHONPATH": str(ROOT)}
        calls = anyio.run(called, environ, size.rounds, size.n)
        starts = anyio.run(started, environ)
    return [
        line("a call of a tool that only reads, over the bare SDK's that does nothing", calls),
        line("from the start of sayso mcp to its first answer, over the bare SDK's", starts),
    ]


def line(what: str, took: Mapping[str, list[float]]) -> Line:
    """Return the line of the median ratio, with the medians of both sides beside it."""
    ratio = median(ours / bare for ours, bare in zip(took["sayso"], took["bare"], strict=True))
    ours, bare = (median(took[side]) * 1000 for side in ("sayso", "bare"))
    return Line(what, ratio, MOST, beside=f"{ours:.2f} ms beside {bare:.2f} ms")


@contextmanager
def committing(folder: str) -> Generator[Callable[[], None]]:
    """Give a function that writes one small row durably, as sayso does before and after an effect."""
    with closing(sqlite3.connect(f"{folder}/raw.db", isolation_level=None)) as raw:
        raw.execute("PRAGMA journal_mode = wal")
        raw.execute("PRAGMA synchronous = full")
        raw.execute("CREATE TABLE row (body TEXT)")
        yield lambda: raw.execute("INSERT INTO row VALUES (?)", ("x" * 1000,)) and None


def server(side: str, environ: Mapping[str, str]) -> Client:
    """Return a client of a new server."""
    words = StdioServerParameters(command=sys.executable, args=[*SIDES[side]], env=dict(environ), cwd=ROOT)
    return Client(stdio_client(words))


async def called(environ: Mapping[str, str], rounds: int, n: int) -> dict[str, list[float]]:
    """Return the seconds of a call, for each round, on each side."""
    took: dict[str, list[float]] = {side: [] for side in SIDES}
    async with AsyncExitStack() as stack:
        agents = {side: await stack.enter_async_context(server(side, environ)) for side in SIDES}
        for agent in agents.values():
            for _ in range(n):
                await agent.call_tool(TOOL, {})
        for _ in range(rounds):
            for side, agent in agents.items():
                began = time.perf_counter()
                for _ in range(n):
                    await agent.call_tool(TOOL, {})
                took[side].append((time.perf_counter() - began) / n)
    return took


async def started(environ: Mapping[str, str]) -> dict[str, list[float]]:
    """Return the seconds from the start of a process to the answer of its first call, on each side."""
    took: dict[str, list[float]] = {side: [] for side in SIDES}
    for _ in range(_STARTS):
        for side in SIDES:
            began = time.perf_counter()
            async with server(side, environ) as agent:
                await agent.call_tool(TOOL, {})
                took[side].append(time.perf_counter() - began)
    return took
