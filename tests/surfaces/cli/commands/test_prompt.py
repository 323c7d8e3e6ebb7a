"""`sayso prompt` prints what a model is told, without what is switched off."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.person import sayso

Settings = Callable[[str], None]


@pytest.mark.req("S0-66", "T-32")
def test_only_enabled_operations_are_named(person: Path, settings: Settings):
    assert "SPEAK" in sayso("prompt", "--dialect", "lines").out
    settings('[policy]\nallowed_operations = ["file.*"]\n')

    run = sayso("prompt", "--dialect", "lines", "--json")

    assert "MOVE_FILE" in run.document["prompt"]
    assert "SPEAK" not in run.document["prompt"]
    assert run.document["dialect"] == "lines"
