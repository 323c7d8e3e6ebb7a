"""What every browser that sayso starts has in common: a program that is there, a port that is free, and a wait."""

import os
import socket
from collections.abc import Mapping
from pathlib import Path

import anyio

from sayso.core.errors import ProviderError, SetupError
from sayso.core.values import dataclass
from sayso.providers.browser.live.where import PORT_FILE
from sayso.providers.programs.running import Runner

WAIT = 40.0
LOOK = 0.05


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


async def until_it_answers(started: Started, folder: Path) -> Started:
    """Return what was started once it answers, with its port told in its profile. Raises `ProviderError`."""
    with anyio.move_on_after(WAIT):
        while not _answers(started.port):
            if not _lives(started.process):
                raise ProviderError(
                    f"{started.program} ended at once; try it by hand: {started.program} --version", "browser.ended"
                )
            await anyio.sleep(LOOK)
        (folder / PORT_FILE).write_text(str(started.port), "utf-8")
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
