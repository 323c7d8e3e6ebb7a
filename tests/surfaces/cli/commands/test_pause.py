"""`sayso pause` stops everything, for anybody who asks."""

from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso, states


@pytest.mark.req("T-53")
def test_nothing_runs_while_paused(person: Path):
    assert sayso("pause", "--json").document == {"paused": True}

    run = sayso("run", "--dialect", "lines", "--json", text='CREATE_FOLDER "~/Documents/x"\n')

    assert run.code == 3
    assert states(run.document) == ["refused"]
    assert not (person / "Documents" / "x").exists()


def test_parsing_still_works(person: Path):
    sayso("pause")

    assert sayso("parse", "--dialect", "lines", text="").code == 0


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
