"""A Python that has imported the command line once, and forks for each command that a person types.

A command then starts in a few milliseconds, in a session and on a terminal of its own, as one that a shell starts does.
`python -m tests.docs.warm` reads one request per line and answers with one line when the command has ended.
"""

import fcntl
import gc
import json
import os
import pkgutil
import sys
import termios
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from subprocess import PIPE, Popen
from typing import Any

import sayso
from sayso.surfaces.cli.main import main

_ELSEWHERE = (
    "sayso.models.", "sayso.providers.apps.", "sayso.providers.browser.", "sayso.providers.calendar.caldav",
    "sayso.providers.mail.", "sayso.surfaces.mcp", "sayso.templates.child", "sayso.testing",
)  # fmt: skip
"""What few commands or none import: the clients of vendors alone take as long as all else together."""
_LATER = {"ask": "sayso.models.builtin.model"}
"""What is imported before the first command of this name."""


class Warm:
    """The other end: a program of this module, asked for one command after the other."""

    def __init__(self) -> None:
        self._program = Popen([sys.executable, "-m", "tests.docs.warm"], stdin=PIPE, stdout=PIPE, text=True)
        self._write: Any = self._program.stdin
        self._read: Any = self._program.stdout

    def start(self, words: Sequence[str], environ: Mapping[str, str], terminal: str, *, alone: bool) -> None:
        """Start `sayso` with these words on a terminal, in the home of the environment; returns once it has both.

        `alone`: it only prints there, and can ask nobody, as `setsid --wait sayso … < /dev/null`.
        """
        self._write.write(json.dumps([list(words), dict(environ), terminal, alone]) + "\n")
        self._write.flush()
        self._read.readline()

    def wait(self) -> int:
        """Return the exit code of the command, once it has ended."""
        return int(self._read.readline())

    def close(self) -> None:
        """End the program."""
        self._program.communicate()


def _serve() -> None:
    for module in pkgutil.walk_packages(sayso.__path__, "sayso."):
        if not module.name.startswith(_ELSEWHERE) and not module.name.endswith("__main__"):
            with suppress(ImportError):
                import_module(module.name)
    import_module("anyio._backends._asyncio")
    gc.freeze()
    for line in sys.stdin:
        words, environ, terminal, alone = json.loads(line)
        if later := _LATER.get(words[0]):
            import_module(later)
        descriptor = os.open(terminal, os.O_RDWR | os.O_NOCTTY)
        child = os.fork()
        if not child:
            _become(environ, descriptor, alone=alone)
            _end(words)
        os.close(descriptor)
        _answer("begun")
        _, status = os.waitpid(child, 0)
        _answer(str(os.waitstatus_to_exitcode(status)))


def _answer(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _become(environ: Mapping[str, str], descriptor: int, *, alone: bool) -> None:
    """Leave what belongs to the parent, and take the terminal, the environment and the folder of the command."""
    os.setsid()
    if not alone:
        fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)
    for standard in range(3):
        os.dup2(descriptor, standard)
    os.close(descriptor)
    if alone:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(at, mode, closefd=False) for at, mode in enumerate("rww"))
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(environ["HOME"])


def _end(words: Sequence[str]) -> None:
    """Run the command and end the process."""
    code = 1
    try:
        sys.argv = ["sayso", *words]
        code = main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
