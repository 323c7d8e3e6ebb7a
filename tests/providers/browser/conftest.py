"""A backend on the real browser, with the tabs that a test wants."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from sayso.core.ports import Ground, KillPoint, no_kill_point
from sayso.providers.browser import BROWSER
from sayso.providers.browser.address import announced
from sayso.providers.browser.bidi.driver import build as build_bidi
from sayso.providers.browser.cdp.driver import build as build_cdp
from sayso.providers.browser.remote.backend import Live
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.harness import Trial
from tests.desktop_env.browser import Answer, Around, Chromium, Site
from tests.desktop_env.firefox import Firefox
from tests.desktop_env.session import wait_for

KINDS = {Chromium: ("cdp_url", build_cdp), Firefox: ("bidi_url", build_bidi)}
Making = Callable[..., Live]
Showing = Callable[..., Trial]


@pytest.fixture
def making(around: Around, scratch_home: Path) -> Iterator[Making]:
    """Return how to make a backend on the browser of this process; each is let go of in the end."""
    made: list[Live] = []

    def make(
        *,
        confirm: tuple[str, ...] = (),
        roots: tuple[str, ...] = (),
        url: str | None = None,
        kill: KillPoint = no_kill_point,
        **settings: Any,
    ) -> Live:
        key, build = KINDS[type(around.chromium)]
        told = {key: around.chromium.url if url is None else url, **settings}
        own = str(scratch_home.parent / "sayso")
        options = {"confirm_sites": list(confirm)}
        made.append(build(Ground(told, str(scratch_home), own, roots, SystemClock(), RandomIds(), kill, options)))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def announced_pages(around: Around, scratch_home: Path) -> Iterator[tuple[Site, ...]]:
    """Have the servers that stand for sayso's own pages announced, and nothing asked of them yet.

    In a Firefox that was not told of one nothing is done at all, so that there it is only the one that it was told of.
    """
    own = str(scratch_home.parent / "sayso")
    sites = (around.kept_away,) if isinstance(around.chromium, Firefox) else (around.kept_away, around.held)
    for site in (around.kept_away, around.held, around.free):
        site.asked.clear()
    with ExitStack() as stack:
        for site in sites:
            stack.enter_context(announced(own, site.port))
        yield sites


@pytest.fixture
def page(around: Around, making: Making) -> Showing:
    """Return how to have one page in front, whose body is given, and something to try it with."""

    def show(body: str, **settings: Any) -> Trial:
        path = f"/page/{len(around.web.pages)}"
        around.web.pages[path] = f"<!doctype html><title>Page</title>{body}"
        around.chromium.arrange([around.web.url(path)])
        wait_for(lambda: around.chromium.evaluate("document.readyState + document.title") == "completePage", "the page")
        return Trial(BROWSER, making(**settings))

    return show


@pytest.fixture
def mark() -> str:
    """Return what tells the visits of one test from those of a page that an earlier one left."""
    return f"/reached-{RandomIds().token()}"


def a_file() -> Answer:
    """Return a file to download whose name leads elsewhere."""
    return 200, {"content-type": "application/x-thing", "content-disposition": "attachment; filename=../../x.sh"}, b"hi"
