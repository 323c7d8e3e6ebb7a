"""The preview of a batch on a real terminal: what is ticked is done, and only that."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso, states, tree

Reply = Callable[[str], str]
Settings = Callable[[str], None]
THREE = 'CREATE_FOLDER "~/Documents/New"\n' + "".join(
    f'MOVE_FILE "~/Downloads/{name}.txt" "~/Documents/New/{name}.txt"\n' for name in "ab"
)
EXECUTE = "Execute all 3? [y/N]"


@pytest.fixture
def two(person: Path) -> Path:
    """Return a person's home with two files to be moved."""
    (person / "Downloads" / "b.txt").write_text("second\n")
    return person


BEFORE = {"Downloads/a.txt": "first\n", "Downloads/b.txt": "second\n"}


@pytest.mark.req("S0-91", "S0-92", "S0-94")
def test_execute_does_all_that_is_shown(two: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(THREE), "--dialect", "lines", columns=80)

    shown = screen.see("Suggested Actions", "y Execute, e Edit, Enter Cancel", EXECUTE)

    assert "[x]  1. Create folder “~/Documents/New”" in shown
    screen.type("y\n")
    assert screen.end() == 0
    assert tree(two) == {"Documents/New/a.txt": "first\n", "Documents/New/b.txt": "second\n"}


@pytest.mark.req("S0-94", "AV-06")
@pytest.mark.parametrize("answer", ["\n", "n\n", "no\n", "cancel\n", "\x04", "\x03"])
def test_cancel_is_what_enter_does_and_it_is_written_down(two: Path, reply: Reply, sit: Sit, answer: str):
    screen = sit("run", reply(THREE), "--dialect", "lines")
    screen.see(EXECUTE)

    screen.type(answer)

    assert screen.end() == 3
    assert tree(two) == BEFORE
    assert {row["state"] for row in sayso("log", "--json").document["rows"]} == {"declined"}


@pytest.mark.req("AV-06")
@pytest.mark.parametrize("early", ["y\n", "y\ny\ny\n", "\n\n\n", "2\ny\n"])
def test_what_was_typed_before_the_list_stood_there_is_no_answer(two: Path, reply: Reply, sit: Sit, early: str):
    screen = sit("run", reply(THREE), "--dialect", "lines")
    screen.type_ahead(early)

    screen.see(EXECUTE)

    screen.type("\n")
    assert screen.end() == 3
    assert tree(two) == BEFORE


@pytest.mark.parametrize("answer", ["yy\n", "y y\n", "да\n", "9\n", "a\n", "\uff59\n"])
def test_what_is_no_choice_is_asked_again_and_does_nothing(two: Path, reply: Reply, sit: Sit, answer: str):
    screen = sit("run", reply(THREE), "--dialect", "lines")
    screen.see(EXECUTE)

    screen.type(answer)

    screen.see("? tells what there is, Enter cancels")
    screen.type("\n")
    assert screen.end() == 3
    assert tree(two) == BEFORE


@pytest.mark.req("S0-94", "X-10")
def test_what_is_left_out_is_not_done_and_is_written_down_as_declined(two: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(THREE), "--dialect", "lines")
    screen.see(EXECUTE)

    screen.type("3\n")
    screen.see("[ ]  3. Move", "3 left out", "Execute 2 of 3? [y/N]")
    screen.type("y\n")

    assert screen.end() == 3
    assert tree(two) == {"Documents/New/a.txt": "first\n", "Downloads/b.txt": "second\n"}
    left_out, moved, made = sayso("log", "--json").document["rows"]
    assert [row["state"] for row in (made, moved, left_out)] == ["done", "done", "declined"]
    assert (left_out["error"], left_out["code"]) == ("you left this out", "step.left_out")
    assert left_out["approved_by"] == moved["approved_by"] == "terminal"


def test_what_needs_something_left_out_is_left_out_with_it_and_comes_back_with_it(two: Path, reply: Reply, sit: Sit):
    (two / "Documents" / "c.txt").write_text("third\n")
    text = THREE + 'MOVE_FILE "~/Documents/c.txt" "~/Documents/d.txt"\n'
    screen = sit("run", reply(text), "--dialect", "lines")
    screen.see("Execute all 4? [y/N]")

    screen.type("1\n")
    screen.see("[-]  2. Move", "without 1, 2, 3 cannot happen", "Execute 1 of 4? [y/N]")
    screen.type("3\n")
    screen.see("1, 2", "taken in again", "Execute all 4? [y/N]")
    screen.type("1\n")
    screen.see("Execute 1 of 4? [y/N]")
    screen.until(lambda shown: shown.count("Execute 1 of 4?") == 2)
    screen.type("y\n")

    assert screen.end() == 1, screen.text
    assert tree(two) == BEFORE | {"Documents/d.txt": "third\n"}
    rows = sayso("log", "--json").document["rows"]
    assert states({"results": rows[::-1]}) == ["declined", "skipped", "skipped", "done"]
    assert rows[1]["error"] == "skipped because it needs step 1, which you left out"


def test_nothing_is_executed_when_nothing_is_left(two: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(THREE), "--dialect", "lines")
    screen.see(EXECUTE)

    screen.type("none\n")
    screen.see("Nothing is left to execute; Enter cancels [N]")
    screen.type("y\n")
    screen.see("all takes everything in again")
    screen.type("all\n")
    screen.until(lambda shown: shown.count(EXECUTE) == 2)
    screen.type("\n")

    assert screen.end() == 3
    assert tree(two) == BEFORE


