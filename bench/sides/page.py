"""The page's server, and a bare one: each tells all open sockets that something changed, as often as it is told.

`python -m bench.sides.page ours|bare FOLDER` prints a line of JSON with its address and its cookie. Then it does, for
each number on its standard input, so many changes one after the other, and prints when each began.
"""

import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from sayso.assembly import open_home
from sayso.surfaces.local_server import LocalServer, listening
from sayso.surfaces.web.application import serve

PAUSE = 0.5
"""Seconds between two changes, so that each is told of alone."""
TOLD = '{{"type":"changed","sequence":{number},"what":["rows","waiting","sessions"]}}'


async def changes(change: Callable[[int], Awaitable[float]]) -> None:
    """Make as many changes as each line of the standard input says."""
    number = 0
    while line := await anyio.to_thread.run_sync(sys.stdin.readline):
        begun: list[float] = []
        for _ in range(int(line)):
            number += 1
            begun.append(await change(number))
            await anyio.sleep(PAUSE)
        print(json.dumps({"wall": 0.0, "cpu": time.process_time(), "found": begun}), flush=True)


async def ours(folder: Path) -> None:
    """Serve the page of a new home; each change is a proposal that waits, and begins when that is in the journal."""
    durable = 0.0

    async def change(number: int) -> float:
        await home.run(f"DELETE_FILE ~/Documents/{number}.txt")
        return durable

    (folder / "Documents").mkdir()
    async with open_home(str(folder / "own"), environ={"HOME": str(folder)}) as home:
        commit = home.journal.commit

        async def noted(*given: Any, **named: Any) -> None:
            nonlocal durable
            await commit(*given, **named)
            durable = time.monotonic()

        for number in range(1, 1000):
            (folder / "Documents" / f"{number}.txt").touch()
        home.journal.commit = noted
        await _with(partial(serve, home, 0), change)


async def _with(serving: Callable[[Callable[[str, str], None]], Awaitable[None]], change: Any) -> None:
    async with anyio.create_task_group() as together:

        def began(url: str, token: str) -> None:
            print(json.dumps({"wall": 0.0, "cpu": 0.0, "found": [url, token]}), flush=True)
            together.start_soon(_until_the_end)

        async def _until_the_end() -> None:
            await changes(change)
            together.cancel_scope.cancel()

        await serving(began)


async def bare() -> None:
    """Serve sockets alone; each change is a message to all of them, one after the other."""
    sockets: set[WebSocket] = set()

    async def socket(socket: WebSocket) -> None:
        await socket.accept()
        sockets.add(socket)
        try:
            while True:
                await socket.receive_text()
        except WebSocketDisconnect:
            sockets.discard(socket)

    async def change(number: int) -> float:
        begun = time.monotonic()
        for one in sockets:
            await one.send_text(TOLD.format(number=number))
        return begun

    async def serving(began: Callable[[str, str], None]) -> None:
        with listening(0) as on:
            config = uvicorn.Config(
                Starlette(routes=[WebSocketRoute("/ws", socket)]),
                log_config=None,
                access_log=False,
                ws="websockets-sansio",
                ws_per_message_deflate=False,
                lifespan="off",
            )
            url = f"http://127.0.0.1:{on.getsockname()[1]}/"
            await LocalServer(config).serve_until_signal(on, lambda: began(url, ""), lambda: None)

    await _with(serving, change)


if __name__ == "__main__":
    os.environ.pop("DBUS_SESSION_BUS_ADDRESS", None)
    if sys.argv[1] == "ours":
        anyio.run(ours, Path(sys.argv[2]))
    else:
        anyio.run(bare)
