"""The demonstration shows the whole path on real files, part by part, and only in a folder of its own."""

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.demo import FILES, FIRST_OF_MARCH, main, picture
from tests.surfaces.cli.person import sayso, tree


class Shown:
    """A demonstration and what it printed."""

    def __init__(self) -> None:
        self._out, self._err = io.StringIO(), io.StringIO()
        self._here = CommandContext(self._out, self._err, None, dict(os.environ))

    def part(self, folder: Path, name: str) -> str:
        """Show one part in a folder, and return what it printed."""
        before = len(self.text)
        assert main(str(folder), self._here, name) == 0
        return self.text[before:]

    def whole(self, folder: Path | None) -> int:
        """Show all of it."""
        return main(None if folder is None else str(folder), self._here)

    @property
    def text(self) -> str:
        """Return all that was printed."""
        assert self._err.getvalue() == ""
        return self._out.getvalue()


def test_the_whole_is_shown_and_the_hand_made_change_is_left(tmp_path: Path):
    shown = Shown()

    code = shown.whole(tmp_path / "try")

    assert code == 0
    words = ["In a person's words", "All 3 were taken back"]
    heads = [*words, "A model's reply", "What it would do", "What became of it", "The audit trail", "Taken back"]
    places = [shown.text.index(head) for head in heads]
    assert places == sorted(places)
    assert "Every file is as it was: content, mode and time of change." in shown.text
    assert "nothing was altered" in shown.text
    assert f"The scratch home is left in {tmp_path / 'try'}." in shown.text
    assert tree(tmp_path / "try/home/Documents")["journal.md"].endswith("\nMine: buy flowers.\n")


def test_without_a_folder_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    shown = Shown()

    assert shown.whole(None) == 0

    assert list(tmp_path.iterdir()) == []
    assert "is left in" not in shown.text


def test_planting_makes_the_files_and_does_nothing_else(tmp_path: Path):
    Shown().part(tmp_path, "plant")

    home = tmp_path / "home"
    assert tree(home) == FILES
    assert {file.stat().st_mtime for file in home.rglob("*")} == {FIRST_OF_MARCH}
    assert (home / "Documents/Budget/2025.csv").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "sayso").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "sayso/config.toml").stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "sayso/sayso.db").exists()


def test_each_part_goes_on_where_the_one_before_ended(tmp_path: Path):
    shown = Shown()
    shown.part(tmp_path, "plant")
    planted = tree(tmp_path / "home")

    done = shown.part(tmp_path, "do")
    after = tree(tmp_path / "home")
    undone = shown.part(tmp_path, "undo")

    assert "The recorded answer: yes." in done
    assert after != planted
    assert after["Documents/untouched.txt"] == FILES["Documents/untouched.txt"]
    assert undone.startswith("\nTaken back")
    assert {path: text for path, text in tree(tmp_path / "home").items() if ".local" not in path} == planted


def test_what_was_edited_by_hand_is_not_taken_back(tmp_path: Path):
    shown = Shown()
    for name in ("plant", "do"):
        shown.part(tmp_path, name)

    edited = shown.part(tmp_path, "edit")
    undone = shown.part(tmp_path, "undo")

    assert "changed by hand" in edited
    assert "failed: " in undone
    now = {path: text for path, text in tree(tmp_path / "home").items() if ".local" not in path}
    assert now.pop("Documents/journal.md").endswith("Mine: buy flowers.\n")
    assert now == {path: text for path, text in FILES.items() if path != "Documents/journal.md"}


def test_a_folder_that_is_not_empty_is_refused_and_left_alone(tmp_path: Path):
    (tmp_path / "mine.txt").write_text("mine")

    with pytest.raises(SetupError, match="is not empty; name a new folder"):
        Shown().whole(tmp_path)

    assert tree(tmp_path) == {"mine.txt": "mine"}


def test_the_command_refuses_it_too(tmp_path: Path):
    (tmp_path / "mine.txt").write_text("mine")

    run = sayso("try", "--keep", str(tmp_path))

    assert run.code == 2
    assert "is not empty" in run.err
    assert tree(tmp_path) == {"mine.txt": "mine"}


def test_an_empty_folder_will_do(tmp_path: Path):
    assert Shown().whole(tmp_path) == 0


def test_the_persons_own_home_is_not_touched(person: Path, tmp_path: Path):
    before = tree(person)

    Shown().whole(tmp_path / "try")

    assert tree(person) == before
    assert not (person.parent / "sayso").exists()


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": lambda file: (file.write_text("two"), os.utime(file, (1, 1))),
    "mode": lambda file: file.chmod(0o600),
    "time": lambda file: os.utime(file, (1, 2)),
    "name": lambda file: file.rename(file.with_name("c.txt")),
    "gone": lambda file: file.unlink(),
    "another": lambda file: file.with_name("c.txt").write_text("one"),
    "folder": lambda file: file.with_name("c").mkdir(),
}


def pictured(folder: Path) -> Path:
    file = folder / "a" / "b.txt"
    file.parent.mkdir()
    file.write_text("one")
    file.chmod(0o644)
    os.utime(file, (1, 1))
    return file


@pytest.mark.parametrize("how", CHANGES)
def test_a_picture_shows_every_change(tmp_path: Path, how: str):
    file = pictured(tmp_path)
    before = picture(tmp_path)

    CHANGES[how](file)

    assert picture(tmp_path) != before


def test_a_picture_is_the_same_when_nothing_changed_but_the_trash(tmp_path: Path):
    pictured(tmp_path)
    before = picture(tmp_path)

    (tmp_path / ".local/share/Trash").mkdir(parents=True)

    assert picture(tmp_path) == before
    assert before["a/b.txt"][1:] == (
        1_000_000_000,
        "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
    )
