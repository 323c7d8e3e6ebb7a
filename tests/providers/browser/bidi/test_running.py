"""A Firefox that does not run is no error to look for."""

from pathlib import Path

from sayso.core.ports import Ground
from sayso.providers.browser.bidi.health import firefox
from sayso.providers.browser.bidi.running import running
from sayso.providers.browser.live.where import Wanted
from sayso.runtime.clock import SystemClock
from sayso.runtime.ids import RandomIds


def test_none_runs(tmp_path: Path):
    ground = Ground({}, str(tmp_path), str(tmp_path / "own"), (), SystemClock(), RandomIds())

    assert running(firefox(ground, Wanted()), frozenset()) is None
