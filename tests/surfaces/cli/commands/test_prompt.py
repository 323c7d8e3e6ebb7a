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


@pytest.mark.req("S4-38", "S4-43")
def test_what_a_model_is_shown_of_this_computer_is_added_when_it_is_asked_for(person: Path, settings: Settings):
    settings('[apps]\nkind = "memory"\n[browser]\nkind = "memory"\n')

    without = sayso("prompt", "--dialect", "commands", "--json").document
    run = sayso("prompt", "--dialect", "commands", "--context", "--json").document
    words = sayso("prompt", "--dialect", "commands", "--context").out

    assert "context" not in without
    assert "<installed_apps>" in run["context"]
    assert "<history>" not in run["context"]
    assert words == f"{run['prompt']}\n{run['context']}"
