"""Start a browser with a profile of sayso's own: the part that all kinds of browsers share."""

import os
import re
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SetupError
from sayso.core.quotes import quoted
from sayso.providers.browser.address import private
from sayso.providers.browser.remote.connection import ConnectionLost
from sayso.providers.browser.remote.local_socket import LocalSocket
from sayso.providers.browser.remote.settings import PORT_FILE, BrowserKind
from sayso.providers.programs.own_python import script_command
from sayso.providers.programs.run import ProgramCall, ProgramRunner, browser_environment, launch

ANSWER_SECONDS, ANSWER_PAUSE = 40.0, 0.05
LOCKS = ("SingletonLock", "lock")
"""Symbolic links in a profile folder; the target ends with the id of the process that has the profile open."""
_NUMBER = re.compile(r"\d{1,20}$")


class BrowserFamily(Struct, frozen=True):
    """A kind of browser, and the names of the programs that can be started."""

    programs: tuple[str, ...]
    missing: str
    """Message for a person who has none of these programs."""
    kind: BrowserKind
    broker: str = ""
    """The file of the helper program that starts a browser of a kind that is controlled through a pipe."""


class LaunchOptions(Struct, frozen=True):
    """How to start the browser."""

    own: str
    """sayso's own folder."""
    downloads: Path | None
    """The folder for downloads; None to allow none."""
    program: str = ""
    """The program to start; empty for the first known one that is installed."""
    headless: bool = False


class StartedBrowser(Struct, frozen=True):
    """A started browser that accepts connections."""

    program: str
    process: int
    port: int
    """The port that it listens on; 0 if it is reached by a private socket."""


async def start_browser(
    runner: ProgramRunner,
    options: LaunchOptions,
    family: BrowserFamily,
    prepare: Callable[[Path, int], tuple[tuple[str, ...], Mapping[str, str]]],
) -> StartedBrowser:
    """Start a browser with sayso's own profile and wait until it answers. Raises `SetupError` and `ProviderError`.

    `prepare` gets the profile folder and the port. It writes settings into the profile and returns the arguments and
    the environment variables for the start. If a browser already runs with this profile, that browser is returned.
    """
    program = find_program(runner, family, options.program)
    running = await find_running(family.kind.profile(options.own), family, program)
    if running:
        return running
    must_have_a_screen(runner.environ, family, headless=options.headless)
    folder = private(options.own, family.kind.folder)
    port = 0 if family.kind.piped else free_port()
    arguments, also = prepare(folder, port)
    call = ProgramCall(program, arguments, also={**browser_environment(runner.environ), **also})
    if family.kind.piped:
        call = call_broker(call, family.broker, runner.find(program) or program, folder)
    else:
        write_port(folder, port)
    return await wait_until_ready(StartedBrowser(program, await launch(runner, call), port), folder)


def call_broker(call: ProgramCall, broker: str, path: str, folder: Path) -> ProgramCall:
    """Return the call that has the broker start the program."""
    python, *words = script_command(broker, str(folder), path, *call.words)
    return replace(call, program=python, words=tuple(words))


def write_port(folder: Path, port: int) -> None:
    """Write the port to a file before the browser starts, so that the browser is found even if sayso is killed."""
    (folder / PORT_FILE).write_text(str(port), "utf-8")


async def wait_until_ready(started: StartedBrowser, folder: Path) -> StartedBrowser:
    """Return a started browser once it answers. Raises `ProviderError` if it ends or does not answer in time."""
    with anyio.move_on_after(ANSWER_SECONDS):
        while True:
            if started.port == 0 and (process := _greeted(folder)):
                return replace(started, process=process)
            if started.port and _answers(started.port):
                return started
            if not _lives(started.process):
                (folder / PORT_FILE).unlink(missing_ok=True)
                raise ProviderError(
                    f"{started.program} ended at once; try it by hand: {started.program} --version", "browser.ended"
                )
            await anyio.sleep(ANSWER_PAUSE)
    raise ProviderError(
        f"{started.program} was started, and does not answer within {ANSWER_SECONDS:g} seconds", "browser.slow"
    )


def find_program(runner: ProgramRunner, family: BrowserFamily, wanted: str) -> str:
    """Return the wanted program, or the first of the family that is installed. Raises `SetupError`."""
    if wanted:
        if runner.find(wanted) is None:
            raise SetupError(
                f"browser.program in the settings is {quoted(wanted)}, and there is no such program", "browser.program"
            )
        return wanted
    found = next((name for name in family.programs if runner.find(name)), None)
    if found is None:
        raise SetupError(family.missing, "browser.missing")
    return found


def must_have_a_screen(environ: Mapping[str, str], family: BrowserFamily, *, headless: bool) -> None:
    """Raise `SetupError` if the browser needs a screen and there is none."""
    if not headless and not environ.get("DISPLAY") and not environ.get("WAYLAND_DISPLAY"):
        raise SetupError(
            f"there is no screen here to show a browser on; {quoted(f'{family.kind.start} --headless')} needs none",
            "screen",
        )


async def find_running(folder: Path, family: BrowserFamily, program: str) -> StartedBrowser | None:
    """Return the browser that already has this profile open and can be controlled, once it answers.

    Returns None if no browser has it open. Raises `SetupError` if sayso cannot control that browser. A second browser
    with the same profile would only pass its addresses to the first one and end.
    """
    if family.kind.piped and (greeted := _greeted(folder)):
        return StartedBrowser(program, greeted, 0)
    process, line = profile_owner(folder)
    if not process:
        return None
    try:
        port = int((folder / PORT_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        port = 0
    if not family.kind.piped and f"--remote-debugging-port={port}".encode() in line:
        return await wait_until_ready(StartedBrowser(program, process, port), folder)
    raise SetupError(
        f"the profile {folder} is open already, in process {process}, which does not listen to sayso; close that "
        f"browser, or end it with “kill {process}”, and then try again: {family.kind.start}",
        "browser.open",
    )


def profile_owner(folder: Path) -> tuple[int, list[bytes]]:
    """Return the id of the process that has a profile open, and its command line; `(0, [])` if there is none.

    A lock may remain after its process was killed, so the command line must contain the profile folder.
    """
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
    """Return a free port on the loopback address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def _greeted(folder: Path) -> int:
    """Return the process of the browser that is reached by the socket in a folder; 0 if none answers."""
    try:
        wire = LocalSocket(folder)
    except ConnectionLost:
        return 0
    wire.close()
    return wire.greeting.process


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True
