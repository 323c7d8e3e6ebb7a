"""A person is told whether a browser answers, and how it is kept away from sayso's own pages."""

import pytest

from sayso.providers.browser.cdp.chromium import Chromium
from sayso.providers.browser.cdp.health import looked
from sayso.providers.browser.cdp.where import KIND
from sayso.providers.browser.live.where import Endpoint, Wanted
from sayso.runtime.clock import SystemClock
from tests.desktop_env.browser import Around


def nobody() -> Endpoint:
    raise KIND.not_running()


@pytest.mark.req("X-05")
def test_without_one_it_is_said_how_to_start_one():
    (one,) = looked(Chromium(nobody, "/home/ana", SystemClock()), frozenset(), Wanted())

    assert (one.served, one.fix) == ("", "sayso browser")
    assert "no browser is running for sayso" in one.why


@pytest.mark.needs("chromium")
def test_one_that_was_not_told_is_named_with_the_option_it_lacks(around: Around):
    chromium = Chromium(lambda: Endpoint("127.0.0.1", around.chromium.port), "/home/ana", SystemClock())

    told = looked(chromium, frozenset({around.kept_away.port}), Wanted())
    lacking = looked(chromium, frozenset({around.kept_away.port, 8737}), Wanted())
    chromium.close()

    assert [one.name for one in told] == ["tabs and pages", "own pages"]
    assert told[0].served == f"the browser at 127.0.0.1:{around.chromium.port}"
    assert told[1].served == "the browser itself"
    assert "--host-resolver-rules=MAP *:8737 ~NOTFOUND" in lacking[1].why
