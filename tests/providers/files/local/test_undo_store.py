"""Whole trees go, read-only ones too, and what links point to stays."""

import json
import os
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.disk.syscalls import FOLDER
from sayso.providers.files.local.undo_store import remove
from sayso.providers.files.model import ExchangeFiles, Keep, Replace, Unkeep, Write
from tests.fails import fails
from tests.providers.files.local.desk import TOKEN, Desk, names, tree


def test_a_tree_goes_and_the_targets_of_its_links_stay(tmp_path: Path):
    (tmp_path / "keep").mkdir()
    (tmp_path / "keep/x").touch()
    (tmp_path / "t/a/b").mkdir(parents=True)
    (tmp_path / "t/a/f").touch()
    (tmp_path / "t/a/l").symlink_to(tmp_path / "keep")
    (tmp_path / "t/a").chmod(0o500)
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("keep")
    here = os.open(tmp_path, FOLDER)

    for name in ("t", "file", "link", "none"):
        remove(here, name)
    os.close(here)

    assert names(tmp_path) == ["keep"]
    assert (tmp_path / "keep/x").exists()


@pytest.mark.req("X-15")
async def test_places_and_notes_are_for_the_owner_only(desk: Desk):
    mask = os.umask(0)
    try:
        path = desk.file("a.txt")
        await desk.do(Keep(str(path), TOKEN), await desk.facts(path))
    finally:
        os.umask(mask)

    trash = desk.own / "trash"
    assert trash.stat().st_mode & 0o777 == 0o700
    assert (trash / TOKEN).stat().st_mode & 0o777 == 0o700
    assert (trash / TOKEN / "note").stat().st_mode & 0o777 == 0o600
    note = json.loads((trash / TOKEN / "note").read_text())
    assert (note["path"], note["time"], note["was"]["inode"]) == (
        str(path), "2026-03-14T12:00:00+00:00", (trash / TOKEN / "item").stat().st_ino,
    )  # fmt: skip


async def test_a_place_that_holds_something_is_not_given_again(desk: Desk):
    path, other = desk.file("a.txt"), desk.file("b.txt")
    await desk.do(Keep(str(path), TOKEN), await desk.facts(path))
    before = tree(desk.base)

    for step in (Keep(str(other), TOKEN), Write(str(path), "x", TOKEN)):
        with fails(ProviderError, "world.changed"):
            await desk.do(step)

    assert tree(desk.base) == before


@pytest.mark.parametrize("token", ["../x", "", "a/b", ".", "x" * 101, "ä"])
async def test_a_token_that_is_no_token_is_refused(desk: Desk, token: str):
    path = desk.file("a.txt")

    for step in (Keep(str(path), token), Unkeep(str(desk.documents / "b"), token)):
        with pytest.raises(ProviderError):
            await desk.do(step)

    assert path.exists()


@pytest.mark.req("UN-03")
async def test_a_planted_link_in_the_trash_is_not_followed(desk: Desk):
    path = desk.file("a.txt")
    (desk.own / "trash").mkdir(mode=0o700)
    (desk.own / "trash" / TOKEN).symlink_to(desk.outside)
    (desk.outside / "item").write_text("planted")

    with pytest.raises(ProviderError):
        await desk.do(Unkeep(str(desk.documents / "b"), TOKEN))
    with pytest.raises(ProviderError):
        await desk.do(Keep(str(path), TOKEN), await desk.facts(path))

    assert not (desk.documents / "b").exists()
    assert path.exists()


LATER = {"days": 91}


async def keep(desk: Desk, name: str, token: str, size: int = 4) -> None:
    path = desk.file(name, b"x" * size)
    await desk.do(Keep(str(path), token), await desk.facts(path))
    desk.clock.advance(hours=1)


def kept(desk: Desk) -> list[str]:
    return sorted(place.name for place in (desk.own / "trash").iterdir() if (place / "item").exists())


async def test_what_is_too_old_goes(desk: Desk):
    await keep(desk, "a", "a1")
    desk.clock.advance(**LATER)
    await keep(desk, "b", "b1")

    assert desk.backend.prune() == 1
    assert kept(desk) == ["b1"]
    assert desk.backend.prune() == 0


async def test_the_oldest_goes_when_there_is_too_much(tmp_path: Path):
    desk = Desk(tmp_path, options={"undo_bytes": 250})
    for name in ("a1", "b1", "c1"):
        await keep(desk, name, name, size=100)

    assert desk.backend.prune() == 1
    assert kept(desk) == ["b1", "c1"]


