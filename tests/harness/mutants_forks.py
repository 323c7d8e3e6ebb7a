"""Try things in forks of this process, some at once, and leave neither a process nor a file of theirs behind."""

import os
import resource
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

Task = TypeVar("Task")

KILLED, SURVIVED, UNFIT, UNREACHED = b"K", b"S", b"U", b"N"
"""A test failed; all passed; it cannot be tried in this way; no test reaches it."""
TIMED_OUT, CRASHED = b"T", b"C"
MEMORY = 4 * 2**30
"""A changed loop may ask for all memory there is; it is given this much."""


@dataclass(frozen=True)
class Fork(Generic[Task]):
    """One fork at work."""

    task: Task
    pid: int
    until: float
    place: str


def verdicts(
    tasks: Iterable[tuple[Task, float]], work: Callable[[Task], bytes], at_once: int, log: str = os.devnull
) -> Iterator[tuple[Task, bytes]]:
    """Yield each task with what `work` said of it in a fork, or how the fork ended; a task comes with its seconds.

    What a fork prints goes to the file `log`.
    """
    waiting = iter(tasks)
    running: dict[int, Fork[Task]] = {}
    with selectors.DefaultSelector() as selector:
        more = True
        while more or running:
            while more and len(running) < at_once:
                given = next(waiting, None)
                more = given is not None
                if given is not None:
                    pipe, fork = _forked(given[0], given[1], work, log)
                    running[pipe] = fork
                    selector.register(pipe, selectors.EVENT_READ)
            yield from _ended(selector, running)


def _forked(task: Task, seconds: float, work: Callable[[Task], bytes], log: str) -> tuple[int, Fork[Task]]:
    reading, writing = os.pipe()
    place = tempfile.mkdtemp(prefix="mutant-")
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _work(task, work, writing, place, log)
    os.close(writing)
    return reading, Fork(task, pid, time.monotonic() + seconds, place)


def _work(task: Task, work: Callable[[Task], bytes], writing: int, place: str, log: str) -> None:
    """Do the work in the fork, say one byte, and end without any cleaning up."""
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        out = os.open(log, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        for descriptor in (0, 1, 2):
            os.dup2(out, descriptor)
        os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = tempfile.tempdir = place
        os.write(writing, work(task))
    finally:
        os._exit(0)


def _ended(selector: selectors.BaseSelector, running: dict[int, Fork[Task]]) -> Iterator[tuple[Task, bytes]]:
    soonest = min(fork.until for fork in running.values()) if running else time.monotonic()
    ready = {key.fd for key, _ in selector.select(max(0.0, soonest - time.monotonic()))}
    for pipe, fork in list(running.items()):
        if pipe in ready or time.monotonic() >= fork.until:
            said = (os.read(pipe, 1) or CRASHED) if pipe in ready else TIMED_OUT
            selector.unregister(pipe)
            os.close(pipe)
            del running[pipe]
            _cleared(fork)
            yield fork.task, said


def _cleared(fork: Fork[Task]) -> None:
    """Leave neither a process nor a file of the fork behind."""
    for end in (lambda: os.killpg(fork.pid, signal.SIGKILL), lambda: os.kill(fork.pid, signal.SIGKILL)):
        with suppress(ProcessLookupError, PermissionError):
            end()
    os.waitpid(fork.pid, 0)
    for mounted in _mounted_below(fork.place):
        subprocess.run(["umount", "--lazy", mounted], check=False, capture_output=True)
    shutil.rmtree(fork.place, ignore_errors=True)


def _mounted_below(place: str) -> list[str]:
    """Return what a test that was ended in its midst has left mounted, the deepest first."""
    table = Path("/proc/self/mountinfo")
    rows = table.read_text(encoding="utf-8", errors="surrogateescape").splitlines() if table.exists() else []
    return sorted((point for row in rows if (point := row.split()[4]).startswith(place + "/")), reverse=True)
