"""Folders and notes are what anybody sees in the folder, and what cannot be read is told."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.disk.syscalls import walked
from sayso.providers.disk.texts import MOST, Texts
from sayso.providers.notes.folder.vault import Vault


def vault(top: Path, *, own: bool = False) -> Vault:
    return Vault(Texts(str(top), walked), own=own)


def planted(top: Path, **files: str) -> Vault:
    for place, text in files.items():
        file = top / place.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_name(file.name + ".md").write_text(text)
    return vault(top)


def test_folders_are_named_by_where_they_are(tmp_path: Path):
    kept = planted(tmp_path, Work__Projects__a="x", Home__b="y", c="z")
    (tmp_path / ".obsidian").mkdir()

    assert kept.folders() == ("Notes", "Home", "Work", "Work/Projects")
    assert [(one.note.folder, one.note.title) for one in kept.notes([])] == [
        ("Notes", "c"),
        ("Home", "b"),
        ("Work/Projects", "a"),
    ]


def test_a_folder_that_is_called_notes_is_itself(tmp_path: Path):
    kept = planted(tmp_path, Notes__a="x", b="y")

    assert kept.folders() == ("/", "Notes")
    assert kept.folder_of("Notes") == "Notes"
    assert kept.folder_of("/") == ""


def test_a_note_of_another_program_is_named_by_its_file(tmp_path: Path):
    (one,) = planted(tmp_path, Work__Plan="# Heading\nText\n").notes([])

    assert (one.note.id, one.note.title, one.note.body) == ("Work/Plan.md", "Plan", "# Heading\nText\n")


def test_what_cannot_be_read_is_told_and_hides_nothing_else(tmp_path: Path):
    kept = planted(tmp_path, a="x", b="y")
    with (tmp_path / "a.md").open("wb") as file:
        file.truncate(MOST + 1)
    left_out: list[str] = []

    assert [one.note.title for one in kept.notes(left_out)] == ["b"]
    assert len(left_out) == 1
    assert "a.md" in left_out[0]


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path):
    kept = planted(tmp_path, Plan="x", Work__Plan="y")

    assert kept.free_place("Notes", "plan", frozenset()) == "plan 2.md"
    assert kept.free_place("Work", "Plan", frozenset({"work/plan 2.md"})) == "Work/Plan 3.md"
    assert kept.free_place("Work", "Other", frozenset()) == "Work/Other.md"


def test_a_folder_that_was_named_must_be_there(tmp_path: Path):
    with pytest.raises(ProviderError, match=r"notes\.path"):
        vault(tmp_path / "none").folders()

    assert vault(tmp_path / "none", own=True).folders() == ("Notes",)


def test_bytes_that_are_no_text_are_shown_as_such_and_kept(tmp_path: Path):
    (tmp_path / "a.md").write_bytes(b"caf\xe9\n")

    (one,) = vault(tmp_path).notes([])

    assert one.note.body == "caf\ufffd\n"
    assert one.data == b"caf\xe9\n"
