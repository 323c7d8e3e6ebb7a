"""Run the conformance suite of the Model Context Protocol against `sayso mcp --http`, for three revisions.

The tools that the suite calls are those of small servers (`mcp_fixtures.py`), which sayso wraps: what the suite says of
their results and tasks, it says of the gateway. A person who says yes to everything, a moment later, is simulated.
The suite sends no token, so a small server stands between that adds one to each request, and changes nothing else.
Ends with 1 if a check fails that `mcp-conformance-expected.yml` does not name, if one that it names passes, or if one
fails for another reason than that sayso does not offer what the check needs.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import anyio
import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

import sayso
from sayso.providers.mcp.definitions import Pinned, keep, read_tools
from sayso.providers.mcp.servers import WrappedServer, read_servers
from tests.harness.mcp_fixtures import READS, SERVERS

HERE = Path(__file__).parent
FIXTURES = HERE / "mcp_fixtures.py"
MOMENT = 0.8
"""Seconds after which what waits is said yes to."""
EXPECTED = HERE / "mcp-conformance-expected.yml"
REVISIONS = {
    "2026-07-28": ("--requirements", "2026-07-28"),
    "2025-11-25": ("--requirements", "2025-11-25"),
    "2025-06-18": ("--spec-version", "2025-06-18"),
}
NOT_OFFERED = re.compile(
    r"there is no (tool|prompt|resource) |Not testable|Method not found|Tool '.*' not found|Prerequisite failed"
    r"|fixture|capabilities\.extensions MUST|got -32601|Expected InputRequiredResult|code -32602; spec requires -32021"
    r"|did not declare io\.modelcontextprotocol/tasks; spec requ"
)
"""What the message of a failure says if sayso does not offer what the check needs."""
_SCENARIO = re.compile(r"(?:server-)?(.+?)-[0-9]{4}-[0-9]{2}-[0-9]{2}T.*")
"""The name of the folder with the results of a scenario, which ends with the time."""
_OF_ONE_CONNECTION = frozenset({"connection", "content-length", "transfer-encoding", "date"})


def main() -> int:
    """Run the suite for each revision, and say what came of it."""
    place = Path(sys.argv[1]).resolve()
    suite = ["node", str(place / "node_modules/@modelcontextprotocol/conformance/dist/index.js"), "server"]
    failed = False
    seen: set[str] = set()
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as (address, token),
        saying_yes(Path(folder)),
        adding(address, token) as at,
    ):
        for revision, chosen in REVISIONS.items():
            out = Path(folder, "results", revision)
            words = [*suite, "--url", at, *chosen, "--expected-failures", str(EXPECTED), "-o", str(out)]
            done = subprocess.run(words, check=False, capture_output=True, text=True, env=without_proxy())
            odd = [*wrong_reasons(out)]
            failed = failed or done.returncode != 0 or bool(odd)
            seen |= {*failures(out)}
            print(f"--- {revision}\n{done.stdout[done.stdout.rfind('=== SUMMARY') :]}{done.stderr}")
            print("".join(f"fails for a reason of its own: {line}\n" for line in odd), flush=True)
    stale = {line[4:].strip() for line in EXPECTED.read_text().splitlines() if line.startswith("  - ")} - seen
    print("".join(f"does not fail any more, so take it out of {EXPECTED.name}: {one}\n" for one in sorted(stale)))
    return int(failed or bool(stale))


def failures(out: Path) -> Iterator[str]:
    """Yield each failed check, as the file of expected failures names it."""
    for file in out.glob("*/checks.json"):
        scenario = _SCENARIO.sub(r"\1", file.parent.name)
        checks: list[dict[str, Any]] = json.loads(file.read_text())
        yield from (f"{scenario}:{check['id']}" for check in checks if check["status"] in {"FAILURE", "WARNING"})


def wrong_reasons(out: Path) -> Iterator[str]:
    """Yield each failed check that does not fail because sayso does not offer what it needs."""
    for file in sorted(out.glob("*/checks.json")):
        checks: list[dict[str, Any]] = json.loads(file.read_text())
        for check in checks:
            why = str(check.get("errorMessage"))
            if check["status"] == "FAILURE" and not NOT_OFFERED.search(why):
                yield f"{file.parent.name} {check['id']}: {why}"


def without_proxy() -> dict[str, str]:
    """Return the environment without proxies: everything here is on this computer."""
    return {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}


def wrap_fixtures(folder: Path) -> None:
    """Write the settings of a home in which the servers with the tools of the suite are wrapped and accepted."""
    own = folder / "own"
    own.mkdir(mode=0o700)
    tables: list[str] = []
    for name in SERVERS:
        command = json.dumps([sys.executable, str(FIXTURES), name])
        reads = "reads = ['*']\n" if name in READS else ""
        tables.append(f"[mcp.servers.{name}]\ncommand = {command}\nlocal = true\n{reads}")
    (own / "config.toml").write_text("\n".join(tables))
    servers = cast("dict[str, WrappedServer]", read_servers(tomllib.loads("\n".join(tables))["mcp"]["servers"]))
    for name, tools in SERVERS.items():
        known, _ = read_tools([{"name": tool, "inputSchema": schema} for tool, (schema, _) in tools.items()])
        keep(str(own), name, Pinned(servers[name].identity, known))


@contextmanager
def saying_yes(folder: Path) -> Generator[None]:
    """While the block runs, let somebody say yes to each action that has waited for a moment."""
    done = threading.Event()

    async def person() -> None:
        seen: dict[str, float] = {}
        async with sayso.open_home(str(folder / "own"), environ={**without_proxy(), "HOME": str(folder)}) as home:
            while not done.is_set():
                for record in await home.pending():
                    since = seen.setdefault(record.id, time.monotonic())
                    if time.monotonic() - since > MOMENT:
                        with suppress(sayso.ProposalError):  # it was taken back in this moment
                            await home.approve(record.id, sayso.Client(lambda question: True))
                await anyio.sleep(0.05)

    thread = threading.Thread(target=anyio.run, args=(person,))
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def serving(folder: Path) -> Generator[tuple[str, str]]:
    """Let a new home serve agents while the block runs; give the address and a token."""
    (folder / "Documents").mkdir()
    wrap_fixtures(folder)
    environ = {**without_proxy(), "HOME": str(folder), "SAYSO_HOME": str(folder / "own")}
    sayso = [sys.executable, "-m", "sayso", "mcp"]
    token = subprocess.run([*sayso, "--token"], env=environ, check=True, capture_output=True, text=True).stdout.strip()
    words = [*sayso, "--http", "--port", "0", "--wait", "1"]
    with subprocess.Popen(words, env=environ, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield (server.stdout.readline() if server.stdout else "").split()[-1], token
        finally:
            server.terminate()


@contextmanager
def adding(address: str, token: str) -> Generator[str]:
    """Pass requests on to an address with a token while the block runs; give the address that takes them."""
    server = uvicorn.Server(uvicorn.Config(passing(address, token), port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            thread.join(0.05)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        thread.join()


def passing(address: str, token: str) -> Starlette:
    """Return the web application that passes requests on."""
    web = httpx2.AsyncClient(trust_env=False, timeout=None)
    theirs = httpx2.URL(address).netloc.decode()

    async def forward(request: Request) -> Response:
        ours = f"127.0.0.1:{request.scope['server'][1]}"
        kept = [(name, value) for name, value in request.headers.items() if name not in _OF_ONE_CONNECTION]
        sent = [(name, value.replace(ours, theirs)) for name, value in kept]
        asked = web.build_request(
            request.method, address, headers=[*sent, ("authorization", f"Bearer {token}")], content=await request.body()
        )
        answer = await web.send(asked, stream=True)

        async def body() -> AsyncGenerator[bytes]:
            async for chunk in answer.aiter_raw():
                yield chunk
            await answer.aclose()

        told = {name: value for name, value in answer.headers.items() if name not in _OF_ONE_CONNECTION}
        return StreamingResponse(body(), answer.status_code, told)

    return Starlette(routes=[Route("/mcp", forward, methods=["GET", "POST", "DELETE"])])


if __name__ == "__main__":
    sys.exit(main())
