"""What is deleted or replaced lies in the Trash or the undo store, and comes back from there."""

import json
import os
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.providers.disk.syscalls import FOLDER
from sayso.providers.files.local.undo_store import remove
from sayso.providers.files.model import ExchangeFiles, Keep, Replace, Restore, Trash, Unkeep, Write
from tests.fails import fails
from tests.providers.files.local.desk import TOKEN, Desk, content, names, said_by, tree


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


def kept(shelf: Path) -> list[str]:
    return sorted(place.name for place in shelf.iterdir() if (place / "item").exists())


async def test_what_is_too_old_goes(desk: Desk):
    await keep(desk, "a", "a1")
    desk.clock.advance(**LATER)
    await keep(desk, "b", "b1")

    assert desk.backend.prune() == 1
    assert kept(desk.own / "trash") == ["b1"]
    assert desk.backend.prune() == 0


async def test_the_oldest_goes_when_there_is_too_much(tmp_path: Path):
    desk = Desk(tmp_path, options={"undo_bytes": 250})
    for name in ("a1", "b1", "c1"):
        await keep(desk, name, name, size=100)

    assert desk.backend.prune() == 1
    assert kept(desk.own / "trash") == ["b1", "c1"]


async def test_a_way_back_that_is_over_says_since_when_and_why(desk: Desk):
    await keep(desk, "a", TOKEN)
    path = desk.file("b")
    await desk.do(Replace(str(path), "new", TOKEN + "2"), await desk.facts(path))
    desk.clock.advance(**LATER)
    desk.backend.prune()

    for step in (Unkeep(str(desk.documents / "a"), TOKEN), ExchangeFiles(str(path), TOKEN + "2")):
        with fails(ProviderError, "undo.expired", match=r"since 2026-03-14 is gone: it is kept for 90 days at most"):
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
    assert kept(desk.own / "trash") == [TOKEN]


async def test_what_another_home_keeps_on_a_shared_disk_is_left_alone(disk: Path, desk: Desk):
    desk.more_roots = (disk,)
    desk.open()
    for name, token in (("a", "a1"), ("b", "b1")):
        path = desk.file(f"a/disk/{name}")
        await desk.do(Keep(str(path), token), await desk.facts(path))
    shelf = disk / f".sayso-{os.geteuid()}"
    nameless = shelf / "b1" / "note"
    nameless.write_text(json.dumps({**json.loads(nameless.read_text()), "owner": ""}))
    desk.clock.advance(days=400)
    other = Desk(desk.base, clock=desk.clock, more_roots=(disk,), own_name="other")

    assert other.backend.prune() == 0
    assert kept(shelf) == ["a1", "b1"]
    assert desk.backend.prune() == 1
    assert kept(shelf) == ["b1"]
    other.backend.close()


async def trashed(desk: Desk, path: Path) -> str:
    item = await desk.reads.look(str(path))
    entry = await desk.reads.trash_entry(item)
    assert entry is not None
    await desk.do(Trash(str(path), entry), (item.fact,))
    return entry


@pytest.mark.req("FS-13", "T-21", "S0-31")
async def test_the_note_names_the_path_and_the_local_time_and_goes_when_the_file_comes_back(desk: Desk):
    path = desk.file("a %\u202eb\\.txt")

    entry = await trashed(desk, path)

    info = Path(entry).parent.parent / "info" / (Path(entry).name + ".trashinfo")
    head, where, when = info.read_text().splitlines()
    assert head == "[Trash Info]"
    assert unquote_to_bytes(where.removeprefix("Path=")) == os.fsencode(path)
    local = said_by("date", "-d", "2026-03-14T12:00:00Z", "+DeletionDate=%Y-%m-%dT%H:%M:%S")
    assert when == local.strip()
    assert info.stat().st_mode & 0o777 == 0o600

    await desk.do(Restore(str(path), entry))

    assert path.read_text() == "old\n"
    assert not info.exists()


@pytest.mark.req("FS-04", "FS-08")
@pytest.mark.parametrize("above", [".local", ".local/share", ".local/share/Trash", ".local/share/Trash/files"])
async def test_a_link_put_on_the_way_to_the_trash_leads_nothing_out(desk: Desk, above: str):
    path = desk.file("a.txt")
    item = await desk.reads.look(str(path))
    entry = str(await desk.reads.trash_entry(item))
    (desk.outside / "share").mkdir()
    place = desk.home / above
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(desk.outside)
    before = tree(desk.outside)

    for attempt in (desk.do(Trash(str(path), entry), (item.fact,)), desk.do(Restore(str(path) + "2", entry))):
        with fails(Refused, "path.changed"):
            await attempt

    assert path.read_text() == "old\n"
    assert tree(desk.outside) == before


async def test_two_things_of_one_name_find_room_also_when_both_are_planned_first(desk: Desk):
    one, other = desk.file("a/x.txt", "1"), desk.file("b/x.txt", "2")
    items = [await desk.reads.look(str(path)) for path in (one, other)]
    entries = [await desk.reads.trash_entry(item) for item in items]

    for path, item, entry in zip((one, other), items, entries, strict=True):
        assert entry is not None
        await desk.do(Trash(str(path), entry), (item.fact,))

    assert sorted(Path(str(entry)).read_text() for entry in entries) == ["1", "2"]
    assert all(str(entry).endswith(".txt") for entry in entries)


@pytest.mark.parametrize("name", ["x" * 255, "é" * 127, "a." + "y" * 250, ".hidden"])
async def test_long_names_are_cut_so_that_the_note_fits(desk: Desk, name: str):
    entry = await trashed(desk, desk.file(name))

    assert len(os.fsencode(Path(entry).name)) + len(".trashinfo") <= 255


async def test_another_disk_has_its_own_trash_with_relative_paths(disk: Path, desk: Desk):
    (disk / "d").mkdir()
    (disk / "d/a.txt").write_text("x")

    entry = await trashed(desk, disk / "d/a.txt")

    trash = disk / f".Trash-{os.geteuid()}"
    assert entry.startswith(f"{trash}/files/")
    (info,) = (trash / "info").iterdir()
    assert "Path=d/a.txt\n" in info.read_text()


async def test_a_shared_trash_is_used_when_it_is_sticky_and_no_link(disk: Path, desk: Desk):
    (disk / "a.txt").write_text("x")
    (disk / ".Trash").mkdir()
    (disk / ".Trash").chmod(0o777)
    item = await desk.reads.look(str(disk / "a.txt"))
    plain = await desk.reads.trash_entry(item)
    (disk / ".Trash").chmod(0o1777)
    shared = await desk.reads.trash_entry(item)

    await desk.do(Trash(str(disk / "a.txt"), str(shared)), (item.fact,))

    assert str(plain).startswith(f"{disk}/.Trash-{os.geteuid()}/files/")
    assert str(shared).startswith(f"{disk}/.Trash/{os.geteuid()}/files/")
    assert Path(str(shared)).read_text() == "x"


@pytest.mark.needs("trash-list", "trash-restore")
@pytest.mark.req("S0-31", "T-21")
async def test_another_program_lists_it_and_brings_it_back(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(desk.home))
    path = desk.file("d/ä b.txt")
    before = content(desk.documents)
    await trashed(desk, path)

    assert str(path) in said_by("trash-list")
    assert said_by("sh", "-c", 'cd "$0" && echo 0 | trash-restore', path.parent)

    assert content(desk.documents) == before
