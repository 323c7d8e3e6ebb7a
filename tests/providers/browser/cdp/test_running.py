"""A browser that does not run is no error to look for; one that runs says what it was not told."""

from pathlib import Path

import pytest

from sayso.core.ports import Ground
from sayso.providers.browser.cdp.health import chromium
from sayso.providers.browser.cdp.running import running
from sayso.providers.browser.live.starting import Running
from sayso.providers.browser.live.where import Wanted
from sayso.runtime.clock import SystemClock
from sayso.runtime.ids import RandomIds
from tests.desktop_env.browser import Around


def ground(home: Path) -> Ground:
    return Ground({}, str(home), str(home / "own"), (), SystemClock(), RandomIds())


def test_none_runs(tmp_path: Path):
    assert running(chromium(ground(tmp_path), Wanted()), frozenset()) is None


@pytest.mark.needs("chromium")
def test_one_that_runs_says_what_it_lacks(around: Around, tmp_path: Path):
    browser = chromium(ground(tmp_path), Wanted(around.chromium.url))
    port = around.chromium.port

    told = running(browser, frozenset({around.kept_away.port}))
    lacking = running(browser, frozenset({9}))
    browser.close()

    assert told == Running(port)
    assert lacking == Running(port, "--host-resolver-rules=MAP *:9 ~NOTFOUND")
