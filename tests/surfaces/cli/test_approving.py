"""The flag answers what only the mode asks about; everything else needs the person."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.person import sayso, states, tree

MOVE = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'
DELETE = 'DELETE_FILE "~/Downloads/a.txt"\n'
Reply = Callable[[str], str]


def test_the_flag_answers_a_mode_question(person: Path, reply: Reply):
    run = sayso("run", reply(MOVE), "--dialect", "lines", "--yes", "--json")

    assert run.code == 0
    assert run.document["results"][0]["approved_by"] == "flag"
    assert tree(person) == {"Documents/b.txt": "first\n"}


@pytest.mark.req("S0-80", "X-09")
def test_the_flag_does_not_answer_a_floor_question(person: Path, reply: Reply):
    run = sayso("run", reply(DELETE), "--dialect", "lines", "--yes", "--json")

    assert run.code == 3
    assert states(run.document) == ["waiting"]
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_a_floor_question_in_a_batch_keeps_all_of_it_waiting(person: Path, reply: Reply):
    text = 'CREATE_FOLDER "~/Documents/x"\n' + DELETE

    run = sayso("run", reply(text), "--dialect", "lines", "--yes", "--json")

    assert states(run.document) == ["waiting", "waiting"]
    assert not (person / "Documents" / "x").exists()
