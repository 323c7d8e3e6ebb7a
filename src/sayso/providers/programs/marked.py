"""Find and end the processes that carry a mark in their environment, wherever they went to."""

import os
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PROC = Path("/proc")


def carriers(name: str, value: str) -> tuple[int, ...]:
    """Return the processes that were started with this in their environment; none where the system does not tell."""
    return tuple(pid for pid in _processes() if _carries(pid, name, value))


def end_marked(name: str, value: str, how: signal.Signals) -> int:
    """Send a signal to every process that carries the mark; return how many there were."""
    ended = 0
    for pid in carriers(name, value):
        with _held(pid) as process:
            # Looked at again once it is held: a number may have gone to another process meanwhile.
            if process is not None and _carries(pid, name, value):
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(process, how)
                ended += 1
    return ended


def _processes() -> Iterator[int]:
    with suppress(OSError):
        yield from (int(entry.name) for entry in PROC.iterdir() if entry.name.isdecimal())


def _carries(pid: int, name: str, value: str) -> bool:
    try:
        environment = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    return os.fsencode(f"{name}={value}") in environment.split(b"\0")


@contextmanager
def _held(pid: int) -> Generator[int | None]:
    try:
        process = os.pidfd_open(pid)
    except OSError:
        yield None
        return
    try:
        yield process
    finally:
        os.close(process)
