"""`sayso resume` takes the brake off, for the person at the terminal alone."""

from pathlib import Path

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso


def test_a_program_cannot_resume(person: Path):
    sayso("pause")

    run = sayso("resume")

    assert run.code == 3
    assert "type it on your terminal" in run.err
    assert sayso("config", "get", "policy.paused").out == "true\n"


def test_the_person_can(person: Path, sit: Sit):
    sayso("pause")

    assert sit("resume").end() == 0

    assert sayso("config", "get", "policy.paused").out == "false\n"
