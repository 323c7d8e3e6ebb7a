"""Replay the shell transcripts of a page: the same commands on a real terminal, held against what the page shows.

A block of `console` holds lines after `$ ` (going on after `> `) and what they print. In what is printed `…`
stands for anything within a line, and alone on a line for any lines. In a command `run_…` and `do_…` stand
for the id that was shown last. What a person types at a question stands after its `[y/N]`.
"""

import fcntl
import os
import re
import shlex
import struct
import sys
import termios
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pexpect
import pyte
from pexpect.fdpexpect import fdspawn

from tests.docs.warm import Warm
from tests.patience import patience

ROWS, COLUMNS = 300, 80

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ASKED = re.compile(r"\[y/N\].*? ([\w-]+)$", re.MULTILINE)
_ID = re.compile(r"\b(run|do)_[0-9A-Z]{13}\b")
_NEEDS_NO_SHELL = re.compile(
    r"""(?P<alone>setsid --wait )?sayso (?P<words>(?:[\w.:/=%+-]+|"[^"$`\\]*"|'[^']*'| )*)(?(alone)< /dev/null)"""
)
"""A command of one program with plain words: it is the same without a shell."""

Spawned: Any = pexpect.spawn
SpawnedOn: Any = fdspawn


@dataclass(frozen=True)
class Typed:
    """One command of a page, and what the page says it prints."""

    command: str
    printed: str


def typed_in(page: str) -> list[Typed]:
    """Return the commands of a page in their order."""
    return [typed for block in _BLOCK.findall(page) for typed in _of_block(block)]


def _of_block(block: str) -> Iterator[Typed]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        first, *lines = part.removesuffix("\n").split("\n")
        command = [first]
        while lines and (lines[0].startswith("> ") or lines[0] == ">"):
            command.append(lines.pop(0)[2:])
        yield Typed("\n".join(command), "\n".join(lines).strip("\n"))


class Shell:
    """A person's terminal, and the ids they have seen on it.

    With `warm`, what needs no shell is started by it; all else, and all without it, is started by a shell.
    """

    def __init__(self, programs: Path, warm: Warm | None = None) -> None:
        self._warm = warm
        programs.mkdir()
        sayso = programs / "sayso"
        sayso.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sayso "$@"\n', "utf-8")
        sayso.chmod(0o755)
        environ = {name: value for name, value in os.environ.items() if name.isupper()}
        self._environ = environ | {"PATH": f"{programs}:{environ['PATH']}", "TERM": "xterm", "NO_COLOR": "1"}
        self._seen: dict[str, str] = {}

    def type(self, typed: Typed) -> str:
        """Type a command, answer what it asks as the page does, and return what then stands on the screen."""
        screen = pyte.Screen(COLUMNS, ROWS)
        stream = pyte.ByteStream(screen)
        program, end = self._started(self._with_ids(typed.command))
        for answer in _ASKED.findall(typed.printed):
            program.expect(r"\[y/N\][^\r\n]* $")
            stream.feed(program.before + program.after)
            program.sendline(answer)
        program.expect(pexpect.EOF)
        stream.feed(program.before)
        end()
        shown = "\n".join(line.rstrip() for line in screen.display).strip("\n")
        self._seen |= {found[1]: found[0] for found in _ID.finditer(shown)}
        return shown

    def _started(self, command: str) -> tuple[Any, Callable[[], object]]:
        """Start a command; return it and what waits for its end."""
        warm = self._warm
        plain = _NEEDS_NO_SHELL.fullmatch(command)
        if warm is None or plain is None:
            home, size = self._environ["HOME"], (ROWS, COLUMNS)
            words = ["-c", command]
            program = Spawned("/bin/bash", words, env=self._environ, cwd=home, dimensions=size, timeout=patience())
            return program, program.close
        ours, theirs = os.openpty()
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        words, alone = shlex.split(plain["words"]), plain["alone"] is not None
        warm.start(words, self._environ, os.ttyname(theirs), alone=alone)
        os.close(theirs)
        program = SpawnedOn(ours, timeout=patience())
        return program, lambda: (program.close(), warm.wait())

    def _with_ids(self, command: str) -> str:
        return re.sub(r"\b(run|do)_…", lambda found: self._seen[found[1]], command)


def is_as_shown(shown: str, printed: str) -> bool:
    """Say whether what stands on the screen is what the page says, with its wildcards."""
    lines = [
        r"(?:.*\n)*?" if line.strip() == "…" else ".*?".join(map(re.escape, line.split("…"))) + r"\n"
        for line in printed.split("\n")
    ]
    return re.fullmatch("".join(lines), shown + "\n") is not None
