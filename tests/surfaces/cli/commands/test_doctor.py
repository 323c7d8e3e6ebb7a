"""`sayso doctor` says what works, and how to mend what does not."""

import os
from collections.abc import Callable
from pathlib import Path

from tests.surfaces.cli.person import sayso

Settings = Callable[[str], None]


def test_a_fresh_home_is_usable(person: Path):
    run = sayso("doctor")

    assert run.code == 0
    assert "✓ files" in run.out
    assert "is yours alone (0700)" in " ".join(run.out.split())
    assert "Desktop is not there and is left out" in " ".join(run.out.split())
    assert "✓ journal       holds" in run.out
    assert "there is no terminal here" in " ".join(run.out.split())


def test_what_was_asked_for_and_is_broken_is_said_with_its_mending(person: Path, settings: Settings):
    settings('[mail]\nkind = "imap"\n')

    run = sayso("doctor", "--json")

    assert run.code == 1
    assert run.document["usable"] is False
    (broken,) = [one for one in run.document["findings"] if one["how"] == "broken"]
    assert broken["about"] == "mail"
    assert "[mail] kind" in broken["fix"]


def test_a_simulation_is_called_one(person: Path, settings: Settings):
    settings('[desktop]\nkind = "memory"\n')

    findings = sayso("doctor", "--json").document["findings"]

    (desktop,) = [one for one in findings if one["about"] == "desktop"]
    assert "simulation" in desktop["says"]


def test_a_home_that_others_may_look_into_is_broken(person: Path):
    sayso("doctor")
    Path(os.environ["SAYSO_HOME"]).chmod(0o755)

    run = sayso("doctor")

    assert run.code == 1
    assert "chmod 700" in run.out
