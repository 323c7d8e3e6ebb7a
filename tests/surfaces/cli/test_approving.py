"""The flag answers what only the mode asks about; everything else needs the person."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso, states, tree

MOVE = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'
DELETE = 'DELETE_FILE "~/Downloads/a.txt"\n'
Reply = Callable[[str], str]
Settings = Callable[[str], None]
OPEN = 'OPEN_APP "Calculator"\n'
CHOICES = "[y]es once / [a]lways / [N]o"
APPS = """
# Those I trust.
[policy]
allowed_apps = [
    "Mail",  # letters
]
[apps]
kind = "memory"
[apps.world]
installed = ["Calculator", "Mail", "Terminal"]
"""


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


def allowed() -> list[str]:
    return sayso("config", "get", "policy.allowed_apps", "--json").document["value"]


@pytest.mark.req("T-31", "S0-78")
def test_always_lists_the_application_and_it_is_never_asked_about_again(
    person: Path, reply: Reply, settings: Settings, sit: Sit
):
    settings(APPS)
    screen = sit("run", reply(OPEN), "--dialect", "lines")
    screen.see(CHOICES)

    screen.type("a\n")

    assert screen.end() == 0
    assert "“Calculator” added to policy.allowed_apps" in screen.text
    assert allowed() == ["Mail", "Calculator"]
    assert "# letters" in (person.parent / "sayso" / "config.toml").read_text()
    again = sayso("run", "--dialect", "lines", "--json", text=OPEN + 'QUIT_APP "calculator"\n')
    assert states(again.document) == ["done", "done"]
    assert sayso("log", "--json").document["rows"][2]["approved_by"] == "terminal"


@pytest.mark.req("T-31")
@pytest.mark.parametrize("answer", ["y", "n", "", "al"])
def test_once_and_no_list_nothing(person: Path, reply: Reply, settings: Settings, sit: Sit, answer: str):
    settings(APPS)
    screen = sit("run", reply(OPEN), "--dialect", "lines")
    screen.see(CHOICES)

    screen.type(answer + "\n")

    assert screen.end() == (0 if answer == "y" else 3)
    assert allowed() == ["Mail"]


@pytest.mark.req("T-31")
def test_always_may_be_said_to_what_has_waited_too(person: Path, reply: Reply, settings: Settings, sit: Sit):
    settings(APPS)
    waiting = sayso("run", reply(OPEN + 'OPEN_APP "Terminal"\n'), "--dialect", "lines", "--json").document["run"]
    screen = sit("approve", waiting)
    screen.see(CHOICES)

    screen.type("always\n")

    assert screen.end() == 0
    assert allowed() == ["Mail", "Calculator", "Terminal"]


@pytest.mark.req("T-31")
def test_where_something_else_asks_too_there_is_no_always(person: Path, reply: Reply, settings: Settings, sit: Sit):
    settings(APPS)
    screen = sit("run", reply(OPEN + MOVE), "--dialect", "lines")
    screen.see("Execute all 2? [y/N]")

    screen.type("a\n")
    screen.see("“a” is no choice here")
    screen.type("\n")

    assert screen.end() == 3
    assert allowed() == ["Mail"]
    assert tree(person) == {"Downloads/a.txt": "first\n"}


@pytest.mark.req("T-31")
def test_the_shipped_list_stays_when_one_is_added_to_it(person: Path, reply: Reply, settings: Settings, sit: Sit):
    settings('[apps]\nkind = "memory"\n')
    shipped = allowed()
    screen = sit("run", reply(OPEN), "--dialect", "lines")
    screen.see(CHOICES)

    screen.type("a\n")

    assert screen.end() == 0
    assert allowed() == [*shipped, "Calculator"]


def test_settings_that_cannot_be_added_to_are_left_as_they_are(
    person: Path, reply: Reply, settings: Settings, sit: Sit
):
    settings(APPS)
    config = person.parent / "sayso" / "config.toml"
    screen = sit("run", reply(OPEN), "--dialect", "lines")
    screen.see(CHOICES)
    config.write_text("[policy\n")

    screen.type("a\n")

    assert screen.end() == 3
    assert "could not be added" in screen.text
    assert config.read_text() == "[policy\n"
