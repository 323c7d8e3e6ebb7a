"""`sayso grants` lists standing permissions, and takes one back for the person alone."""

from pathlib import Path

import pytest

from sayso.assembly import open_home
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso


@pytest.fixture
async def granted(person: Path) -> str:
    async with open_home() as home:
        grant = await home.grant("file.move", {"source": "~/Downloads/a.txt"}, ["destination"])
    return grant.id


def test_there_are_none():
    assert sayso("grants", "--json").document == {"grants": []}
    assert "no standing permissions" in sayso("grants").out


async def test_they_are_listed_in_words(granted: str):
    (one,) = sayso("grants", "--json").document["grants"]

    assert one["id"] == granted
    assert one["fixed"] == {"source": "~/Downloads/a.txt"}
    assert one["free"] == ["destination"]
    assert "file.move without asking where source" in " ".join(sayso("grants").out.split())


async def test_a_program_takes_none_back(granted: str):
    assert sayso("grants", "revoke", granted).code == 3

    assert len(sayso("grants", "--json").document["grants"]) == 1


async def test_the_person_does(granted: str, sit: Sit):
    assert sit("grants", "revoke", granted).end() == 0

    assert sayso("grants", "--json").document == {"grants": []}


async def test_an_id_that_nothing_has_is_told(granted: str, sit: Sit):
    assert sit("grants", "revoke", "grant_x").end() == 2
