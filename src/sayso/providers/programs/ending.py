"""Wait for a process, or end it with everything that it started."""

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress

import anyio

from sayso.providers.programs.environment import STARTED
from sayso.providers.programs.marked import carriers, end_marked

POLITE_SECONDS = 2.0
"""How long a program may take to end by itself once it was asked to."""
_SURE_SECONDS = 5.0
_LOOK_EVERY = 0.01


async def ended(process: subprocess.Popen[bytes]) -> None:
    """Return when a process has ended. It is not reaped yet, so that its number still is its own."""
    if not hasattr(os, "pidfd_open"):
        await _until(lambda: os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None)
        return
    held = os.pidfd_open(process.pid)
    try:
        await anyio.wait_readable(held)
    finally:
        os.close(held)


async def end_carriers(name: str, value: str) -> None:
    """End every process that was started with this in its environment, politely and then not."""
    end_marked(name, value, signal.SIGTERM)
    with anyio.move_on_after(POLITE_SECONDS):
        await _until(lambda: not carriers(name, value))
        return
    with anyio.move_on_after(_SURE_SECONDS):
        await _killed(name, value)


async def end(process: subprocess.Popen[bytes], token: str) -> None:
    """End a process, its group, and whatever it started that carries its token; it is gone when this returns."""
    with anyio.CancelScope(shield=True):
        _signal(process, token, signal.SIGTERM)
        with anyio.move_on_after(POLITE_SECONDS):
            await ended(process)
            await _until(lambda: not carriers(STARTED, token))
        with anyio.move_on_after(_SURE_SECONDS):
            _signal(process, token, signal.SIGKILL)
            await _killed(STARTED, token)
            await ended(process)
        process.wait()


async def _killed(name: str, value: str) -> None:
    """Kill until nobody is found twice: whoever is just about to become another program shows no mark."""
    for _ in ("once", "twice"):
        await _until(lambda: not end_marked(name, value, signal.SIGKILL))
        await anyio.sleep(_LOOK_EVERY)


async def _until(so: Callable[[], bool]) -> None:
    while True:
        if so():
            return
        await anyio.sleep(_LOOK_EVERY)


def _signal(process: subprocess.Popen[bytes], token: str, how: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, how)
    end_marked(STARTED, token, how)
