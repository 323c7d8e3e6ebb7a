"""Notes in a folder stay what their owner made them; a crash and a faster editor are told apart from what was done."""

import hashlib
import re
from pathlib import Path
from typing import Any, cast

import pytest

from sayso.core.plan import CannotTell, Left, NotDone, Plan
from sayso.core.ports import Ground, KillPoint, no_kill_point
from sayso.providers.notes import NOTES
from sayso.providers.notes.folder.backend import FolderBackend, build
from sayso.providers.notes.model import NoteIs
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial, refused

IDS = NumberedIds()


class Died(BaseException):
    """The process ended here."""


def backend(top: Path, kill: KillPoint = no_kill_point) -> FolderBackend:
    return build(Ground({"path": str(top)}, "/home/ana", "/home/ana/.sayso", (), FakeClock(), IDS, kill))


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

    no = await refused(trial(tmp_path).plan("note.create", title="x", folder="Nowhere"))

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

    no = await refused(tried.do(plan))

    assert "changed since" in str(no)
    assert listing(tmp_path) == {"List.md": b"a\nmine\n"}


async def test_a_name_taken_meanwhile_is_not_written_over(tmp_path: Path):
    tried = trial(tmp_path)
    plan = await tried.plan("note.create", title="List")
    (tmp_path / "List.md").write_text("mine\n")

    await refused(tried.do(plan))

    assert listing(tmp_path) == {"List.md": b"mine\n"}


async def test_without_a_setting_notes_are_sayso_s_own_and_made_when_first_written(tmp_path: Path):
    own = tmp_path / "own"
    made = build(Ground({}, str(tmp_path), str(own), (), FakeClock(), IDS))
    tried = Trial(NOTES, made)
    plan = await tried.plan("note.create", title="List", body="a\n")
    assert not own.exists()

    await tried.do(plan)

    assert (own / "notes/List.md").is_file()
    (told,) = await made.capabilities()
    assert (told.served, told.why) == (str(own / "notes"), "notes.path names no other folder; folders: “Notes”")


async def test_doctor_says_how_to_mend_a_folder_that_is_gone(tmp_path: Path):
    (told,) = await backend(tmp_path / "none").capabilities()

    assert not told.served
    assert "notes.path" in told.why
    assert told.fix == f"mkdir -p '{tmp_path / 'none'}'"


POINTS = ("text.written", "text.named", "text.exchanged", "text.set_aside", "text.discarded")


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("deed", ["create", "append", "remove", "cut"])
async def test_after_a_crash_anywhere_the_outcome_is_what_the_folder_shows(tmp_path: Path, deed: str, point: str):
    (tmp_path / "List.md").write_text("a\n")
    tried = trial(tmp_path)
    name = "New" if deed in {"create", "remove"} else "List"
    plan: Plan = await (
        tried.plan("note.create", title="New", body="x")
        if name == "New"
        else tried.plan("note.append", target="List", text="b\n")
    )
    (change,) = plan.changes
    step: Any = change.do
    expects = change.expects
    if deed in {"remove", "cut"}:
        (left,) = await tried.do(plan)
        step, expects = change.undo, left.facts
    before = listing(tmp_path)

    def kill(label: str) -> None:
        if label == point:
            raise Died

    died = False
    try:
        await backend(tmp_path, kill).apply(step, expects)
    except Died:
        died = True
    settled = await backend(tmp_path).settle(step, expects)

    now = listing(tmp_path)
    assert not [place for place in now if place.startswith(".")]
    if isinstance(settled, NotDone):
        assert died
        assert now == before
    elif isinstance(settled, CannotTell):
        assert deed == "remove"
        assert now != before
    else:
        assert now != before
        for fact in settled.facts:
            assert isinstance(fact, NoteIs)
            assert fact.sha256 == hashlib.sha256(now[f"{name}.md"]).hexdigest()[:40]


async def test_what_somebody_changed_after_a_crash_is_not_claimed(tmp_path: Path):
    (tmp_path / "List.md").write_text("a\n")
    tried = trial(tmp_path)
    plan = await tried.plan("note.append", target="List", text="b\n")
    (change,) = plan.changes
    (tmp_path / "List.md").write_text("a\nsomething else\n")

    settled = await backend(tmp_path).settle(cast("Any", change.do), change.expects)

    assert isinstance(settled, CannotTell)


async def test_a_new_note_that_somebody_edited_after_a_crash_was_made_and_is_not_undone(tmp_path: Path):
    tried = trial(tmp_path)
    plan = await tried.plan("note.create", title="New", body="x")
    (change,) = plan.changes
    await tried.do(plan)
    with (tmp_path / "New.md").open("a") as file:
        file.write("mine")

    settled = await backend(tmp_path).settle(cast("Any", change.do), change.expects)

    assert isinstance(settled, Left)
    await refused(tried.take_back(plan, [settled]))
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
