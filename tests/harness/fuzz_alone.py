"""Run sayso's command line in a fork of this process that has no terminal, or one that is not its own."""

import io
import os
import pty
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sayso.surfaces.cli.main import main
from tests.patience import patience

CRASHED = 70
PATIENCE = round(patience(120))
"""Seconds after which a command that waits for somebody is ended."""
Settle = Callable[[], None]
"""What a fork does to its streams and sessions before it begins."""


@dataclass(frozen=True)
class Done:
    """What became of a command."""

    code: int
    out: str
    err: str


def no_terminal() -> None:
    """Leave every terminal, with nothing to read."""
    os.setsid()
    _stdin(os.open(os.devnull, os.O_RDONLY))


def _stdin(descriptor: int) -> None:
    os.dup2(descriptor, 0)
    os.close(descriptor)


def fed(data: bytes) -> Settle:
    """Leave every terminal, with these bytes in a pipe."""

    def settle() -> None:
        os.setsid()
        reading, writing = os.pipe()
        with suppress(BlockingIOError):
            os.set_blocking(writing, False)
            os.write(writing, data)
        os.close(writing)
        _stdin(reading)

    return settle


def endless() -> None:
    """Leave every terminal, with another process that says yes for ever."""
    os.setsid()
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.close(reading)  # so that it ends when nobody reads any more
        with suppress(OSError):
            while True:
                os.write(writing, b"y\nyes\n")
        os._exit(0)
    os.close(writing)
    _stdin(reading)


def closed() -> None:
    """Leave every terminal, with no standard input at all."""
    os.setsid()
    os.close(0)


def a_file() -> None:
    """Leave every terminal, with a file of yeses to read."""
    os.setsid()
    with tempfile.TemporaryFile() as file:
        file.write(b"y\nyes\na\nalways\n" * 50)
        file.seek(0)
        os.dup2(file.fileno(), 0)


def not_its_own() -> None:
    """Have a terminal on all streams that does not control this process, with a yes typed into it."""
    os.setsid()
    master, slave = pty.openpty()
    os.write(master, b"y\nyes\n")
    os.dup2(master, 9)
    _stdin(slave)


def in_the_background() -> None:
    """Have a terminal that controls this process, in whose background it runs, with a yes typed into it."""
    os.setsid()
    master, slave = pty.openpty()
    os.close(os.open(os.ttyname(slave), os.O_RDWR))  # the first terminal that a leader of a session opens is its own
    os.write(master, b"y\nyes\n")
    os.dup2(master, 9)
    _stdin(slave)
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else CRASHED)
    os.setpgid(0, 0)


def child_of_another() -> None:
    """Be a grandchild of this program, as one that it started would be, without a terminal."""
    no_terminal()
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else CRASHED)


def alone(words: Sequence[str], environ: Mapping[str, str], settle: Settle = no_terminal) -> Done:
    """Run a command in a fork; `settle` says what it has for a terminal."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            _child(list(words), dict(environ), settle, out, err)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        return Done(code, out.read_text("utf-8", "replace"), err.read_text("utf-8", "replace"))


def _child(words: list[str], environ: dict[str, str], settle: Settle, out: Path, err: Path) -> None:
    code = CRASHED
    try:
        for number, file in ((1, out), (2, err)):
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(descriptor, number)
            os.close(descriptor)
        settle()
        signal.alarm(PATIENCE)
        os.environ.clear()
        os.environ.update(environ)
        sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False)) if _is_open(0) else None
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), "utf-8", write_through=True)
        sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), "utf-8", write_through=True)
        code = main(words, environ)
        sys.stdout.flush()
    finally:
        os._exit(code)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