@pytest.mark.req("S0-93", "T-37", "AV-03")
def test_a_large_group_is_opened_before_a_yes_to_it_counts(person: Path, reply: Reply, sit: Sit):
    names = [f"n{number:02}.txt" for number in range(25)]
    for name in names:
        (person / "Downloads" / name).write_text(name)
    text = "".join(f'MOVE_FILE "~/Downloads/{name}" "~/Documents/{name}"\n' for name in names)
    screen = sit("run", reply(text), "--dialect", "lines", lines=300)
    shown = screen.see("Move 25 files from “~/Downloads” to “~/Documents”", "Execute all 25? [y/N]")
    assert "n24.txt" not in shown

    screen.type("y\n")
    screen.see("there is more to see first")
    screen.type("m 1-25\n")
    screen.see("Move “~/Downloads/n24.txt” to “~/Documents/n24.txt”")
    screen.until(lambda shown: shown.endswith("Execute all 25? [y/N]"))
    screen.type("y\n")

    assert screen.end() == 0
    assert len(tree(person / "Documents")) == 25
    assert states({"results": sayso("log", "--json").document["rows"]}) == ["done"] * 25


def test_leaving_out_what_was_not_seen_lets_the_rest_be_executed(
    person: Path, reply: Reply, sit: Sit, settings: Settings
):
    settings('[policy]\nmode = "always"\n')
    text = 'WRITE_FILE "~/Documents/n.txt" <<END\n' + "harmless\n" * 200 + "END\n" + 'CREATE_FOLDER "~/Documents/x"\n'
    screen = sit("run", reply(text), "--dialect", "lines", lines=120)
    screen.see("Execute all 2? [y/N] (m 1 or v shows what is left out; y counts after that)")

    screen.type("1\n")
    screen.see("Execute 1 of 2? [y/N]")
    screen.type("y\n")

    assert screen.end() == 3
    assert tree(person) == {"Downloads/a.txt": "first\n"}
    assert (person / "Documents" / "x").is_dir()


def test_the_keys_are_explained_and_the_list_can_be_seen_again(two: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(THREE), "--dialect", "lines", lines=120)
    screen.see(EXECUTE)

    screen.type("?\n")
    screen.see("y executes what is ticked [x], in this order", "e opens your editor", "m 3 shows all of 3")
    screen.type("l\n")

    screen.until(lambda shown: shown.count("Suggested Actions") == 2 and shown.endswith(EXECUTE))
    screen.type("\n")
    assert screen.end() == 3


@pytest.mark.req("TO-02")
def test_a_world_that_changed_between_preview_and_yes_is_not_overwritten(two: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(THREE), "--dialect", "lines")
    screen.see(EXECUTE)
    (two / "Downloads" / "a.txt").write_text("mine, written meanwhile\n")

    screen.type("y\n")

    assert screen.end() == 1
    assert tree(two) == {"Downloads/a.txt": "mine, written meanwhile\n", "Documents/New/b.txt": "second\n"}


@pytest.mark.req("AV-05")
def test_a_list_forged_in_a_text_does_not_look_like_ours(person: Path, reply: Reply, sit: Sit, settings: Settings):
    settings('[policy]\nmode = "always"\n')
    forged = "[x]  9. Delete “~/Documents”\nbobobo: Execute all 9? [y/N] y\n"
    text = f'WRITE_FILE "~/Documents/n.txt" <<END\n{forged}END\n' + 'CREATE_FOLDER "~/Documents/x"\n'
    screen = sit("run", reply(text), "--dialect", "lines")

    lines = screen.until(lambda shown: shown.endswith("Execute all 2? [y/N]")).splitlines()

    assert sum(line.startswith("[x]") for line in lines) == 2
    assert all(line.lstrip()[:1] in "│┊" for line in lines if "bobobo" in line or " 9. " in line)
    screen.type("\n")
    screen.end()


@pytest.mark.req("AV-13")
def test_what_is_new_does_not_move_under_an_answer(two: Path, reply: Reply, sit: Sit):
    run = sayso("run", reply(THREE), "--dialect", "lines", "--json").document["run"]
    screen = sit("approve", run)
    screen.see(EXECUTE)
    later = sayso("run", "--dialect", "lines", "--json", text='DELETE_FILE "~/Downloads/a.txt"\n').document
    assert states(later) == ["waiting"]

    screen.type("y\n")

    assert screen.end() == 0
    assert tree(two) == {"Documents/New/a.txt": "first\n", "Documents/New/b.txt": "second\n"}
    assert [row["id"] for row in sayso("pending", "--json").document["rows"]] == [later["results"][0]["id"]]


def test_it_fits_forty_columns(two: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(THREE), "--dialect", "lines", columns=40, lines=80)

    shown = screen.see("[x]  1. Create folder", "way back:", "all 3? [y/N]")

    assert "🤖 Suggested Actions" in shown.replace("🤖  ", "🤖 ")
    screen.type("y\n")
    assert screen.end() == 0


def test_a_long_list_comes_by_the_page(person: Path, reply: Reply, sit: Sit):
    text = "".join(
        f'CREATE_FOLDER "~/Documents/{n}"\nMOVE_FILE "~/Downloads/a.txt" "~/Documents/{n}/a.txt"\n'
        f'MOVE_FILE "~/Documents/{n}/a.txt" "~/Downloads/a.txt"\n'
        for n in range(6)
    )
    screen = sit("run", reply(text), "--dialect", "lines", lines=24)
    first = screen.see("more lines; Enter shows them, q stops here")
    assert "[y/N]" not in first

    screen.type("q\n")
    screen.see("[y/N]")
    screen.type("y\n")
    screen.see("there is more to see first")
    screen.type("n\n")

    assert screen.end() == 3
    assert tree(person) == {"Downloads/a.txt": "first\n"}
