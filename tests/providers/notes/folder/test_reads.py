"""Notes are meant by id, place or title, also when somebody copied a file with the id in it."""

from pathlib import Path

from sayso.core.plan import AsLeft, Ref
from sayso.providers.disk.syscalls import walked
from sayso.providers.disk.textfiles import Texts
from sayso.providers.notes.folder.reads import Reads
from sayso.providers.notes.folder.vault import Vault
from sayso.providers.notes.model import AppendNote, CreateNote
from sayso.testing.fakes import FakeClock, NumberedIds


def reads(top: Path) -> Reads:
    return Reads(Vault(Texts(str(top), walked), own=False), FakeClock(), NumberedIds())


async def test_a_copied_note_is_told_from_the_first_by_its_place(tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text("---\nid: same\n---\nx\n")
    seen = reads(tmp_path)

    assert await seen.note("same") is None
    found = await seen.note("b.md")
    assert found is not None
    assert (found.id, found.place) == ("b.md", "b.md")


async def test_an_imagined_note_is_seen_and_referred_to(tmp_path: Path):
    seen = reads(tmp_path).after(CreateNote("n1", "Notes", "List", "a", "List.md"), Ref(0, 0))
    seen = seen.after(AppendNote("n1", "\nb", "m", "List.md"), Ref(1, 0))

    (note,) = await seen.titled("list")

    assert note.body == "a\nb"
    assert seen.fact(note) == AsLeft("n1", "note", 0, 1)
    assert await seen.place("Notes", "List") == "List 2.md"


async def test_titles_that_are_alike_are_offered(tmp_path: Path):
    (tmp_path / "Shopping.md").write_text("x")

    assert await reads(tmp_path).near("shoping") == ("Shopping",)
    assert reads(tmp_path).now().startswith("2026-03-1")
