"""`sayso browser`: start a browser with a profile of sayso's own."""

import argparse

import anyio

from sayso.assembly.opening import ground
from sayso.core.canonical import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import no_kill_point
from sayso.providers.browser.cdp.chromium import Chromium
from sayso.providers.browser.cdp.guard import flag
from sayso.providers.browser.cdp.health import chromium
from sayso.providers.browser.cdp.starting import Wish, start
from sayso.providers.browser.cdp.where import KIND
from sayso.providers.browser.live.told import told
from sayso.providers.browser.own_pages import own_ports
from sayso.providers.browser.provider import BROWSER
from sayso.providers.programs.running import Runner
from sayso.runtime.clock import SystemClock
from sayso.runtime.ids import RandomIds
from sayso.surfaces.cli.command import Command
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.exits import Exit
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.homes import settings_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--headless", action="store_true", help="without a window, where there is no screen")
    parser.add_argument("--stop", action="store_true", help="end it, with all its tabs")


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Start it, or end it."""
    on = ground(BROWSER, settings_of(here), SystemClock(), RandomIds(), no_kill_point)
    said = told(on, KIND)
    if said.wanted.url:
        raise SetupError(
            f"the settings name the browser at {said.wanted.url} (browser.cdp_url), so sayso starts none of its own",
            "browser.named",
        )
    browser = chromium(on, said.wanted)
    try:
        port = _port(browser, on.own)
        if arguments.stop:
            _stop(browser)
            return _told(here, {"running": False}, "✓ the browser was ended" if port else "no browser was running")
    finally:
        browser.close()
    told_of: dict[str, Json] = {"running": True, "profile": str(KIND.profile(on.own))}
    if port:
        return _told(here, {**told_of, "port": port, "started": False}, "✓ the browser is running already")
    wish = Wish(on.own, said.downloads, said.program, headless=arguments.headless)
    made = anyio.run(start, Runner(here.environ, RandomIds()), wish)
    here_is = {"port": made.port, "process": made.process, "program": made.program, "started": True}
    return _told(
        here,
        {**told_of, **here_is},
        f"✓ {visible(made.program)} runs, with a profile of its own in {visible(str(KIND.profile(on.own)))}",
        "  What is opened, read and clicked for you happens there. It knows your logins once you log in there.",
    )


def _told(here: Here, document: dict[str, Json], *lines: str) -> int:
    if here.json:
        here.document(document)
    else:
        here.print(*lines)
    return Exit.FINE


def _port(browser: Chromium, own: str) -> int:
    """Return where sayso's own browser listens, 0 when it does not run."""
    try:
        with browser.connected() as now:
            exposed = own_ports(own) - now.kept_away
            port = now.at.port
    except ProviderError:
        return 0
    if exposed:
        raise SetupError(
            "the browser was started before a page of sayso's own was, and does not keep away from it "
            f"({flag(exposed)}); start it anew: sayso browser --stop, then sayso browser",
            "browser.exposed",
        )
    return port


def _stop(browser: Chromium) -> None:
    try:
        with browser.connected() as now:
            now.devtools.tell("Browser.close")
    except ProviderError:
        return


COMMAND = Command(
    configure,
    act,
    "sayso browser",
    "It stays when the command ends. To use a browser that you started yourself, set browser.cdp_url.",
)
