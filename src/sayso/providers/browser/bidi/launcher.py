"""Start Firefox with a profile of sayso's own, and with the preference to refuse sayso's own pages."""

import json
from pathlib import Path

from sayso.core.encoding import Json
from sayso.providers.browser.address import own_ports
from sayso.providers.browser.bidi.session import KIND, ban_preference
from sayso.providers.browser.remote.launcher import (
    BrowserFamily,
    LaunchOptions,
    StartedBrowser,
    free_port,
    start_browser,
)
from sayso.providers.programs.run import ProgramRunner

FIREFOX = BrowserFamily(
    ("firefox-esr", "firefox"),
    "Firefox was not found; install it (on Debian: sudo apt-get install firefox-esr), or name it in browser.program",
    KIND,
)
PREFERENCES: tuple[tuple[str, Json], ...] = (
    # If this is true, Firefox turns off protections of the person, such as warnings of harmful sites and the pop-up
    # blocker.
    ("remote.prefs.recommended", False),
    ("browser.shell.checkDefaultBrowser", False),
    ("browser.aboutwelcome.enabled", False),
    ("browser.startup.homepage_override.mstone", "ignore"),
    ("browser.startup.page", 0),
    ("browser.warnOnQuit", False),
    # BiDi does not list a tab that Firefox has unloaded, so Firefox must not unload any.
    ("browser.tabs.unloadOnLowMemory", False),
    ("datareporting.policy.dataSubmissionEnabled", False),
)
NAMED = 2
"""The value of `browser.download.folderList` with which Firefox saves downloads in `browser.download.dir`."""


async def start(runner: ProgramRunner, options: LaunchOptions) -> StartedBrowser:
    """Start Firefox and wait until it answers. Raises `SetupError` and `ProviderError`."""

    def prepare(folder: Path, port: int) -> tuple[tuple[str, ...], dict[str, str]]:
        _write_preferences(folder, options, port, free_port())
        return (
            "--no-remote",
            "--profile",
            str(folder),
            f"--remote-debugging-port={port}",
            # Needed to end the session of a sayso process that was killed.
            "--marionette",
            *(("--headless",) if options.headless else ()),
            "about:blank",
        ), {}

    return await start_browser(runner, options, FIREFOX, prepare)


def _write_preferences(folder: Path, options: LaunchOptions, port: int, marionette: int) -> None:
    """Write the profile's `user.js`, which Firefox reads when it starts."""
    preferences = (*PREFERENCES, *_downloads(options.downloads), ("marionette.port", marionette))
    kept_away = ban_preference(own_ports(options.own) | {port, marionette})
    file = folder / "user.js"
    file.write_text("".join([*(_line(name, value) for name, value in preferences), kept_away, "\n"]), "utf-8")
    file.chmod(0o600)


def _downloads(folder: Path | None) -> tuple[tuple[str, Json], ...]:
    """Return the preferences that save downloads in a folder; with None, Firefox asks for each download."""
    if folder is None:
        return (("browser.download.useDownloadDir", False),)
    return (
        ("browser.download.useDownloadDir", True),
        ("browser.download.folderList", NAMED),
        ("browser.download.dir", str(folder)),
    )


def _line(name: str, value: Json) -> str:
    return f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
