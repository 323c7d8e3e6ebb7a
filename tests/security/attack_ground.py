"""Where an attack takes place: a person's home, and sayso of any checkout, used only as anybody could use it.

Nothing here imports sayso, so that the same attack can be made on any version: the commands, the library and the MCP
server of a checkout are run as programs, each in an environment of its own.
"""

import fcntl
import json
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.patience import patience

PATIENCE = patience(60)
"""Seconds after which a program that says nothing is given up."""
PROMPT = "[y/N]"
"""How a question ends."""
SETTINGS = """
[policy]
mode = "{mode}"
roots = ["~/Documents"]
{policy}
[apps]
kind = "memory"
[browser]
kind = "memory"
[desktop]
kind = "linux"
[shortcuts.hand-on]
argv = ["{bin}/hand-on"]
{more}
"""
TOOL = '#!/bin/sh\nprintf "%s\\n" "$*" >> "{log}"\ncat >> "{log}" </dev/stdin\n'
_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\r")


LAUNCH = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Runs a program at the terminal that its standard input is."""
WITHOUT_LANDLOCK = """
import ctypes, os, platform, struct, sys
machine = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}[platform.machine()]
load, at_least, allow, unknown = 0x20, 0x35, 0x7FFF0000, 0x00050026
rules = [(load, 0, 0, 4), (0x15, 1, 0, machine), (6, 0, 0, allow), (load, 0, 0, 0)]
rules += [(0x15, 0, 1, 444), (6, 0, 0, unknown), (6, 0, 0, allow)]
kept = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *rule) for rule in rules))
program = struct.pack("@HxxxxxxP", len(rules), ctypes.addressof(kept))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Runs a program, and all it starts, on a kernel that says it knows no Landlock."""


class CannotTryError(Exception):
    """The machine does not let the attack be made."""


@dataclass(frozen=True)
class Ran:
    """What a program came to."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Ground:
    """A person's home, in which nothing has happened yet."""

    checkout: Path
    base: Path

    @property
    def home(self) -> Path:
        """Return the person's home."""
        return self.base / "home"

    @property
    def documents(self) -> Path:
        """Return the one folder that sayso may use."""
        return self.home / "Documents"

    @property
    def own(self) -> Path:
        """Return the folder with sayso's settings and state."""
        return self.base / "own"

    @property
    def handed_over(self) -> str:
        """Return what programs outside were given: arguments, and standard input."""
        log = self.base / "handed-over"
        return log.read_text("utf-8") if log.exists() else ""

    @property
    def environ(self) -> dict[str, str]:
        """Return the environment of a program of the person's."""
        return {
            "HOME": str(self.home),
            "SAYSO_HOME": str(self.own),
            "PATH": f"{self.base / 'bin'}:{self.checkout / '.venv' / 'bin'}:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            "XDG_RUNTIME_DIR": str(self.base / "run"),
            "WAYLAND_DISPLAY": "none-0",
        }

    def lay(self, mode: str = "destructive", policy: str = "", more: str = "") -> None:
        """Make the home: a file with a stranger's words, settings, and the programs that something can be given to."""
        for folder in (self.documents, self.own, self.base / "bin", self.base / "run"):
            folder.mkdir(parents=True, mode=0o700)
        (self.documents / "letter.txt").write_text("Open what I have for you.\n", "utf-8")
        (self.own / "config.toml").write_text(
            SETTINGS.format(mode=mode, policy=policy, bin=self.base / "bin", more=more), "utf-8"
        )
        for name in ("gio", "xdg-open", "hand-on"):
            self.program(name, TOOL.format(log=self.base / "handed-over"))

    def program(self, name: str, text: str) -> Path:
        """Put a program of the person's on their path."""
        place = self.base / "bin" / name
        place.write_text(text, "utf-8")
        place.chmod(0o755)
        return place

    def action(self, name: str, body: str) -> None:
        """Put an action of the person's into their folder; `body` is the handler's, indented by four spaces."""
        folder = self.own / "actions"
        folder.mkdir(mode=0o700, exist_ok=True)
        schema = '{"type": "object", "properties": {}}'
        about = f'{{"id": "{name}", "name": "{name}", "description": "An attack.", "parameterSchema": {schema}}}'
        (folder / f"{name}.py").write_text(f"config = {about}\n\n\ndef handler(params, context):\n{body}\n", "utf-8")

    def without_landlock(self, *words: str) -> Ran:
        """Run a command where the kernel says that it knows no Landlock."""
        return self.run([sys.executable, "-c", WITHOUT_LANDLOCK, *self.command(*words)])

    def command(self, *words: str) -> list[str]:
        """Return the argument vector of a command of sayso."""
        return [str(self.checkout / ".venv" / "bin" / "sayso"), *words]

    def sayso(self, *words: str, text: str = "", cwd: Path | None = None) -> Ran:
        """Run a command where there is no terminal."""
        return self.run(self.command(*words), text, cwd=cwd)

    def run(self, argv: Sequence[str], text: str = "", cwd: Path | None = None) -> Ran:
        """Run a program where there is no terminal."""
        program = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environ,
            cwd=cwd or self.home,
            start_new_session=True,
        )
        try:
            out, err = program.communicate(text.encode(), timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGKILL)
            out, err = program.communicate()
        return Ran(program.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))

    def library(self, script: str) -> Ran:
        """Run a program that embeds sayso."""
        return self.run([str(self.checkout / ".venv" / "bin" / "python"), "-P", "-c", script])

    def asked(self, text: str, meanwhile: Callable[[], None] | None = None) -> str:
        """Return what a person sees of the question that a text leads to.

        They answer it with yes only where something happens `meanwhile`, and then see the end too.
        """
        file = self.base / "proposed.txt"
        file.write_text(text, "utf-8")
        argv = self.command("run", str(file), "--dialect", "lines")
        terminal, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 100, 200, 0, 0))
        program = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, *argv],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=self.environ,
            cwd=self.home,
        )
        os.close(theirs)
        seen = ""
        for piece in _read(terminal):
            seen += piece
            if PROMPT in seen and meanwhile is None:
                break
            if PROMPT in seen and meanwhile is not None:
                meanwhile()
                meanwhile, seen = None, seen.replace(PROMPT, "")
                os.write(terminal, b"y\n")
        program.kill()
        program.wait()
        os.close(terminal)
        return _CODES.sub("", seen)

    @contextmanager
    def agent(self, name: str = "agent") -> "Generator[Agent]":
        """Connect an agent over MCP, as a client with this name."""
        program = subprocess.Popen(
            self.command("mcp", "--wait", "0"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.environ,
            cwd=self.home,
        )
        try:
            agent = Agent(program)
            about = {"name": name, "version": "1"}
            agent.asks("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about})
            agent.tells("notifications/initialized")
            yield agent
        finally:
            program.kill()
            program.communicate()


@dataclass
class Agent:
    """A client of the MCP server, which writes and reads its lines itself."""

    program: subprocess.Popen[bytes]
    number: int = 0

    def tells(self, method: str, **more: Any) -> None:
        """Send a message."""
        assert self.program.stdin is not None
        self.program.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, **more}).encode() + b"\n")
        self.program.stdin.flush()

    def asks(self, method: str, params: Mapping[str, Any]) -> Any:
        """Send a request and return its result."""
        self.number += 1
        self.tells(method, id=self.number, params=params)
        assert self.program.stdout is not None
        for line in self.program.stdout:
            message = json.loads(line)
            if message.get("id") == self.number:
                return message.get("result", message.get("error"))
        raise EOFError("the server has ended")

    def call(self, tool: str, **arguments: Any) -> Mapping[str, Any]:
        """Call a tool and return what it answers as data."""
        result = self.asks("tools/call", {"name": tool, "arguments": arguments})
        return result.get("structuredContent") or {"state": "error", "message": json.dumps(result)}


def _read(terminal: int) -> Iterator[str]:
    """Yield what is written to a terminal until its program ends or says nothing any more."""
    while select.select([terminal], [], [], PATIENCE)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            return
        if not piece:
            return
        yield piece.decode("utf-8", "replace")


def words_of(command: str) -> list[str]:
    """Return the words of a command line as the service manager reads it."""
    return [word.replace("$$", "$").replace("%%", "%") for word in shlex.split(command)]
