"""A note's head is what other programs read too, and its body stands as it was given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.notes.folder.markdown import Front, file_name, read, stem, written

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
