"""`sayso backup` says what it holds, and `sayso restore` shows what it replaces and asks at the terminal."""

import os
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso


@pytest.fixture
def backup(person: Path, tmp_path: Path) -> Path:
    """Make a home with something of each kind, and a backup of it; then go on in it."""
    own = Path(os.environ["SAYSO_HOME"])
    sayso("template", "new", "call-ana")
    sayso("task", "add", "Wine")
    (own / "config.toml").write_text('[policy]\nmode = "always"\n')
    file = tmp_path / "backup.zip"
    sayso("backup", str(file))
    (own / "config.toml").write_text('[policy]\nmode = "never"\n')
    sayso("template", "new", "call-bo")
    sayso("task", "add", "Bread")
    return file


def test_what_a_backup_holds_is_told(backup: Path, person: Path):
    told = sayso("backup", str(backup.with_name("other.zip"))).out

    assert "holds the journal, your tasks and habits, your settings, 2 own actions" in " ".join(told.split())
    assert "Passwords are not in it" in told
    assert f"sayso restore '{backup.with_name('other.zip')}'" in told


def test_what_it_replaces_is_shown_and_a_yes_puts_it_back(backup: Path, person: Path, sit: Sit):
    screen = sit("restore", str(backup))
    screen.see("Put it back? [y/N]")
    shown = screen.text
    screen.type("y\n")

    assert screen.end() == 0, screen.text
    assert "The backup is back" in screen.text
    for words in ("the journal: 1 action, in place of 2 actions", '-mode = "never"', '+mode = "always"',
                  "put aside: call-bo.py"):  # fmt: skip
        assert words in shown
    assert [row["id"] for row in sayso("template", "--json").document["templates"]] == ["call_ana"]
    assert sayso("config", "get", "policy.mode").out.split()[-1] == "always"
    assert sayso("log", "verify").code == 0
    assert "Bread" not in sayso("task", "list").out


@pytest.mark.parametrize("answer", ["n\n", "\n"])
def test_without_a_yes_nothing_changes(answer: str, backup: Path, person: Path, sit: Sit):
    screen = sit("restore", str(backup))
    screen.see("Put it back? [y/N]")
    screen.type(answer)

    assert screen.end() == 3, screen.text
    assert "nothing was changed" in screen.text
    assert "Bread" in sayso("task", "list").out
    assert not [*Path(os.environ["SAYSO_HOME"]).glob("*restore*")]


def test_without_a_person_nothing_is_even_unpacked(backup: Path, person: Path):
    for words in ((), ("--json",)):
        run = sayso("restore", str(backup), *words)

        assert run.code == 3
    assert not [*Path(os.environ["SAYSO_HOME"]).glob("*restore*")]


def test_another_file_is_refused_in_one_sentence(person: Path, tmp_path: Path, sit: Sit):
    (tmp_path / "text.txt").write_text("text")

    screen = sit("restore", str(tmp_path / "text.txt"))

    assert screen.end() == 2
    assert "is damaged or no backup, and nothing was changed" in " ".join(screen.text.split())
