"""`sayso show` prints one action or run whole."""

from collections.abc import Callable
from pathlib import Path

from tests.surfaces.cli.person import sayso

Reply = Callable[[str], str]


def test_an_action_is_shown_with_its_plan(person: Path, reply: Reply):
    text = 'WRITE_FILE "~/Documents/n.txt" "hello"\nFLY "x"\n'
    document = sayso("run", reply(text), "--dialect", "lines", "--json").document

    shown = sayso("show", document["run"]).out

    assert "Write the new file “~/Documents/n.txt”" in shown
    assert "│ +hello" in shown
    assert "Unknown command" in shown
    assert len(sayso("show", document["run"], "--json").document["rows"]) == 2
    assert len(sayso("show", document["results"][0]["id"], "--json").document["rows"]) == 1


def test_an_id_that_nothing_has_is_told():
    assert sayso("show", "run_0D8M2YQ5Z3F4K").code == 2
