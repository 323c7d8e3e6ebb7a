"""A call that blocks is waited for in time, and one that never returns keeps nobody."""

import subprocess
import sys
import threading

import anyio
import pytest

from sayso.providers.apps.x11.screen import Late, in_time

NEVER = """
import anyio, threading
from sayso.providers.apps.x11.screen import Late, in_time

async def main():
    try:
        await in_time(threading.Event().wait, 0.05)
    except Late:
        print("late")

anyio.run(main)
"""


async def test_it_returns_and_raises_what_the_call_does():
    assert await in_time(lambda: 7, 5) == 7
    with pytest.raises(ZeroDivisionError):
        await in_time(lambda: 1 / 0, 5)


async def test_what_comes_late_is_put_away():
    go, put_away = threading.Event(), threading.Event()
    kept: list[str] = []

    def call() -> str:
        go.wait()
        return "late"

    def away(found: str) -> None:
        kept.append(found)
        put_away.set()

    with pytest.raises(Late):
        await in_time(call, 0.05, away)
    go.set()

    assert put_away.wait(5)
    assert kept == ["late"]


async def test_who_gives_up_waiting_leaves_no_call_running():
    running: list[str] = []

    with anyio.CancelScope() as given_up:
        given_up.cancel()
        await in_time(lambda: running.append("done"), 5)

    assert running == ["done"]


@pytest.mark.timeout(30)
def test_a_call_that_never_returns_does_not_keep_the_process_from_ending():
    ended = subprocess.run([sys.executable, "-c", NEVER], capture_output=True, text=True, timeout=20, check=True)

    assert ended.stdout == "late\n"
