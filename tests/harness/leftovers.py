"""End sayso in the middle of what it does to a desktop, and look for what is left of processes, files and sockets."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import anyio

import sayso
from sayso.providers.programs import ending, running
from sayso.providers.programs.call import Call
from tests.desktop_env import parts
from tests.desktop_env.session import Session, wait_for
from tests.harness.planting import everywhere
from tests.harness.told import Planted, Run, begun

N, SHORT = 200, 6
GONE_WITHIN = 5.0
"""Seconds after which what is still there has been left behind."""
LONGEST = 0.8
"""Seconds after which sayso is ended at the latest, when it is ended at a moment drawn at random."""
STARTS_MORE = 'sleep 300 & setsid sleep 300 & : >"$HOME/began"; wait; wait'
SETTINGS = f"""\
[policy]
mode = "never"
[shortcuts.long]
argv = ["sh", "-c", '{STARTS_MORE}', "sh"]
input = "file"
[shortcuts.limited]
argv = ["sh", "-c", '{STARTS_MORE}', "sh"]
seconds = 1
"""
NEEDED = (
    "Xvfb",
    "openbox",
    "dbus-daemon",
    "dunst",
    "pulseaudio",
    "pactl",
    "xclip",
    "xsel",
    "setpriv",
    "xprop",
    "xrandr",
)


class Deed(NamedTuple):
    """What sayso is asked to do, and when it is ended."""

    words: str
    ended: str
    """`began`: once the shortcut runs; `any`: at any moment; `never`: it ends by itself."""


DEEDS = (
    Deed('RUN_SHORTCUT "long" "words nobody else should read"', "began"),
    Deed('RUN_SHORTCUT "limited"', "never"),
    Deed('RUN_SHORTCUT "long" "more words"', "any"),
    Deed('COPY_TO_CLIPBOARD "copied"\nSET_VOLUME 30\nNOTIFY "A" "B"', "any"),
    Deed("DO_NOT_DISTURB ON\nDO_NOT_DISTURB OFF\nSET_VOLUME 60", "any"),
    Deed('RUN_SHORTCUT "limited" "words"', "any"),
)


def around(session: Session) -> Counter[str]:
    """Return what there is of a session, as the kernel and its file system tell it."""
    return Counter([*_processes(session), *_files(session), *_sockets(session)])


def _processes(session: Session) -> list[str]:
    home, found = f"HOME={session.home}".encode(), list[str]()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and home in (entry / "environ").read_bytes().split(b"\0"):
                said = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found.append(f"process {entry.name} {said.strip()[:80]}")
        except OSError:
            continue
    return found


def _files(session: Session) -> list[str]:
    own = session.home / "own"
    places = (session.runtime, session.home / "tmp", own / "tmp")
    return [f"file {path}" for place in places if place.is_dir() for path in place.rglob("*")]


def _sockets(session: Session) -> list[str]:
    ours = (str(session.home), f"X11-unix/X{session.environment['DISPLAY'].removeprefix(':')}")
    lines = Path("/proc/net/unix").read_text().splitlines()[1:]
    # Who listens, who is connected, and through what: an X client is a connection to the screen's socket.
    told = [line.split() for line in lines if line.endswith(ours[1]) or ours[0] in line]
    return [f"socket {' '.join((words[3], words[5], words[7]))}" for words in told]


class Leftovers:
    """One session, and what was there before sayso was."""

    def __init__(self, run: Run, session: Session) -> None:
        self._run = run
        self._session = session
        self._draw = random.Random(run.seed)
        self._began = session.home / "began"
        self._before = self._quiet()

    def one(self, number: int) -> None:
        """Do one deed, end sayso in it, and compare."""
        deed = DEEDS[number % len(DEEDS)]
        self._began.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            _does(deed, self._session)
        killed = self._ended(deed, child)
        self._run.count("killed" if killed else "ended by itself")
        self._run.count(f"{deed.ended}: {deed.words.split()[0].lower()}")
        left = self._left()
        if left:
            self._run.breach(f"{deed.words!r}, ended {deed.ended}: {'; '.join(sorted(left))}")
            self._before = around(self._session)

    def _ended(self, deed: Deed, child: int) -> bool:
        if deed.ended == "any":
            time.sleep(self._draw.uniform(0, LONGEST))
            os.kill(child, signal.SIGKILL)
        if deed.ended == "began":
            wait_for(self._began.exists, "the beginning of the shortcut", 30)
            os.kill(child, signal.SIGKILL)
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])

    def _left(self) -> Counter[str]:
        until = time.monotonic() + GONE_WITHIN
        while time.monotonic() < until:
            if not (left := self._quiet() - self._before):
                return left
            time.sleep(0.02)
        return self._quiet() - self._before

    def _quiet(self) -> Counter[str]:
        # Who holds the clipboard stays on purpose, until somebody else does; so it is let go of.
        self._session.run("xsel", "--clear", "--clipboard")
        return around(self._session)


def _does(deed: Deed, session: Session) -> None:
    """Do a deed in this process, which ends with it."""

    async def do() -> None:
        async with sayso.open_home(str(session.home / "own"), environ=session.environment) as home:
            await home.run(deed.words)

    try:
        anyio.run(do)
    finally:
        os._exit(0)


def unkept() -> None:
    """Let a shortcut run on when sayso is killed."""

    def nobody(call: Call, passed: tuple[int, ...]) -> tuple[str, ...]:
        return ()

    everywhere(running.under_keeping, nobody)


def named() -> None:
    """Let sayso itself write the file that a shortcut reads, and remove it when all went well."""
    sound = running.under_keeping

    def written(call: Call, passed: tuple[int, ...]) -> tuple[str, ...]:
        if call.file:
            Path(call.file).write_bytes(call.filed)
        return (*sound(call, passed)[:-1], "")

    everywhere(sound, written)


def childless() -> None:
    """End a program at its limit, and not what it started."""

    async def alone(process: subprocess.Popen[bytes], token: str) -> None:
        process.kill()
        process.wait()

    everywhere(ending.end, alone)


PLANTED: Planted = {"unkept": unkept, "named": named, "childless": childless}


def main() -> int:
    """Run it, and say what was left."""
    run = begun("leftovers", PLANTED, N)
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        sys.exit(f"needs {', '.join(missing)}; tools/system-packages installs it")
    session = Session()
    try:
        parts.a_bus(session)
        parts.a_screen(session)
        parts.notifications(session)
        parts.sound(session)
        for folder in ("own", "tmp"):
            (session.home / folder).mkdir(mode=0o700)
        session.environment["TMPDIR"] = str(session.home / "tmp")
        (session.home / "own" / "config.toml").write_text(SETTINGS)
        leftovers = Leftovers(run, session)
        number = 0
        while not run.over(number):
            leftovers.one(number)
            number += 1
    finally:
        session.close()
    run.coverage["deeds"] = len(DEEDS)
    if not run.counts.get("killed"):
        run.gap("sayso was never killed")
    return run.ended()


if __name__ == "__main__":
    sys.exit(main())
