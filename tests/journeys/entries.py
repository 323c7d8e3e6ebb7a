"""Say one thing to a home over given folders and die at a kill point; a program that tests start."""

import os
import signal
import sys
from pathlib import Path

import anyio

import sayso
from sayso.runtime.questions import Client


async def say(base: Path, words: str, label: str) -> None:
    """Open the home, say the words, and be gone at the first kill point of this name."""

    def kill(point: str) -> None:
        if point == label:
            os.kill(os.getpid(), signal.SIGKILL)

    environ = {"HOME": str(base), "PATH": os.environ["PATH"]}
    async with sayso.open_home(str(base / "own"), environ=environ, kill=kill) as home:
        await home.run(words, "lines", approver=Client(lambda question: True))


if __name__ == "__main__":
    anyio.run(say, Path(sys.argv[1]), sys.argv[2], sys.argv[3])
