"""The Trash is the one that other programs know, and they can bring back what lies in it."""

import os
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest

from sayso.core.errors import Refused
from sayso.providers.files.model import Restore, Trash
from tests.fails import fails
from tests.providers.files.local.desk import Desk, content, said_by, tree


async def trashed(desk: Desk, path: Path) -> str:
    item = await desk.reads.look(str(path))
    entry = await desk.reads.trash_entry(item)
    assert entry is not None
    await desk.do(Trash(str(path), entry), (item.fact,))
    return entry


@pytest.mark.req("FS-13")
async def test_the_note_names_the_path_and_the_local_time(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    path = desk.file("a %\u202eb\\.txt")

    entry = await trashed(desk, path)

    info = Path(entry).parent.parent / "info" / (Path(entry).name + ".trashinfo")
    head, where, when = info.read_text().splitlines()
    assert head == "[Trash Info]"
    assert unquote_to_bytes(where.removeprefix("Path=")) == os.fsencode(path)
    local = said_by("date", "-d", "2026-03-14T12:00:00Z", "+DeletionDate=%Y-%m-%dT%H:%M:%S")
    assert when == local.strip()
    assert info.stat().st_mode & 0o777 == 0o600


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


async def test_another_disk_has_its_own_trash_with_relative_paths(disk: Path, tmp_path: Path):
    desk = Desk(tmp_path)
    try:
        (disk / "d").mkdir()
        (disk / "d/a.txt").write_text("x")

        entry = await trashed(desk, disk / "d/a.txt")

        trash = disk / f".Trash-{os.geteuid()}"
        assert entry.startswith(f"{trash}/files/")
        (info,) = (trash / "info").iterdir()
        assert "Path=d/a.txt\n" in info.read_text()
    finally:
        desk.backend.close()


async def test_a_shared_trash_is_used_when_it_is_sticky_and_no_link(disk: Path, tmp_path: Path):
    desk = Desk(tmp_path)
    try:
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
    finally:
        desk.backend.close()


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
