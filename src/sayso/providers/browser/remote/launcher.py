"""What every browser that sayso starts has in common: a program that is there, a port that is free, and a wait."""

import os
import re
import socket
from collections.abc import Mapping
from pathlib import Path

import anyio

from sayso.core.errors import ProviderError, SetupError
from sayso.core.values import dataclass
from sayso.providers.browser.remote.settings import PORT_FILE
from sayso.providers.programs.run import Runner

WAIT = 40.0
LOOK = 0.05
LOCKS = ("SingletonLock", "lock")
"""The links by which Chromium and Firefox say, at their end, which process has a profile open."""
_NUMBER = re.compile(r"\d+$")


@dataclass(frozen=True, slots=True)
class Family:
    """Browsers that are started alike."""

    programs: tuple[str, ...]
    missing: str
    """What is said where none of them is there."""
    start: str
    """The command that starts one."""


@dataclass(frozen=True, slots=True)
class Wish:
    """How the browser is to be."""

    own: str
    """sayso's own folder."""
    downloads: Path | None
    """Where files may go; None for nowhere."""
    program: str = ""
    """Which browser; empty for the first of the known ones that is there."""
    headless: bool = False


@dataclass(frozen=True, slots=True)
class Started:
    """A browser that answers."""

    program: str
    process: int
    port: int


@dataclass(frozen=True, slots=True)
class Running:
    """A browser of sayso's own that runs; `lacks` is what it was not told, empty where it keeps away from all."""

    port: int
    lacks: str = ""


def tell_port(folder: Path, port: int) -> None:
    """Write down where a browser will listen, before it is started: who was ended meanwhile is found all the same."""
    (folder / PORT_FILE).write_text(str(port), "utf-8")


async def until_it_answers(started: Started, folder: Path) -> Started:
    """Return what was started once it answers; its port stands in its profile. Raises `ProviderError`."""
    with anyio.move_on_after(WAIT):
        while not _answers(started.port):
            if not _lives(started.process):
                (folder / PORT_FILE).unlink(missing_ok=True)
                raise ProviderError(
                    f"{started.program} ended at once; try it by hand: {started.program} --version", "browser.ended"
                )
            await anyio.sleep(LOOK)
        return started
    raise ProviderError(f"{started.program} was started, and does not answer within {WAIT:g} seconds", "browser.slow")


def program(runner: Runner, family: Family, wanted: str) -> str:
    """Return the program that is wanted, or the first of the family that is there. Raises `SetupError`."""
    if wanted:
        if runner.find(wanted) is None:
            raise SetupError(
                f"browser.program in the settings is “{wanted}”, and there is no such program", "browser.program"
            )
        return wanted
    found = next((name for name in family.programs if runner.find(name)), None)
    if found is None:
        raise SetupError(family.missing, "browser.missing")
    return found


def must_have_a_screen(environ: Mapping[str, str], family: Family, *, headless: bool) -> None:
    """Raise `SetupError` where a browser with a window could not be shown."""
    if not headless and not environ.get("DISPLAY") and not environ.get("WAYLAND_DISPLAY"):
        raise SetupError(
            f"there is no screen here to show a browser on; “{family.start} --headless” needs none", "screen"
        )


async def taken_up(folder: Path, family: Family, program: str) -> Started | None:
    """Return the browser that has this profile open already and was about to listen to sayso, once it answers.

    None where none has. Raises `SetupError` for one that sayso cannot speak to: another one would hand over to it
    what it is to open, and end.
    """
    process, line = opened_by(folder)
    if not process:
        return None
    try:
        port = int((folder / PORT_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        port = 0
    if f"--remote-debugging-port={port}".encode() in line:
        return await until_it_answers(Started(program, process, port), folder)
    raise SetupError(
        f"the profile {folder} is open already, in process {process}, which does not listen to sayso; close that "
        f"browser, or end it with “kill {process}”, and then try again: {family.start}",
        "browser.open",
    )


def opened_by(folder: Path) -> tuple[int, list[bytes]]:
    """Return the process that has a profile open, and its words; 0 for none. One that was killed leaves its lock."""
    for lock in LOCKS:
        try:
            process = int(_NUMBER.findall(str((folder / lock).readlink()))[-1])
            line = Path("/proc", str(process), "cmdline").read_bytes().split(b"\0")
        except (OSError, IndexError):
            continue
        if any(os.fsencode(folder) in word for word in line):
            return process, line
    return 0, []


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True
