"""Start a browser with a profile of sayso's own, told from its first moment what it must keep away from."""

import json
import os
from contextlib import suppress
from pathlib import Path

from sayso.core.encoding import Json
from sayso.providers.browser.address import own_ports, private
from sayso.providers.browser.cdp.guard import flag, past_proxies
from sayso.providers.browser.cdp.session import KIND
from sayso.providers.browser.remote.settings import (
    Family,
    Started,
    Wish,
    find_running,
    free_port,
    must_have_a_screen,
    program,
    tell_port,
    until_it_answers,
)
from sayso.providers.programs.run import ProgramCall, ProgramRunner, browser_environment, launch

CHROMIUM = Family(
    (
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave-browser", "microsoft-edge",
        "microsoft-edge-stable", "vivaldi", "vivaldi-stable",
    ),
    "no browser of the Chromium family was found; install one (on Debian: sudo apt-get install chromium), "
    "or name one in browser.program",
    KIND.start,
)  # fmt: skip
FLAGS = ("--no-first-run", "--no-default-browser-check")
NO_DOWNLOADS = 3
"""What the browser's own settings call “no downloads at all”."""


async def start(runner: ProgramRunner, wish: Wish) -> Started:
    """Start the browser and wait until it answers. Raises `SetupError` and `ProviderError`."""
    found = program(runner, CHROMIUM, wish.program)
    up = await find_running(KIND.profile(wish.own), CHROMIUM, found)
    if up:
        return up
    must_have_a_screen(runner.environ, CHROMIUM, headless=wish.headless)
    folder, port = KIND.profile(wish.own), free_port()
    kept_away = own_ports(wish.own) | {port}  # its own DevTools are no page either
    _prepare(private(wish.own, KIND.folder), wish.downloads)
    words = (
        *FLAGS,
        f"--user-data-dir={folder}",
        f"--remote-debugging-port={port}",
        flag(kept_away),
        *(("--headless=new",) if wish.headless else ()),
        *(("--no-sandbox",) if os.geteuid() == 0 else ()),  # it does not run as root otherwise
        "about:blank",
    )
    also = {**browser_environment(runner.environ), **past_proxies(runner.environ, kept_away)}
    tell_port(folder, port)
    process = await launch(runner, ProgramCall(found, words, also=also))
    return await until_it_answers(Started(found, process, port), folder)


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
