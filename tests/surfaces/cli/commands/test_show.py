"""`sayso show` prints one action or run whole."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.person import sayso

Reply = Callable[[str], str]
Settings = Callable[[str], None]


def test_an_action_is_shown_with_its_plan(person: Path, reply: Reply):
    text = 'WRITE_FILE "~/Documents/n.txt" "hello"\nFLY "x"\n'
    document = sayso("run", reply(text), "--dialect", "lines", "--json").document

    shown = sayso("show", document["run"]).out

    assert "Write the new file “~/Documents/n.txt”" in shown
    assert "│ +hello" in shown
    assert "Unknown command" in shown
    assert len(sayso("show", document["run"], "--json").document["rows"]) == 2
    assert len(sayso("show", document["results"][0]["id"], "--json").document["rows"]) == 1


def test_a_way_back_is_told_as_long_as_there_is_one(person: Path, reply: Reply):
    run = sayso("run", reply('CREATE_FOLDER "~/Documents/New"\n'), "--dialect", "lines", "--json").document["run"]

    before = sayso("show", run).out
    assert sayso("undo", "--yes").code == 0

    assert "sayso undo takes it back" in before
    assert "way back" not in sayso("show", run).out


def test_an_id_that_nothing_has_is_told():
    assert sayso("show", "run_0D8M2YQ5Z3F4K").code == 2


@pytest.mark.req("X-08", "T-111")
def test_why_something_that_leaves_the_computer_is_asked_about_is_told(person: Path, reply: Reply, settings: Settings):
    settings('[browser]\nkind = "memory"\n')
    read, send = "CALENDAR_TODAY\n", 'OPEN_URL "https://x.example/?q=secret"\n'
    before = sayso("run", reply(send), "--dialect", "lines", "--session", "s", "--dry-run", "--json").document["run"]
    sayso("run", reply(read), "--dialect", "lines", "--session", "s")
    after = sayso("run", reply(send), "--dialect", "lines", "--session", "s", "--dry-run", "--json").document["run"]

    shown = [sayso("show", run).out for run in (before, after)]
    rows = [sayso("show", run, "--json").document["rows"][0] for run in (before, after)]

    assert ["What others wrote stood before" in one for one in shown] == [False, True]
    assert [row["exposed"] for row in rows] == [[], ["calendar.today"]]
