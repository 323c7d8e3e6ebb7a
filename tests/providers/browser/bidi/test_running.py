"""A Firefox that does not run is no error to look for."""

from pathlib import Path

from sayso.core.ports import Ground
from sayso.providers.browser.bidi.health import firefox
from sayso.providers.browser.bidi.running import running
from sayso.providers.browser.live.where import Wanted
from sayso.runtime.clock import SystemClock
from sayso.testing.fakes import NumberedIds


def test_none_runs(tmp_path: Path):
    ground = Ground({}, str(tmp_path), str(tmp_path / "own"), (), SystemClock(), NumberedIds())

    assert running(firefox(ground, Wanted()), frozenset()) is None
