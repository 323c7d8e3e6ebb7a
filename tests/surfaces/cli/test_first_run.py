"""A first run offers the safest mode until one is set, and looks without making anything."""

import os
from collections.abc import Callable
from pathlib import Path

from sayso.surfaces.cli.first_run import look
from sayso.surfaces.cli.here import this_process


def test_the_safest_mode_is_offered_until_one_is_set(person: Path, settings: Callable[[str], None]):
    here = this_process(os.environ, as_json=False)

    first = look(here)
    settings('[policy]\nmode = "never"\n')

    assert first.settings.policy.mode == "destructive"
    assert (first.mode, look(here).mode) == ("always", "never")


def test_looking_makes_nothing(person: Path):
    look(this_process(os.environ, as_json=False))

    assert not Path(os.environ["SAYSO_HOME"]).exists()
