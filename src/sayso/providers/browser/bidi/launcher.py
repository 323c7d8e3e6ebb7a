"""Start Firefox with a profile of sayso's own, told from its first moment what it must keep away from."""

import json
from pathlib import Path

from sayso.core.encoding import Json
from sayso.providers.browser.address import own_ports, private
from sayso.providers.browser.bidi.session import KIND, preference
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

FIREFOX = Family(
    ("firefox-esr", "firefox"),
    "Firefox was not found; install it (on Debian: sudo apt-get install firefox-esr), or name it in browser.program",
    KIND.start,
)
PREFERENCES: tuple[tuple[str, Json], ...] = (
    # Without this it turns off what protects whoever browses: warnings of bad sites, the pop-up blocker, and more.
    ("remote.prefs.recommended", False),
    ("browser.shell.checkDefaultBrowser", False),
    ("browser.aboutwelcome.enabled", False),
    ("browser.startup.homepage_override.mstone", "ignore"),
    ("browser.startup.page", 0),
    ("browser.warnOnQuit", False),
    # A tab that is put to sleep is none that BiDi tells of.
    ("browser.tabs.unloadOnLowMemory", False),
    ("datareporting.policy.dataSubmissionEnabled", False),
)
NAMED = 2
"""What Firefox calls “in the folder that is named”."""


async def start(runner: ProgramRunner, wish: Wish) -> Started:
    """Start Firefox and wait until it answers. Raises `SetupError` and `ProviderError`."""
    found = program(runner, FIREFOX, wish.program)
    up = await find_running(KIND.profile(wish.own), FIREFOX, found)
    if up:
        return up
    must_have_a_screen(runner.environ, FIREFOX, headless=wish.headless)
    folder, port, marionette = private(wish.own, KIND.folder), free_port(), free_port()
    _prepare(folder, wish, port, marionette)
    words = (
        "--no-remote",
        "--profile",
        str(folder),
        f"--remote-debugging-port={port}",
        # By way of it what a sayso that was killed left behind is ended.
        "--marionette",
        *(("--headless",) if wish.headless else ()),
        "about:blank",
    )
    tell_port(folder, port)
    process = await launch(runner, ProgramCall(found, words, also=browser_environment(runner.environ)))
    return await until_it_answers(Started(found, process, port), folder)


def _prepare(folder: Path, wish: Wish, port: int, marionette: int) -> None:
    """Have a private profile whose `user.js`, which Firefox reads as it starts, is sayso's own."""
    told = (*PREFERENCES, *_downloads(wish.downloads), ("marionette.port", marionette))
    kept_away = preference(own_ports(wish.own) | {port, marionette})
    file = folder / "user.js"
    file.write_text("".join([*(_line(name, value) for name, value in told), kept_away, "\n"]), "utf-8")
    file.chmod(0o600)


def _downloads(folder: Path | None) -> tuple[tuple[str, Json], ...]:
    """Return what keeps files where they may go; where that is nowhere, the person is asked for each."""
    if folder is None:
        return (("browser.download.useDownloadDir", False),)
    return (
        ("browser.download.useDownloadDir", True),
        ("browser.download.folderList", NAMED),
        ("browser.download.dir", str(folder)),
    )


def _line(name: str, value: Json) -> str:
    return f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
