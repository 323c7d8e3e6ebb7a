"""Serve the page of a home until a kill point comes by, at which the process dies; a program that tests start."""

import json
import os
import signal
import sys
from pathlib import Path

import anyio

import sayso
from sayso.surfaces.web.application import serve


def main(folder: str, label: str) -> None:
    """Serve the page, print its address and token, and die when `label` comes by after a decision was sent."""
    armed = Path(folder, "armed")

    def kill(passed: str) -> None:
        if passed == label and armed.exists():
            os.kill(os.getpid(), signal.SIGKILL)

    async def work() -> None:
        async with sayso.open_home(f"{folder}/own", environ={"HOME": folder}, kill=kill) as home:
            await serve(home, 0, told)

    def told(url: str, token: str) -> None:
        sys.stdout.write(f"{json.dumps([url, token])}\n")
        sys.stdout.flush()

    anyio.run(work)


if __name__ == "__main__":
    main(*sys.argv[1:])
