"""Start a browser with a profile of sayso's own, told from its first moment what it must keep away from."""

import json
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import anyio

from sayso.core.canonical import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.values import dataclass
from sayso.providers.browser.cdp.guard import flag
from sayso.providers.browser.cdp.where import KIND
from sayso.providers.browser.live.where import PORT_FILE
from sayso.providers.browser.own_pages import own_ports, private
from sayso.providers.programs.call import Call
from sayso.providers.programs.launching import launch
from sayso.providers.programs.running import Runner

PROGRAMS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave-browser", "microsoft-edge",
    "microsoft-edge-stable", "vivaldi", "vivaldi-stable",
)  # fmt: skip
FLAGS = ("--no-first-run", "--no-default-browser-check")
WAIT = 40.0
LOOK = 0.05
NO_DOWNLOADS = 3
"""What the browser's own settings call “no downloads at all”."""


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


async def start(runner: Runner, wish: Wish) -> Started:
    """Start the browser and wait until it answers. Raises `SetupError` and `ProviderError`."""
    program = _program(runner, wish.program)
    _must_have_a_screen(runner.environ, headless=wish.headless)
    folder, port = KIND.profile(wish.own), _free_port()
    _prepare(private(wish.own, KIND.folder), wish.downloads)
    words = (
        *FLAGS,
        f"--user-data-dir={folder}",
        f"--remote-debugging-port={port}",
        # Its own DevTools are no page either.
        flag(own_ports(wish.own) | {port}),
        *(("--headless=new",) if wish.headless else ()),
        *(("--no-sandbox",) if os.geteuid() == 0 else ()),  # it does not run as root otherwise
        "about:blank",
    )
    process = await launch(runner, Call(program, words))
    with anyio.move_on_after(WAIT):
        while not _answers(port):
            if not _lives(process):
                raise ProviderError(f"{program} ended at once; try it by hand: {program} --version", "browser.ended")
            await anyio.sleep(LOOK)
        (folder / PORT_FILE).write_text(str(port), "utf-8")
        return Started(program, process, port)
    raise ProviderError(f"{program} was started, and does not answer within {WAIT:g} seconds", "browser.slow")


def _program(runner: Runner, wanted: str) -> str:
    if wanted:
        if runner.find(wanted) is None:
            raise SetupError(
                f"browser.program in the settings is “{wanted}”, and there is no such program", "browser.program"
            )
        return wanted
    found = next((name for name in PROGRAMS if runner.find(name)), None)
    if found is None:
        raise SetupError(
            "no browser of the Chromium family was found; install one (on Debian: sudo apt-get install chromium), "
            "or name one in browser.program",
            "browser.missing",
        )
    return found


def _must_have_a_screen(environ: Mapping[str, str], *, headless: bool) -> None:
    if not headless and not environ.get("DISPLAY") and not environ.get("WAYLAND_DISPLAY"):
        raise SetupError(
            "there is no screen here to show a browser on; “sayso browser --headless” needs none", "screen"
        )


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def _prepare(folder: Path, downloads: Path | None) -> None:
    """Have a private profile that keeps files where they may go; what else is set in it stays."""
    settings = private(folder, "Default") / "Preferences"
    told: dict[str, Json] = {}
    with suppress(OSError, ValueError):
        told = json.loads(settings.read_text("utf-8"))
    kept: dict[str, Json] = {"prompt_for_download": False}
    if downloads is not None:
        kept["default_directory"] = str(downloads)
    before = told.get("download")
    told["download"] = {**(before if isinstance(before, dict) else {}), **kept}
    told["download_restrictions"] = 0 if downloads is not None else NO_DOWNLOADS
    settings.write_text(json.dumps(told), "utf-8")
    settings.chmod(0o600)
    (folder / PORT_FILE).unlink(missing_ok=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True
