"""`sayso decline` says no, which needs no terminal."""

from collections.abc import Callable
from pathlib import Path

from tests.surfaces.cli.person import sayso, states, tree

Reply = Callable[[str], str]


def test_what_waits_is_declined(person: Path, reply: Reply):
    text = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'
    run = sayso("run", reply(text), "--dialect", "lines", "--json").document["run"]

    declined = sayso("decline", run, "--json")

    assert declined.code == 0
    assert states(declined.document) == ["declined"]
    assert sayso("pending", "--json").document == {"rows": []}
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_what_does_not_wait_is_told(person: Path):
    assert sayso("decline", "do_0D8M2YQ5Z3F4K").code == 2
