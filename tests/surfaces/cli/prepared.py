"""A process that has imported sayso, and forks for each run of it: a run is a process of its own, and begins at once.

The words, the environment, the folder and the three streams come from a small program that waits for the end and ends
alike; so a test starts, feeds and ends it as it would `python -m sayso`. What decides how an interpreter begins cannot
be given to one that has begun, so `begins_alike` says when the real thing has to be started.
"""

import atexit
import fcntl
import functools
import gc
import importlib
import io
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, cast

STARTS = ("PYTHON", "LC_", "LANG", "LD_", "COV")
"""What these variables say is read when an interpreter begins."""
COMPILED = ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
"""Where compiled modules are kept makes no difference to what a program does."""
SENT = """
import json, os, signal, socket, sys
ears = socket.socket(socket.AF_UNIX)
ears.connect(sys.argv[1])
old = os.umask(0o22); os.umask(old)
asked = json.dumps([sys.argv[2:], dict(os.environ), os.getcwd(), old]).encode("utf-8", "surrogateescape")
socket.send_fds(ears, [len(asked).to_bytes(8, "big")], [0, 1, 2])
ears.sendall(asked)
said = int(ears.makefile().read())
if os.WIFSIGNALED(said):
    signal.signal(os.WTERMSIG(said), signal.SIG_DFL)
    os.kill(os.getpid(), os.WTERMSIG(said))
sys.exit(os.WEXITSTATUS(said))
"""


def _starting(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name.startswith(STARTS) and name not in COMPILED}


BEGAN = _starting(os.environ)
"""What the prepared process begins with, whatever the test that comes first has set."""


def begins_alike(environ: Mapping[str, str]) -> bool:
    """Say whether an interpreter would begin in this environment as the prepared one did."""
    return _starting(environ) == BEGAN and not any(name.startswith("COV") for name in BEGAN)


def command(words: Sequence[str]) -> list[str]:
    """Return the command line that runs sayso with these words."""
    return [sys.executable, "-I", "-S", "-c", SENT, _server(), *words]


@functools.cache
def _server() -> str:
    """Start the process; return where it listens. It ends with this one."""
    folder = tempfile.TemporaryDirectory(prefix="sayso-")
    place = f"{folder.name}/s"
    held = subprocess.Popen(
        [sys.executable, "-m", "tests.surfaces.cli.prepared", place],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
        env={name: value for name, value in os.environ.items() if not name.startswith(STARTS)} | BEGAN,
        start_new_session=True,
    )
    assert held.stdin is not None
    assert held.stdout is not None
    assert held.stdout.readline() == b"ready\n"

    def end() -> None:
        for pipe in (held.stdin, held.stdout):
            if pipe is not None:
                pipe.close()
        held.wait()
        folder.cleanup()

    atexit.register(end)
    return place


_SLOW = ("mcp", "pydantic_ai")
"""Packages that take longer to import than everything else together, and are needed by a few tests only."""


def _imported() -> None:
    modules = cast("dict[str, object]", sys.modules)
    modules.update(dict.fromkeys(_SLOW))  # None lets nobody import it
    for found in pkgutil.walk_packages(importlib.import_module("sayso").__path__, "sayso."):
        if not found.name.endswith("__main__"):
            with suppress(ImportError):  # what another system has, or another package, or is slow
                importlib.import_module(found.name)
    for name in _SLOW:
        del modules[name]


def _serve(place: str) -> None:
    _imported()
    assert threading.active_count() == 1
    gc.freeze()
    ears = socket.socket(socket.AF_UNIX)
    ears.bind(place)
    ears.listen()
    os.write(1, b"ready\n")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody has to wait for those who watch
    while ears in select.select([ears, 0], [], [])[0]:
        asking, _ = ears.accept()
        if os.fork() == 0:
            ears.close()
            _watch(asking)
        asking.close()


def _watch(asking: socket.socket) -> None:
    """Run it in one more fork, end it when nobody waits for it any more, and say how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    length, streams, _, _ = socket.recv_fds(asking, 8, 3)
    asked = json.loads(asking.makefile("rb").read(int.from_bytes(length, "big")))
    child = os.fork()
    if child == 0:
        asking.close()
        _become(streams, *asked)
    held = os.pidfd_open(child)
    for stream in streams:
        os.close(stream)
    if held not in select.select([held, asking], [], [])[0]:
        os.killpg(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    with suppress(OSError):
        asking.sendall(str(status).encode())
    os._exit(0)


def _become(streams: list[int], words: list[str], environ: dict[str, str], folder: str, mask: int) -> NoReturn:
    """Be `python -m sayso` with these words."""
    os.setsid()
    # Whoever began the tests may have had it ignored, as shells do with what they put into the background.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    seen = os.isatty(0)
    if seen:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(folder)
    os.umask(mask)
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    encoding, errors = sys.stdout.encoding, sys.stdout.errors
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding=encoding, errors=errors)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(1, "w", closefd=False)), encoding=encoding, errors=errors, line_buffering=seen
    )
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w", closefd=False)),
        encoding=encoding,
        errors="backslashreplace",
        line_buffering=True,
    )
    sys.argv = ["sayso", *words]
    sys.exit(importlib.import_module("sayso.surfaces.cli.main").main())


if __name__ == "__main__":
    _serve(sys.argv[1])
