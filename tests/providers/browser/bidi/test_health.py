"""A person is told whether Firefox answers, and how it is kept away from sayso's own pages."""

from pathlib import Path

import pytest

from sayso.core.ports import Ground
from sayso.providers.browser.bidi.health import firefox, looked
from sayso.providers.browser.live.where import Wanted
from sayso.runtime.clock import SystemClock
from sayso.runtime.ids import RandomIds
from tests.desktop_env.browser import Around


@pytest.mark.req("X-05")
def test_without_one_it_is_said_how_to_start_one(tmp_path: Path):
    ground = Ground({}, str(tmp_path), str(tmp_path / "own"), (), SystemClock(), RandomIds())

    (one,) = looked(firefox(ground, Wanted()), frozenset(), Wanted())

    assert (one.served, one.fix) == ("", "sayso browser --firefox")
    assert "no browser is running for sayso" in one.why


@pytest.mark.needs("firefox-esr")
def test_one_that_was_not_told_is_named_with_the_line_it_lacks(around: Around, tmp_path: Path):
    ground = Ground({}, str(tmp_path), str(tmp_path / "own"), (), SystemClock(), RandomIds())
    browser = firefox(ground, Wanted(around.chromium.url))

    told = looked(browser, frozenset({around.kept_away.port, 8737}), Wanted())
    lacking = looked(browser, frozenset({around.kept_away.port, 9}), Wanted())

    assert [one.name for one in told] == ["tabs and pages", "own pages"]
    assert told[0].served == f"Firefox at 127.0.0.1:{around.chromium.port}"
    assert told[1].served == "Firefox itself"
    assert lacking[1].served == ""
    wanted = ",".join(str(port) for port in sorted({9, 8737, around.kept_away.port}))
    assert f'user_pref("network.security.ports.banned", "{wanted}");' in lacking[1].why
