"""Folders and notes are what anybody sees in the folder, and what cannot be read is told."""

import hashlib
import re
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProviderError
from sayso.core.plan import Applied, CannotTell, ChangeRef, NotDone, ResultRef
from sayso.core.ports import Backend, BackendContext, KillPoint, no_kill_point
from sayso.providers.disk.entries import bytes_of, text_of
from sayso.providers.disk.syscalls import open_below
from sayso.providers.disk.textfiles import MOST, Texts
from sayso.providers.notes import NOTES
from sayso.providers.notes.folder import (
    FolderBackend,
    FolderNotes,
    Front,
    Vault,
    build,
    file_name,
    read_front,
    stem,
    text_after,
)
from sayso.providers.notes.model import AppendNote, CreateNote, CutNote, NoteIs
from sayso.testing.fakes import FakeClock, KillAt, Killed, NumberedIds
from sayso.testing.harness import Trial, refusal_of
from sayso.testing.notes import STEP_CASES, NotesSuite

LINES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1).map(
    lambda text: " ".join(text.split())
)
BODIES = st.text(st.characters(exclude_categories=["Cs"]))


@given(title=LINES.filter(bool), body=BODIES)
def test_title_and_body_come_back(title: str, body: str):
    text = text_after(CreateNote("token1", "Work", title, body, "", "2026-03-14T13:00:00+01:00"), None)

    assert read_front(text or "") == (Front(title, "token1"), body)


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

    assert read_front(text) == (Front(title, note_id), "Body\n")


@pytest.mark.parametrize(
    "text", ["Body", "", "--\ntitle: x\n---\n", "---\ntitle: never ends\n", " ---\ntitle: x\n---\n"]
)
def test_a_file_without_a_head_is_all_body(text: str):
    assert read_front(text) == (Front(), text)


def test_a_head_with_line_ends_of_windows_is_one():
    assert read_front("\ufeff---\r\ntitle: Plan\r\n---\r\nBody\r\n") == (Front("Plan"), "Body\r\n")


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
    append = AppendNote("n", text, "m")
    added = append.edit(text_of(data))

    assert bytes_of(added) == data + text.encode()
    assert bytes_of(append.undo().edit(added)) == data


def test_only_what_was_added_is_taken_off():
    with pytest.raises(ProviderError, match="does not end"):
        CutNote("n", "Milk\n", "m").edit("Body\nMore\n")


def test_a_note_is_made_with_its_head_and_goes_whole():
    create = CreateNote("n1", "Work", "Plan", "Body", "Work/Plan.md", "2026-03-14")
    made = text_after(create, None)

    assert made == '---\ntitle: "Plan"\ndate: 2026-03-14\ntags: []\nid: n1\n---\nBody'
    assert text_after(create.undo("m"), made) is None


def test_nothing_is_added_to_what_is_gone():
    with pytest.raises(ProviderError, match="gone"):
        AppendNote("n", "x", "m").edit(None)


def vault(top: Path, *, own: bool = False) -> Vault:
    return Vault(Texts(str(top), open_below), own=own)


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
    assert bytes_of(one.text) == b"caf\xe9\n"


def reads(top: Path) -> FolderNotes:
    return FolderNotes(Vault(Texts(str(top), open_below), own=False), FakeClock(), NumberedIds())


