"""Folders and notes are what anybody sees in the folder, and what cannot be read is told."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProviderError
from sayso.providers.disk.syscalls import walked
from sayso.providers.disk.textfiles import MOST, Texts
from sayso.providers.notes.folder.vault import Front, Vault, after, file_name, read, stem, written
from sayso.providers.notes.model import AppendNote, CreateNote, CutNote, RemoveNote

LINES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1).map(
    lambda text: " ".join(text.split())
)

BODIES = st.text(st.characters(exclude_categories=["Cs"]))


@given(title=LINES.filter(bool), body=BODIES)
def test_title_and_body_come_back(title: str, body: str):
    front, found = read(written("token1", title, body, "2026-03-14T13:00:00+01:00"))

    assert front == Front(title, "token1")
    assert found == body.encode()


@pytest.mark.parametrize(
    ("head", "title", "note_id"),
    [
        ("title: Plan", "Plan", ""),
        ("title: 'It''s ours'  ", "It's ours", ""),
        ('title: "a \\"b\\" \\u00fc"', 'a "b" ü', ""),
        ("title: Plan # a remark", "Plan", ""),
        ("tags: [a, b]\nTitle: Two words\nid: x1", "Two words", "x1"),
        ("aliases:\n  - title: no", "", ""),
        ('title: "broken', '"broken', ""),
        ("", "", ""),
    ],
)
def test_heads_of_other_programs_are_read(head: str, title: str, note_id: str):
    text = f"---\n{head}\n---\nBody\n" if head else "---\n---\nBody\n"

    assert read(text.encode()) == (Front(title, note_id), b"Body\n")


@pytest.mark.parametrize(
    "text", ["Body", "", "--\ntitle: x\n---\n", "---\ntitle: never ends\n", " ---\ntitle: x\n---\n"]
)
def test_a_file_without_a_head_is_all_body(text: str):
    assert read(text.encode()) == (Front(), text.encode())


def test_a_head_with_line_ends_of_windows_is_one():
    assert read(b"\xef\xbb\xbf---\r\ntitle: Plan\r\n---\r\nBody\r\n") == (Front("Plan"), b"Body\r\n")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Plan ü/..:", "Plan ü"),
        ("../../etc/passwd", "etc passwd"),
        ("...", "Note"),
        ("///", "Note"),
        ("CON", "CON note"),
        ("com1.txt", "com1.txt note"),
        ("a\u202eb", "a b"),
        ("  two   words  ", "two words"),
        ("ends with a dot.", "ends with a dot"),
        (".hidden", "hidden"),
        ("e\u0301", "é"),
        ("[[link]]#part", "link part"),
    ],
)
def test_files_are_called_after_their_notes(title: str, name: str):
    assert file_name(title) == name


@given(LINES)
def test_any_title_gives_a_name_that_stays_in_its_folder(title: str):
    name = file_name(title)

    assert name
    assert not set(name) & set('/\\:*?"<>|\0')
    assert not name.startswith(".")
    assert len(name.encode()) <= 130
    assert stem(f"{name}.md") == name


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(data=st.binary(), text=TEXTS)
def test_what_is_added_can_be_taken_off_whatever_bytes_were_there(data: bytes, text: str):
    added = after(data, AppendNote("n", text, "m"))

    assert added == data + text.encode()
    assert after(added, CutNote("n", text, "m")) == data


def test_only_what_was_added_is_taken_off():
    with pytest.raises(ProviderError, match="does not end"):
        after(b"Body\nMore\n", CutNote("n", "Milk\n", "m"))


def test_a_note_is_made_with_its_head_and_goes_whole():
    made = after(None, CreateNote("n1", "Work", "Plan", "Body", "Work/Plan.md", "2026-03-14"))

    assert made == b'---\ntitle: "Plan"\ndate: 2026-03-14\ntags: []\nid: n1\n---\nBody'
    assert after(made, RemoveNote("n1")) is None


def test_nothing_is_added_to_what_is_gone():
    with pytest.raises(ProviderError, match="gone"):
        after(None, AppendNote("n", "x", "m"))


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
