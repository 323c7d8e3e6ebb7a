"""A yes may come with a standing permission for the kind of action, which is shown and asked about once more."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso, states, tree

Reply = Callable[[str], str]
MOVE = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/a.txt"\n'
OFFER = "Permit this from now on? [y/N]"


def grants() -> list[dict[str, object]]:
    return sayso("grants", "--json").document["grants"]


def test_yes_and_not_again_shows_the_permission_and_asks_once_more(person: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(MOVE), "--dialect", "lines")
    screen.see("Enter no", "a yes, and not ask again for such", "Do this? [y/N]")

    screen.type("a\n")
    shown = screen.see(OFFER)

    assert tree(person) == {"Downloads/a.txt": "first\n"}
    assert "varies   source: any name ending in “.txt” directly in “~/Downloads”" in shown
    assert "varies   destination: any name ending in “.txt” directly in “~/Documents”" in shown
    assert "nothing may be replaced by it" in shown
    assert "holds    until" in shown
    assert "history  no past action like this was asked about" in shown
    screen.type("y\n")
    assert screen.end() == 0
    assert tree(person) == {"Documents/a.txt": "first\n"}
    (grant,) = grants()
    told = " ".join(screen.text.split())
    assert f"from now on; Settings on the page, or sayso grants revoke {grant['id']}, takes that back" in told
    (person / "Downloads" / "b.txt").write_text("second\n")
    again = sayso("run", reply(MOVE.replace("a.txt", "b.txt")), "--dialect", "lines", "--json").document
    assert (states(again), again["results"][0]["approved_by"]) == (["done"], f"grant:{grant['id']}")


def test_a_no_to_the_permission_leaves_the_question_open(person: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(MOVE), "--dialect", "lines")
    screen.see("Do this? [y/N]")

    screen.type("a\n")
    screen.see(OFFER)
    screen.type("\n")
    screen.until(lambda text: text.count("Do this? [y/N]") == 2)
    screen.type("n\n")

    assert screen.end() == 3
    assert tree(person) == {"Downloads/a.txt": "first\n"}
    assert grants() == []


def test_what_always_asks_has_no_such_answer(person: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply('DELETE_FILE "~/Downloads/a.txt"\n'), "--dialect", "lines")

    shown = screen.see("Do this? [y/N]")
    screen.type("a\n")

    assert "ask again" not in shown
    assert screen.end() == 3
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_actions_of_one_kind_need_one_permission(person: Path, reply: Reply, sit: Sit):
    (person / "Downloads" / "b.txt").write_text("second\n")
    screen = sit("run", reply(MOVE + MOVE.replace("a.txt", "b.txt")), "--dialect", "lines")
    screen.see("a yes, and not ask again for such", "Execute both? [y/N]")

    screen.type("a\n")
    screen.see(OFFER)
    screen.type("y\n")

    assert screen.end() == 0
    assert len(grants()) == 1
    assert sorted(tree(person)) == ["Documents/a.txt", "Documents/b.txt"]


def test_what_was_not_done_permits_nothing(person: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(MOVE), "--dialect", "lines")
    screen.see("Do this? [y/N]")
    screen.type("a\n")
    screen.see(OFFER)
    (person / "Documents" / "a.txt").write_text("there meanwhile\n")

    screen.type("y\n")

    assert screen.end() != 0
    assert "nothing is permitted from now on" in screen.text
    assert grants() == []
    assert (person / "Downloads" / "a.txt").exists()


def test_what_waited_may_be_permitted_too(person: Path, reply: Reply, sit: Sit):
    sayso("run", reply(MOVE), "--dialect", "lines", "--json")
    screen = sit("approve")
    screen.see("Do this? [y/N]")

    screen.type("a\n")
    screen.see(OFFER)
    screen.type("y\n")

    assert screen.end() == 0
    assert len(grants()) == 1


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_permission_fits_the_terminal(person: Path, reply: Reply, sit: Sit, width: int):
    screen = sit("run", reply(MOVE), "--dialect", "lines", columns=width)
    screen.see("Do this? [y/N]")
    screen.type("a\n")

    shown = screen.see(OFFER)

    assert max(map(len, shown.splitlines())) <= width
