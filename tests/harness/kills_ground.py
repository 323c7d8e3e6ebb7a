"""Grounds on which deeds are done and killed, laid out by copying one, and the programs that stand beside them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from tests.journeys.deeds import Deed, prepare
from tests.journeys.dying import Scene, well
from tests.journeys.ground import Ground, a_ground, in_mode

ROOT = Path(__file__).parents[2]
LARGE = 400_000
"""Bytes of the large file."""


class Way(StrEnum):
    """What a process is at when it is killed."""

    DO = "do"
    UNDO = "undo"
    RECOVERY = "recovery"


def a_template(base: Path) -> Path:
    """Make a home with files in it and an empty journal, once, and return where it is."""
    ground = a_ground(base)
    prepare(ground)
    ground.file("large.bin", os.urandom(LARGE))
    (ground.home / ".local" / "share").mkdir(parents=True)
    well(Scene(ground, Deed("", ()), undoing=False).opening())
    return base


def laid(template: Path, base: Path, text: str, *, asked: bool, way: Way) -> Scene:
    """Lay out a ground of its own for one deed."""
    shutil.copytree(template, base, symlinks=True)
    mode = "always" if asked else "never"
    ground = Ground(base)
    (ground.own / "config.toml").write_text(in_mode(mode), "utf-8")
    return Scene(ground, Deed(text, (), mode), undoing=way is Way.UNDO)


@dataclass(frozen=True)
class Program:
    """A program of its own that is told what to do line by line, and answers each with a line."""

    running: "subprocess.Popen[bytes]"

    def tell(self, *words: Any) -> Any:
        """Say this, and return the answer, read as JSON where it is more than a word."""
        to, answers = cast("Sequence[Any]", (self.running.stdin, self.running.stdout))
        os.write(to.fileno(), json.dumps(words).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            piece = os.read(answers.fileno(), 65536)
            if not piece:
                raise EOFError(f"{self.running.args!r} ended when it was told {words}")
            answer += piece
        return json.loads(answer) if answer.startswith(b"{") else None

    def end(self) -> None:
        """Let it end."""
        cast("Any", self.running.stdin).close()
        self.running.wait()


def a_program(module: str) -> Program:
    """Start a program that can import nothing but Python's own and what stands beside the tests."""
    command = [sys.executable, "-S", "-E", "-m", module]
    return Program(subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0))
