"""The browser of these tests is Firefox."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.core.ports import BackendContext
from sayso.providers.browser.bidi.driver import Spoke, firefox
from sayso.providers.browser.remote.settings import Wanted
from sayso.runtime.system import RandomIds, SystemClock
from tests.desktop_env.browser import Around

Speaking = Callable[[], Spoke]


@pytest.fixture(scope="session")
def around(firefox_around: Around) -> Around:
    """Return the Firefox of this test process."""
    return firefox_around


@pytest.fixture
def spoken(around: Around, scratch_home: Path) -> Speaking:
    """Return how another sayso speaks to it; all of them have one home."""

    def speak() -> Spoke:
        own = str(scratch_home.parent / "sayso")
        ground = BackendContext({}, str(scratch_home), own, (), SystemClock(), RandomIds())
        return Spoke(firefox(ground, Wanted(around.chromium.url)))

    return speak
