"""A person and a program at the command line: the real program, on a real terminal whose screen is read, or on none."""

import asyncio
import fcntl
import io
import json
import logging
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyte
import pytest

from sayso.surfaces.cli.main import main
from sayso.surfaces.cli.terminal import find_terminal
from tests.patience import patience
from tests.surfaces.cli.prepared import begins_alike, command

PATIENCE = patience()
"""Seconds after which what does not come counts as not coming."""
LAST = 2.0
"""Seconds within which the terminal has what a program wrote that has ended."""
TIME_ZONE = os.environ.get("TZ")
"""The time zone of this process; another one holds only for a process of its own."""
OUTLIVING = ("browser", "mcp")
"""Commands that start what outlives them, or give their streams away; each needs a process of its own."""

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
    """Run sayso where there is no terminal, as a program would: in this process, where that makes no difference."""
    data = text.encode("utf-8") if isinstance(text, str) else text or b""
    if (words and words[0] in OUTLIVING) or not _alike({**os.environ, **environ}):
        return in_process_of_its_own(*words, text=data, **environ)
    logger = logging.getLogger("sayso")
    handlers, propagates = list(logger.handlers), logger.propagate
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2)]
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryFile() as given:
        given.write(data)
        given.seek(0)
        patch.setattr(sys, "stdin", io.TextIOWrapper(given, "utf-8"))
        patch.setattr(sys, "stdout", streams[0])
        patch.setattr(sys, "stderr", streams[1])
        patch.setattr(find_terminal, "__defaults__", ("/dev/no/terminal",))
        for name, value in environ.items():
            patch.setenv(name, value)
        try:
            code = main(words)
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            logger.handlers[:], logger.propagate = handlers, propagates
    for stream in streams:
        stream.flush()
        stream.seek(0)
    return Done(code, streams[0].read(), streams[1].read())


def in_process_of_its_own(*words: str, text: bytes = b"", **environ: str) -> Done:
    """Run sayso where there is no terminal, as `python -m sayso` runs."""
    environ = {**os.environ, **environ}
    run = subprocess.run(
        command(words) if begins_alike(environ) else [sys.executable, "-m", "sayso", *words],
        input=text,
        capture_output=True,
        check=False,
        start_new_session=True,
        env=environ,
        timeout=PATIENCE * 2,
    )
    return Done(run.returncode, run.stdout.decode("utf-8"), run.stderr.decode("utf-8"))


def _alike(environ: dict[str, str]) -> bool:
    """Say whether this process is as good as a new one: with its environment, and with no event loop running."""
    if threading.current_thread() is not threading.main_thread():
        return False
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return begins_alike(environ) and environ.get("TZ") == TIME_ZONE
    return False


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
        self._ended = os.pidfd_open(self.program.pid)

    @property
    def text(self) -> str:
        """Return what stands on the screen."""
        rows = (self._screen.buffer[number] for number in range(self._screen.lines))
        # What pyte itself makes of it takes twenty times as long; the cell after a wide character is empty.
        lines = ("".join(row[place].data for place in range(max(row, default=-1) + 1)).rstrip() for row in rows)
        return "\n".join(lines).rstrip()

    @property
    def is_at_prompt(self) -> bool:
        """Return whether the cursor stands behind something: a line whose end has come is no prompt any more."""
        return self._screen.cursor.x > 0

    def see(self, *words: str) -> str:
        """Wait until all of these stand on the screen, and return it; where lines were wrapped does not count."""
        return self.until(lambda text: all(word in text or word in " ".join(text.split()) for word in words))

    def until(self, shows: Callable[[str], bool]) -> str:
        """Wait until the screen shows something, and return it."""
        end = time.perf_counter() + PATIENCE
        while not shows(self.text):
            if not self._take(end):
                raise AssertionError(f"never seen; the screen is:\n{self.text}")
        return self.text

    def idle(self, seconds: float) -> str:
        """Look on for this long while the program waits, and return what stands on the screen then."""
        end = time.perf_counter() + seconds
        while self._take(end):
            pass
        return self.text

    def type(self, keys: str) -> None:
        """Press keys, once a prompt stands there: what is typed before it can be seen is no answer to it."""
        end = time.perf_counter() + PATIENCE
        while not self.is_at_prompt and self.program.poll() is None and self._take(end):
            pass
        self.type_ahead(keys)

    def type_ahead(self, keys: str) -> None:
        """Press keys, whatever stands there."""
        os.write(self._master, keys.encode())

    def interrupt(self) -> None:
        """Send what Ctrl-C sends while the program does not read keys."""
        os.killpg(os.tcgetpgrp(self._master), signal.SIGINT)

    def end(self) -> int:
        """Wait for the program's end and return its exit code."""
        end = time.perf_counter() + PATIENCE
        while self.program.poll() is None and self._take(end):
            pass
        while self._take(time.perf_counter() + 0.05):
            pass
        return self.program.wait(timeout=PATIENCE)

    def close(self) -> None:
        """Leave."""
        if self.program.poll() is None:
            self.program.kill()
            self.program.wait()
        for descriptor in (self.terminal, self._master, self._ended):
            os.close(descriptor)

    def _take(self, end: float) -> bool:
        """Take what comes until then; True where something came, or the program ended meanwhile.

        Nothing is taken later, so that one that never stops writing is not waited for without end. What a program
        wrote before it ended comes within `LAST` seconds: nothing more is to be waited for.
        """
        running = self.program.poll() is None
        left = end - time.perf_counter()
        if left <= 0:
            return False
        left = left if running else min(left, LAST)
        watched = [self._master, *([self._ended] if running else [])]
        ready, _, _ = select.select(watched, [], [], left)
        if self._master not in ready:
            return running and bool(ready)
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


def ask(model: str, *words: str, **environ: str) -> Done:
    """Say these words to the model of this name, once."""
    return sayso("ask", *words, "--model", model, **environ)


def request(*commands: object, asks: str | None = None) -> str:
    """Return the reply of a model that proposes these commands, or asks back."""
    return json.dumps({"commands": commands, "needs_clarification": asks is not None, "clarification_reason": asks})


def states(document: Any) -> list[str]:
    """Return the states of a run's results."""
    return [result["state"] for result in document["results"]]