async def test_a_copied_note_is_told_from_the_first_by_its_place(tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text("---\nid: same\n---\nx\n")
    seen = reads(tmp_path)

    assert await seen.note("same") is None
    found = await seen.note("b.md")
    assert found is not None
    assert (found.id, found.place) == ("b.md", "b.md")


async def test_an_imagined_note_is_seen_and_referred_to(tmp_path: Path):
    seen = reads(tmp_path).after(CreateNote("n1", "Notes", "List", "a", "List.md"), ChangeRef(0, 0))
    seen = seen.after(AppendNote("n1", "\nb", "m", "List.md"), ChangeRef(1, 0))

    (note,) = await seen.find_by_title("list")

    assert note.body == "a\nb"
    assert seen.fact(note) == ResultRef("n1", "note", 0, 1)
    assert await seen.place("Notes", "List") == "List 2.md"


async def test_titles_that_are_alike_are_offered(tmp_path: Path):
    (tmp_path / "Shopping.md").write_text("x")

    assert await reads(tmp_path).near("shoping") == ("Shopping",)
    assert reads(tmp_path).now().startswith("2026-03-1")


IDS = NumberedIds()


def backend(top: Path, kill: KillPoint = no_kill_point) -> FolderBackend:
    return build(BackendContext({"path": str(top)}, "/home/ana", "/home/ana/.sayso", (), FakeClock(), IDS, kill))


def trial(top: Path) -> Trial:
    return Trial(NOTES, backend(top))


def listing(top: Path) -> dict[str, bytes]:
    return {str(file.relative_to(top)): file.read_bytes() for file in top.rglob("*") if file.is_file()}


@pytest.mark.req("S1-27", "T-45")
async def test_a_note_is_a_file_with_a_head_in_its_folder(tmp_path: Path):
    (tmp_path / "Work").mkdir()
    tried = trial(tmp_path)

    await tried.do(await tried.plan("note.create", title="Plan: A/B", body="First\n", folder="Work"))
    await tried.do(await tried.plan("note.create", title="Plan: A/B", body="Second\n"))

    work, top = (tmp_path / "Work/Plan A B.md").read_text(), (tmp_path / "Plan A B.md").read_text()
    head = r'---\ntitle: "Plan: A/B"\ndate: 2026-03-14T\d\d:00:00[+-]\d\d:\d\d\ntags: \[\]\nid: \w{16,}\n---\n'
    assert re.fullmatch(head + "First\n", work)
    assert re.fullmatch(head + "Second\n", top)


@pytest.mark.req("T-45")
async def test_a_missing_folder_is_a_failure_that_lists_folders_and_makes_none(tmp_path: Path):
    (tmp_path / "Work/Ideas").mkdir(parents=True)

    no = await refusal_of(trial(tmp_path).plan("note.create", title="x", folder="Nowhere"))

    assert str(no) == "There is no folder “Nowhere” for notes. Folders: “Notes”, “Work”, “Work/Ideas”."
    assert listing(tmp_path) == {}
    assert not (tmp_path / "Nowhere").exists()


async def test_other_programs_notes_are_kept_byte_for_byte(tmp_path: Path):
    odd = b"\xef\xbb\xbf---\r\ntitle: Odd  # mine\r\nx: [1,\r\n  2]\r\n---\r\ncaf\xe9\r\nlast"
    (tmp_path / "odd.md").write_bytes(odd)
    (tmp_path / "other.md").write_bytes(b"\x00\xff")
    tried = trial(tmp_path)

    plan = await tried.plan("note.append", target="odd", text="Milk\n")
    lefts = await tried.do(plan)

    assert listing(tmp_path) == {"odd.md": odd + b"\nMilk\n", "other.md": b"\x00\xff"}
    await tried.take_back(plan, lefts)
    assert listing(tmp_path) == {"odd.md": odd, "other.md": b"\x00\xff"}


async def test_an_editor_that_saved_meanwhile_keeps_what_it_wrote(tmp_path: Path):
    (tmp_path / "List.md").write_text("a\n")
    tried = trial(tmp_path)
    plan = await tried.plan("note.append", target="List", text="b\n")
    (tmp_path / "List.md").write_text("a\nmine\n")

    no = await refusal_of(tried.do(plan))

    assert "changed since" in str(no)
    assert listing(tmp_path) == {"List.md": b"a\nmine\n"}


async def test_a_name_taken_meanwhile_is_not_written_over(tmp_path: Path):
    tried = trial(tmp_path)
    plan = await tried.plan("note.create", title="List")
    (tmp_path / "List.md").write_text("mine\n")

    await refusal_of(tried.do(plan))

    assert listing(tmp_path) == {"List.md": b"mine\n"}


async def test_without_a_setting_notes_are_sayso_s_own_and_made_when_first_written(tmp_path: Path):
    own = tmp_path / "own"
    made = build(BackendContext({}, str(tmp_path), str(own), (), FakeClock(), IDS))
    tried = Trial(NOTES, made)
    plan = await tried.plan("note.create", title="List", body="a\n")
    assert not own.exists()

    await tried.do(plan)

    assert (own / "notes/List.md").is_file()
    (told,) = await made.capabilities()
    assert (told.served, told.why) == (
        str(own / "notes"),
        "the default, as notes.path names no other folder; folders: “Notes”",
    )


async def test_doctor_says_how_to_mend_a_folder_that_is_gone(tmp_path: Path):
    (told,) = await backend(tmp_path / "none").capabilities()

    assert not told.served
    assert "notes.path" in told.why
    assert told.fix == f"mkdir -p '{tmp_path / 'none'}'"


POINTS = ("text.written", "text.named", "text.exchanged", "text.set_aside", "text.discarded")


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("undo", [False, True], ids=["do", "undo"])
@pytest.mark.parametrize("operation", STEP_CASES)
async def test_after_a_crash_anywhere_the_outcome_is_what_the_folder_shows(
    tmp_path: Path, operation: str, undo: bool, point: str
):
    (tmp_path / "List.md").write_text("a\n")
    tried = trial(tmp_path)
    plan = await tried.plan(operation, **STEP_CASES[operation])
    (change,) = plan.changes
    step: Any = change.do
    expects = change.expects
    if undo:
        (left,) = await tried.do(plan)
        step, expects = change.undo, left.facts
    before = listing(tmp_path)

    died = False
    try:
        await backend(tmp_path, KillAt(point)).apply(step, expects)
    except Killed:
        died = True
    settled = await backend(tmp_path).settle(step, expects)

    now = listing(tmp_path)
    assert not [place for place in now if place.startswith(".")]
    if isinstance(settled, NotDone):
        assert died
        assert now == before
    elif isinstance(settled, CannotTell):
        assert step.removes
        assert now != before
    else:
        assert now != before
        for fact in settled.facts:
            assert isinstance(fact, NoteIs)
            assert fact.sha256 == hashlib.sha256(now[step.place]).hexdigest()[:40]


async def test_what_somebody_changed_after_a_crash_is_not_claimed(tmp_path: Path):
    (tmp_path / "List.md").write_text("a\n")
    tried = trial(tmp_path)
    plan = await tried.plan("note.append", target="List", text="b\n")
    (change,) = plan.changes
    (tmp_path / "List.md").write_text("a\nsomething else\n")

    settled = await backend(tmp_path).settle(cast("Any", change.do), change.expects)

    assert isinstance(settled, CannotTell)


@pytest.mark.parametrize(
    ("point", "beside", "left"),
    [
        ("text.written", None, [b"mine\n"]),
        ("text.exchanged", b"theirs\n", [b"mine\n", b"theirs\n"]),
    ],
)
async def test_what_lies_beside_a_changed_note_after_a_crash_is_removed_only_if_it_is_our_own(
    tmp_path: Path, point: str, beside: bytes | None, left: list[bytes]
):
    (tmp_path / "List.md").write_text("a\n")
    (change,) = (await trial(tmp_path).plan("note.append", target="List", text="b\n")).changes
    step: Any = change.do

    with pytest.raises(Killed):
        await backend(tmp_path, KillAt(point)).apply(step, change.expects)
    (hidden,) = [file for file in tmp_path.iterdir() if file.name.startswith(".")]
    if beside is not None:
        hidden.write_bytes(beside)
    (tmp_path / "List.md").write_text("mine\n")

    settled = await backend(tmp_path).settle(step, change.expects)

    assert isinstance(settled, CannotTell)
    assert sorted(listing(tmp_path).values()) == left


async def test_a_new_note_that_somebody_edited_after_a_crash_was_made_and_is_not_undone(tmp_path: Path):
    tried = trial(tmp_path)
    plan = await tried.plan("note.create", title="New", body="x")
    (change,) = plan.changes
    await tried.do(plan)
    with (tmp_path / "New.md").open("a") as file:
        file.write("mine")

    settled = await backend(tmp_path).settle(cast("Any", change.do), change.expects)

    assert isinstance(settled, Applied)
    await refusal_of(tried.take_back(plan, [settled]))
    assert (tmp_path / "New.md").read_text().endswith("xmine")


OBSIDIAN = """---
aliases: [Haus, "Home #1"]
cssclass: wide   # of another program
tags:
  - house/roof
due: 2026-04-01
---"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("rest", ["", "\n", "\n\n# Roof\n", "\n\n# Roof\n\n- [ ] call\t"], ids=ascii)
@pytest.mark.parametrize("first", ["", "\ufeff"], ids=ascii)
async def test_what_another_program_wrote_stays_byte_for_byte(tmp_path: Path, first: str, rest: str, newline: str):
    before = (first + OBSIDIAN + rest).replace("\n", newline).encode()
    (tmp_path / "House.md").write_bytes(before)
    tried = trial(tmp_path)
    plan = await tried.plan("note.append", target="House", text="- [ ] tiles\n")

    lefts = await tried.do(plan)

    now = (tmp_path / "House.md").read_bytes()
    assert now.startswith(before)
    assert now[len(before) :] in {b"- [ ] tiles\n", b"\n- [ ] tiles\n"}
    assert now.splitlines()[-1] == b"- [ ] tiles"
    await tried.take_back(plan, lefts)
    assert (tmp_path / "House.md").read_bytes() == before


class TestFolder(NotesSuite):
    """The suite on a folder."""

    @pytest.fixture(autouse=True)
    def somewhere(self, tmp_path: Path) -> None:
        self.home, self.made = tmp_path, 0

    def make(self) -> Backend:
        self.made += 1
        top = self.home / f"vault{self.made}"
        (top / "Work").mkdir(parents=True)
        return build(BackendContext({"path": str(top)}, str(self.home), str(self.home), (), FakeClock(), NumberedIds()))
