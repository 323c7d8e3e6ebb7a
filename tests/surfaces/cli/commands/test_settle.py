"""`sayso settle` takes the person's word, and only about what is unknown."""

from collections.abc import Callable
from pathlib import Path

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso

Reply = Callable[[str], str]


def test_a_program_settles_nothing():
    run = sayso("settle", "do_0D8M2YQ5Z3F4K", "done")

    assert run.code == 3
    assert "type it on your terminal" in run.err


def test_what_is_known_is_not_settled(person: Path, reply: Reply, sit: Sit):
    document = sayso("run", reply('CREATE_FOLDER "~/Documents/x"\n'), "--dialect", "lines", "--json").document

    screen = sit("settle", document["results"][0]["id"], "not-done")

    assert screen.end() == 1
    assert "is not unknown: it is done" in screen.text