async def test_a_way_back_that_is_over_says_since_when_and_why(desk: Desk):
    await keep(desk, "a", TOKEN)
    path = desk.file("b")
    await desk.do(Replace(str(path), "new", TOKEN + "2"), await desk.facts(path))
    desk.clock.advance(**LATER)
    desk.backend.prune()

    for step in (Unkeep(str(desk.documents / "a"), TOKEN), ExchangeFiles(str(path), TOKEN + "2")):
        with fails(ProviderError, "undo.expired", match=r"since 2026-03-14.*90 days.*that time is over"):
            await desk.do(step)
    assert path.read_text() == "new"


async def test_the_note_goes_in_the_end(desk: Desk):
    await keep(desk, "a", TOKEN)
    for _ in range(2):
        desk.clock.advance(**LATER)
        desk.backend.prune()

    assert list((desk.own / "trash").iterdir()) == []
    with fails(ProviderError, "undo.expired"):
        await desk.do(Unkeep(str(desk.documents / "a"), TOKEN))


async def test_what_is_being_built_counts_for_no_room(tmp_path: Path):
    desk = Desk(tmp_path, options={"undo_bytes": 1})
    built: list[int] = []

    def prune(label: str) -> None:
        if label == "files.write.noted":
            built.append(Desk(tmp_path, options={"undo_bytes": 1}).backend.prune())

    desk.kill = prune
    desk.open()
    await desk.do(Write(str(desk.documents / "a"), "content", TOKEN))

    assert built == [0]
    assert (desk.documents / "a").read_text() == "content"


async def test_a_place_without_a_note_goes_by_its_age(desk: Desk):
    place = desk.own / "trash" / "half"
    place.mkdir(parents=True)
    (desk.own / "trash").chmod(0o700)
    (place / "item").write_text("half")
    (desk.own / "trash" / "stray").write_text("no place")

    assert desk.backend.prune() == 0
    os.utime(place, (0, 0))
    assert desk.backend.prune() == 1
    assert not place.exists()
    assert (desk.own / "trash" / "stray").exists()


@pytest.mark.req("UN-02")
async def test_a_kept_file_that_a_program_went_on_writing_to_stays_and_its_note_says_so(desk: Desk):
    path = desk.file("app.log", "line 1\n")
    with path.open("a") as log:
        await desk.do(Keep(str(path), TOKEN), await desk.facts(path))
        log.write("line 2\n")
    desk.clock.advance(**LATER)

    assert desk.backend.prune() == 0

    place = desk.own / "trash" / TOKEN
    assert (place / "item").read_text() == "line 1\nline 2\n"
    assert json.loads((place / "note").read_text())["grown"] is True


@pytest.mark.parametrize("time", ["2026-03-14T10:00:00", "yesterday"])
async def test_a_note_whose_time_cannot_be_read_is_left_alone(desk: Desk, time: str):
    await keep(desk, "a", TOKEN)
    note = desk.own / "trash" / TOKEN / "note"
    note.write_text(json.dumps({**json.loads(note.read_text()), "time": time}))
    desk.clock.advance(days=400)

    assert desk.backend.prune() == 0
    assert kept(desk) == [TOKEN]


async def test_what_another_home_keeps_on_a_shared_disk_is_left_alone(desk: Desk, disk: Path):
    desk.more_roots = (disk,)
    desk.open()
    paths = [desk.file(f"a/disk/{name}") for name in ("a", "b")]
    for path, token in zip(paths, ("a1", "b1"), strict=True):
        await desk.do(Keep(str(path), token), await desk.facts(path))
    shelf = disk / f".sayso-{os.geteuid()}"
    nameless = shelf / "b1" / "note"
    nameless.write_text(json.dumps({**json.loads(nameless.read_text()), "owner": ""}))
    desk.clock.advance(days=400)
    other = Desk(desk.base, clock=desk.clock, more_roots=(disk,))
    other.own = desk.base / "other"
    other.own.mkdir()
    other.open()

    assert other.backend.prune() == 0
    assert sorted(place.name for place in shelf.iterdir() if (place / "item").exists()) == ["a1", "b1"]
    assert desk.backend.prune() == 1
    assert sorted(place.name for place in shelf.iterdir() if (place / "item").exists()) == ["b1"]
    desk.backend.close()
    other.backend.close()
