"""Start a browser with a profile of sayso's own, and with the option that keeps it away from sayso's own pages."""

import json
import os
from contextlib import suppress
from pathlib import Path

from sayso.core.encoding import Json
from sayso.providers.browser.address import own_ports, private
from sayso.providers.browser.cdp.driver import KIND
from sayso.providers.browser.cdp.guard import keep_away_option, proxy_exceptions
from sayso.providers.browser.remote.launcher import (
    BrowserFamily,
    LaunchOptions,
    StartedBrowser,
    find_program,
    find_running,
    free_port,
    must_have_a_screen,
    wait_until_ready,
    write_port,
)
from sayso.providers.programs.run import ProgramCall, ProgramRunner, browser_environment, launch

CHROMIUM = BrowserFamily(
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


async def start(runner: ProgramRunner, options: LaunchOptions) -> StartedBrowser:
    """Start the browser and wait until it answers. Raises `SetupError` and `ProviderError`."""
    found = find_program(runner, CHROMIUM, options.program)
    running = await find_running(KIND.profile(options.own), CHROMIUM, found)
    if running:
        return running
    must_have_a_screen(runner.environ, CHROMIUM, headless=options.headless)
    folder, port = KIND.profile(options.own), free_port()
    kept_away = own_ports(options.own) | {port}  # its own DevTools are no page either
    _prepare(private(options.own, KIND.folder), options.downloads)
    arguments = (
        *FLAGS,
        f"--user-data-dir={folder}",
        f"--remote-debugging-port={port}",
        keep_away_option(kept_away),
        *(("--headless=new",) if options.headless else ()),
        *(("--no-sandbox",) if os.geteuid() == 0 else ()),  # it does not run as root otherwise
        "about:blank",
    )
    also = {**browser_environment(runner.environ), **proxy_exceptions(runner.environ, kept_away)}
    write_port(folder, port)
    process = await launch(runner, ProgramCall(found, arguments, also=also))
    return await wait_until_ready(StartedBrowser(found, process, port), folder)


def _prepare(folder: Path, downloads: Path | None) -> None:
    """Set where downloads may go in a private profile; its other settings stay."""
    settings = private(folder, "Default") / "Preferences"
    preferences: dict[str, Json] = {}
    with suppress(OSError, ValueError):
        preferences = json.loads(settings.read_text("utf-8"))
    kept: dict[str, Json] = {"prompt_for_download": False}
    if downloads is not None:
        kept["default_directory"] = str(downloads)
    before = preferences.get("download")
    preferences["download"] = {**(before if isinstance(before, dict) else {}), **kept}
    preferences["download_restrictions"] = 0 if downloads is not None else NO_DOWNLOADS
    settings.write_text(json.dumps(preferences), "utf-8")
    settings.chmod(0o600)
