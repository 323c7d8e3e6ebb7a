"""`sayso pause` stops everything, for anybody who asks."""

from pathlib import Path

import pytest

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
