"""Start a Chromium browser with a profile of sayso's own, and with the option to refuse sayso's own pages."""

import json
import os
from contextlib import suppress
from pathlib import Path

from sayso.core.encoding import Json
from sayso.providers.browser.address import own_ports, private
from sayso.providers.browser.cdp.driver import KIND
from sayso.providers.browser.cdp.guard import keep_away_option, proxy_exceptions
from sayso.providers.browser.remote.launcher import BrowserFamily, LaunchOptions, StartedBrowser, start_browser
from sayso.providers.programs.run import ProgramRunner

CHROMIUM = BrowserFamily(
    (
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave-browser", "microsoft-edge",
        "microsoft-edge-stable", "vivaldi", "vivaldi-stable",
    ),
    "no browser of the Chromium family was found; install one (on Debian: sudo apt-get install chromium), "
    "or name one in browser.program",
    KIND,
    str(Path(__file__).with_name("broker.py")),
)  # fmt: skip
FLAGS = ("--no-first-run", "--no-default-browser-check", "--password-store=basic", "--use-mock-keychain")
"""The last two keep the browser from asking the keyring of the session, which may wait for ever to be unlocked."""
NO_DOWNLOADS = 3
"""The browser's value of `download_restrictions` for “allow no downloads”."""


async def start(runner: ProgramRunner, options: LaunchOptions) -> StartedBrowser:
    """Start the browser and wait until it answers. Raises `SetupError` and `ProviderError`."""

    def prepare(folder: Path, _: int) -> tuple[tuple[str, ...], dict[str, str]]:
        kept_away = own_ports(options.own)
        _write_preferences(folder, options.downloads)
        return (
            *FLAGS,
            f"--user-data-dir={folder}",
            "--remote-debugging-pipe",
            keep_away_option(kept_away),
            *(("--headless=new",) if options.headless else ()),
            *(("--no-sandbox",) if os.geteuid() == 0 else ()),  # as root, the browser starts only without its sandbox
            "about:blank",
        ), proxy_exceptions(runner.environ, kept_away)

    return await start_browser(runner, options, CHROMIUM, prepare)


def _write_preferences(folder: Path, downloads: Path | None) -> None:
    """Write the download settings into the profile; its other settings stay unchanged."""
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
