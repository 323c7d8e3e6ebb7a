"""`sayso approve` and what belongs to it: only the person at the terminal decides, and only once."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sayso.assembly import open_home
from sayso.testing.fakes import FakeClock
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.editors import an_editor
from tests.surfaces.cli.person import sayso, tree

MOVE = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'
Reply = Callable[[str], str]


@pytest.fixture
def waiting(person: Path, reply: Reply) -> str:
    return sayso("run", reply(MOVE), "--dialect", "lines", "--json").document["run"]


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_without_a_terminal_nobody_approves(person: Path, waiting: str, words: tuple[str, ...]):
    run = sayso("approve", waiting, *words)

    assert run.code == 3
    assert "terminal" in run.err or "--json" in run.err
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_a_yes_carries_it_out_here(person: Path, waiting: str, sit: Sit):
    screen = sit("approve", waiting)
    screen.see("Move “~/Downloads/a.txt”", "[y/N]")

    screen.type("y\n")

    assert screen.end() == 0
    assert tree(person) == {"Documents/b.txt": "first\n"}


def test_a_no_declines_it_for_good(person: Path, waiting: str, sit: Sit):
    screen = sit("approve", waiting)
    screen.see("[y/N]")
    screen.type("\n")
    assert screen.end() == 3

    again = sit("approve", waiting)

    assert again.end() == 1
    assert "it is declined already" in again.text
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_an_id_that_nothing_has_is_told(person: Path, sit: Sit):
    screen = sit("approve", "run_0D8M2YQ5Z3F4K")

    assert screen.end() == 2
    assert "there is no action or run" in screen.text


def test_a_brake_put_on_meanwhile_holds(person: Path, waiting: str, sit: Sit):
    sayso("pause")
    screen = sit("approve", waiting)
    screen.see("[y/N]")

    screen.type("y\n")

    assert screen.end() == 3
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_several_ids_of_one_run_are_one_preview_and_the_rest_goes_on_waiting(person: Path, reply: Reply, sit: Sit):
    text = "".join(f'MOVE_FILE "~/Downloads/{name}.txt" "~/Documents/{name}.txt"\n' for name in "abc")
    for name in "bc":
        (person / "Downloads" / f"{name}.txt").write_text(name)
    ids = [row["id"] for row in sayso("run", reply(text), "--dialect", "lines", "--json").document["results"]]
    screen = sit("approve", ids[2], ids[0], ids[2])
    shown = screen.see("Execute all 2? [y/N]")
    assert "b.txt" not in shown

    screen.type("y\n")

    assert screen.end() == 0
    assert tree(person) == {"Documents/a.txt": "first\n", "Documents/c.txt": "c", "Downloads/b.txt": "b"}
    assert [row["id"] for row in sayso("pending", "--json").document["rows"]] == [ids[1]]


def test_ids_of_several_runs_are_asked_about_one_run_after_the_other(
    person: Path, waiting: str, reply: Reply, sit: Sit
):
    (person / "Downloads" / "b.txt").write_text("b")
    text = 'MOVE_FILE "~/Downloads/b.txt" "~/Documents/c.txt"\n'
    other = sayso("run", reply(text), "--dialect", "lines", "--json").document
    screen = sit("approve", waiting, other["run"])
    screen.see("“~/Downloads/a.txt”", "[y/N]")
    assert "c.txt" not in screen.text
    screen.type("n\n")
    screen.see("“~/Documents/c.txt”")
    screen.until(lambda shown: shown.count("[y/N]") == 2)

    screen.type("y\n")

    assert screen.end() == 3
    assert tree(person) == {"Downloads/a.txt": "first\n", "Documents/c.txt": "b"}


def test_nothing_is_asked_when_one_of_the_ids_is_wrong(person: Path, waiting: str, sit: Sit):
    screen = sit("approve", waiting, "run_0D8M2YQ5Z3F4K")

    assert screen.end() == 2
    assert "there is no action or run" in screen.text
    assert "[y/N]" not in screen.text


@pytest.mark.req("AV-10", "T-37")
def test_edit_opens_the_editor_first_and_what_was_saved_is_asked_about(
    person: Path, waiting: str, sit: Sit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EDITOR", an_editor(tmp_path / "editor", "path.write_text(text.replace('b.txt', 'c.txt'))"))
    monkeypatch.delenv("VISUAL", raising=False)
    screen = sit("approve", waiting, "--edit")
    shown = screen.see("to “~/Documents/c.txt”", "Do this? [y/N]")
    assert "“~/Documents/b.txt”" not in shown
    assert tree(person) == {"Downloads/a.txt": "first\n"}

    screen.type("y\n")

    assert screen.end() == 0
    assert tree(person) == {"Documents/c.txt": "first\n"}


async def test_what_has_expired_is_told_like_any_outcome(person: Path, sit: Sit):
    async with open_home(clock=FakeClock(datetime(2024, 1, 28, 9, 0, tzinfo=UTC))) as home:
        old = await home.run(MOVE)

    screen = sit("approve", old.run)

    assert screen.end() == 3
    assert "✗  1  expired: nobody answered in time; propose it again" in screen.text
    assert "[y/N]" not in screen.text
    assert tree(person) == {"Downloads/a.txt": "first\n"}
