"""Carry a reply out and die at a kill point; a program that tests start, of which only the journal is left."""

import os
import signal
import sys

import anyio

import sayso


def main(text: str, label: str) -> None:
    """Take the text down the path until `label` comes by."""

    def kill(passed: str) -> None:
        if passed == label:
            os.kill(os.getpid(), signal.SIGKILL)

    async def work() -> None:
        async with sayso.open_home(kill=kill) as home:
            await home.run(text, "lines", approver=sayso.Client(lambda question: True))

    anyio.run(work)


if __name__ == "__main__":
    main(*sys.argv[1:])
