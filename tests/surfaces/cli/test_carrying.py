"""Commands that carry something out all end alike: what became of it, and an exit code."""

from collections.abc import Callable
from pathlib import Path

from tests.surfaces.cli.person import sayso

Reply = Callable[[str], str]


def test_run_and_undo_and_decline_print_the_same_document(person: Path, reply: Reply):
    text = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'
    run = sayso("run", reply(text), "--dialect", "lines", "--yes", "--json").document
    undone = sayso("undo", run["run"], "--yes", "--json").document
    waits = sayso("run", reply(text), "--dialect", "lines", "--json").document
    declined = sayso("decline", waits["run"], "--json").document

    assert set(run) == set(undone) == set(declined)
    assert set(run["results"][0]) == set(undone["results"][0]) == set(declined["results"][0])
