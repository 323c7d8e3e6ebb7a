"""`sayso browser`: start or stop a browser with sayso's own profile."""

import argparse
from collections.abc import Awaitable, Callable

import anyio
from msgspec import Struct

from sayso.assembly.wiring import ground
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.ports import BackendContext, no_kill_point
from sayso.core.quotes import visible
from sayso.providers.browser import BROWSER
from sayso.providers.browser.address import own_ports, private
from sayso.providers.browser.bidi.driver import Firefox
from sayso.providers.browser.bidi.launcher import start as start_firefox
from sayso.providers.browser.cdp.driver import Chromium
from sayso.providers.browser.cdp.launcher import start as start_chromium
from sayso.providers.browser.remote.driver import RunningBrowser
from sayso.providers.browser.remote.launcher import LaunchOptions, StartedBrowser
from sayso.providers.browser.remote.settings import BrowserKind, WantedBrowser, read_settings
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.locks import FileLocks
from sayso.runtime.system import RandomIds, SystemClock
from sayso.surfaces.cli.app import Command
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.journal import settings_of


class BrowserProgram(Struct, frozen=True):
    """The functions that start and control one kind of browser."""

    driver: type[Chromium | Firefox]
    start: Callable[[ProgramRunner, LaunchOptions], Awaitable[StartedBrowser]]

    @property
    def kind(self) -> BrowserKind:
        """Return the names and settings of this kind of browser."""
        return self.driver.kind


NOT_MEANT = "  The settings mean another browser; to have this one used: sayso config set browser.kind bidi"
CHROMIUM = BrowserProgram(Chromium, start_chromium)
FIREFOX = BrowserProgram(Firefox, start_firefox)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--firefox", action="store_true", help="use Firefox, even when browser.kind does not select it")
    parser.add_argument(
        "--headless", action="store_true", help="start it without a window, for a computer without a screen"
    )
    parser.add_argument("--stop", action="store_true", help="close the browser and all its tabs")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Start the browser, or close it."""
    on = ground(BROWSER, settings_of(here), SystemClock(), RandomIds(), no_kill_point)
    if arguments.firefox or _is_meant(Firefox.kind, on):
        return _act(FIREFOX, on, arguments, here)
    return _act(CHROMIUM, on, arguments, here)


def _act(program: BrowserProgram, on: BackendContext, arguments: argparse.Namespace, here: CommandContext) -> int:
    said, kind = read_settings(on, program.kind), program.kind
    if said.wanted.url:
        raise SetupError(
            f"the settings name the browser at {said.wanted.url} ({kind.setting}), so sayso starts none of its own",
            "browser.named",
        )
    if arguments.stop:
        return _stop_browser(program, on, said.wanted, here)
    options = LaunchOptions(
        on.own, said.downloads, said.program if _is_meant(kind, on) else "", headless=arguments.headless
    )
    runs, made = anyio.run(
        _running_or_started, program, on, said.wanted, options, ProgramRunner(here.environ, RandomIds())
    )
    profile = str(kind.profile(on.own))
    listens = runs.port if runs else made.port
    told_of: dict[str, Json] = {"running": True, "profile": profile, "port": listens or None}
    if runs:
        return _print_document(here, {**told_of, "started": False}, "✓ the browser is running already")
    return _print_document(
        here,
        {**told_of, "process": made.process, "program": made.program, "started": True},
        f"✓ {visible(made.program)} runs, with a profile of its own in {visible(profile)}",
        "  What is opened, read and clicked for you happens there. It knows your logins once you log in there.",
        *(() if _is_meant(kind, on) else (NOT_MEANT,)),
    )


def _stop_browser(program: BrowserProgram, on: BackendContext, wanted: WantedBrowser, here: CommandContext) -> int:
    browser = program.driver(on, wanted)
    try:
        runs = browser.running(own_ports(on.own))
        if runs:
            browser.quit()
    finally:
        browser.close()
    return _print_document(here, {"running": False}, "✓ the browser was ended" if runs else "no browser was running")


async def _running_or_started(
    program: BrowserProgram, on: BackendContext, wanted: WantedBrowser, options: LaunchOptions, runner: ProgramRunner
) -> tuple[RunningBrowser | None, StartedBrowser]:
    """Return the running browser, or else start one; if another process is starting one now, wait for it."""
    async with FileLocks(private(on.own, "locks")).hold([program.kind.folder]):
        browser = program.driver(on, wanted)
        try:
            runs = browser.running(own_ports(on.own))
        finally:
            browser.close()
        if runs:
            _must_keep_away(runs, program.kind)
            return runs, StartedBrowser("", 0, runs.port)
        return None, await program.start(runner, options)


def _must_keep_away(runs: RunningBrowser, kind: BrowserKind) -> None:
    if runs.lacks:
        raise SetupError(
            "the browser was started before a page of sayso's own, and does not keep away from it "
            f"({runs.lacks}); start it anew: {kind.start} --stop, then {kind.start}",
            "browser.exposed",
        )


def _is_meant(kind: BrowserKind, on: BackendContext) -> bool:
    """Return whether the settings select this kind of browser."""
    return (kind is Firefox.kind) == (on.settings.get("kind") == "bidi")


def _print_document(here: CommandContext, document: dict[str, Json], *lines: str) -> int:
    if here.json:
        here.document(document)
    else:
        here.print(*lines)
    return Exit.FINE


COMMAND = Command(
    configure,
    act,
    "sayso browser",
    "It stays open when the command ends. To use a browser that you started yourself, set browser.cdp_url, or for "
    "Firefox "
    "browser.bidi_url.",
)
