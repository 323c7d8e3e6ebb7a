"""A person and a program at the command line: the real program, on a real terminal whose screen is read, or on none."""

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyte

from tests.surfaces.cli.prepared import begins_alike, command

PATIENCE = 25.0
"""Seconds after which what does not come counts as not coming."""
A_MOMENT = 10.0
"""Seconds that a person who types looks for a prompt."""

LAUNCH = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


@dataclass(frozen=True)
class Done:
    """What a program that calls sayso gets."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Return the one JSON document on standard output."""
        return json.loads(self.out)


def sayso(*words: str, text: str | bytes | None = None, **environ: str) -> Done:
    """Run sayso where there is no terminal, as a program would."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    environ = {**os.environ, **environ}
    argv = command(words) if begins_alike(environ) else [sys.executable, "-m", "sayso", *words]
    run = subprocess.run(
        argv,
        input=data if data is not None else b"",
        capture_output=True,
        check=False,
        start_new_session=True,
        env=environ,
        timeout=PATIENCE * 2,
    )
    return Done(run.returncode, run.stdout.decode("utf-8"), run.stderr.decode("utf-8"))


class Screen:
    """A terminal with a person at it: what they see, and what they type."""

    def __init__(
        self, argv: Sequence[str], columns: int = 100, lines: int = 60, *, launched: bool = False, **environ: str
    ) -> None:
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.terminal = slave
        self.program = subprocess.Popen(
            argv if launched else [sys.executable, "-c", LAUNCH, *argv],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "xterm", **environ},
        )

    @property
    def text(self) -> str:
        """Return what stands on the screen."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def see(self, *words: str) -> str:
        """Wait until all of these stand on the screen, and return it."""
        return self.until(lambda text: all(word in text for word in words))

    def until(self, shows: Callable[[str], bool]) -> str:
        """Wait until the screen shows something, and return it."""
        end = time.perf_counter() + PATIENCE
        while not shows(self.text):
            if not self._take(end):
                raise AssertionError(f"never seen; the screen is:\n{self.text}")
        return self.text

    def type(self, keys: str) -> None:
        """Press keys, once a prompt stands there: what is typed before it can be seen is no answer to it."""
        end = time.perf_counter() + A_MOMENT
        while self._screen.cursor.x == 0 and self._take(end):
            pass
        self.type_ahead(keys)

    def type_ahead(self, keys: str) -> None:
        """Press keys, whatever stands there."""
        os.write(self._master, keys.encode())

    def end(self) -> int:
        """Wait for the program's end and return its exit code."""
        end = time.perf_counter() + PATIENCE
        while self.program.poll() is None and time.perf_counter() < end:
            self._take(time.perf_counter() + 0.05)
        while self._take(time.perf_counter() + 0.05):
            pass
        return self.program.wait(timeout=PATIENCE)

    def close(self) -> None:
        """Leave."""
        if self.program.poll() is None:
            self.program.kill()
            self.program.wait()
        os.close(self.terminal)
        os.close(self._master)

    def _take(self, end: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, end - time.perf_counter()))
        if not ready:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:
            return False
        self.raw += data
        self._stream.feed(data)
        return bool(data)


def at_terminal(*words: str) -> list[str]:
    """Return the words that start sayso, for a `Screen`."""
    return [sys.executable, "-m", "sayso", *words]


def tree(folder: Path) -> dict[str, str]:
    """Return every file below a folder with its content."""
    return {str(file.relative_to(folder)): file.read_text() for file in sorted(folder.rglob("*")) if file.is_file()}


def states(document: Any) -> list[str]:
    """Return the states of a run's results."""
    return [result["state"] for result in document["results"]]
