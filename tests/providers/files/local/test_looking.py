"""What is seen of a path is what `stat` says of it, and of a folder what `find` counts."""

import hashlib
import os

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.providers.files.facts import Free, SameFolder, Unchanged
from sayso.providers.files.store import Gap, Item
from tests.providers.files.local.desk import Desk, said_by


async def test_a_file_is_described(desk: Desk):
    path = desk.file("a.txt", "four")
    path.chmod(0o640)
    os.link(path, desk.documents / "b.txt")

    item = await desk.reads.look("~/Documents/a.txt")

    found = path.stat()
    sha256 = hashlib.sha256(b"four").hexdigest()
    fact = Unchanged(str(path), "file", found.st_dev, found.st_ino, 4, found.st_mtime_ns, sha256)
    assert item == Item(str(path), "file", found.st_dev, 4, 0, found.st_mtime_ns, 0o640, 2, fact)


async def test_a_folder_is_counted_whole(desk: Desk):
    desk.file("d/a", "12345")
    desk.file("d/e/b", "123")
    (desk.documents / "d/l").symlink_to("a")

    item = await desk.reads.look("~/Documents/d")

    assert item.entries == len(said_by("find", desk.documents / "d", "-mindepth", "1").splitlines()) == 4
    assert item.size == 8
    assert isinstance(item.fact, Unchanged)
    assert item.fact.mtime_ns == 0


async def test_a_link_is_described_by_its_target(desk: Desk):
    (desk.documents / "l").symlink_to("some where")

    item = await desk.reads.look("~/Documents/l")

    assert (item.kind, item.target) == ("link", "some where")
    assert isinstance(item.fact, Unchanged)
    assert item.fact.sha256 == hashlib.sha256(b"some where").hexdigest()


async def test_denied_names_within_a_tree_are_named(desk: Desk):
    desk.file("p/.git/hooks/x")
    desk.file("p/q/.env")

    item = await desk.reads.look("~/Documents/p")

    assert item.denied == (".git", "q/.env")


async def test_what_is_missing_taken_or_without_a_folder_is_said_by_the_name_given(desk: Desk):
    desk.file("a.txt")

    for asked, code in (
        (desk.reads.look("~/Documents/x"), "path.missing"),
        (desk.reads.opened("~/Documents/x"), "path.missing"),
        (desk.reads.free("~/Documents/a.txt"), "path.taken"),
        (desk.reads.free("~/Documents/x/y"), "path.no_folder"),
    ):
        with pytest.raises(ProviderError, match="“~/Documents/") as said:
            await asked
        assert said.value.code == code


async def test_something_stands_there_or_not(desk: Desk):
    desk.file("a.txt")
    (desk.documents / "l").symlink_to("nothing")

    assert await desk.reads.exists("~/Documents/a.txt")
    assert await desk.reads.exists("~/Documents/l")
    assert not await desk.reads.exists("~/Documents/x")
    assert not await desk.reads.exists("~/Documents/x/y/z")
    assert not await desk.reads.exists("~/Documents/a.txt/z")


async def test_a_free_place_names_its_folder(desk: Desk):
    place = await desk.reads.free("~/Documents/x")

    found = desk.documents.stat()
    assert place.free == Free(str(desk.documents / "x"))
    assert place.parent == SameFolder(str(desk.documents), found.st_dev, found.st_ino)


async def test_a_gap_names_the_first_missing_folder_and_those_below(desk: Desk):
    (desk.documents / "a").mkdir()

    gap = await desk.reads.gap("~/Documents/a/b/c/d")
    there = await desk.reads.gap("~/Documents/a")
    whole = await desk.reads.gap("~/Documents")

    assert isinstance(gap, Gap)
    assert (gap.place.path, gap.below) == (str(desk.documents / "a/b"), ("c", "d"))
    assert isinstance(there, Item)
    assert isinstance(whole, Item)


async def test_a_gap_with_a_file_in_the_way_is_no_gap(desk: Desk):
    desk.file("a")

    for path in ("~/Documents/a", "~/Documents/a/b"):
        with pytest.raises(ProviderError):
            await desk.reads.gap(path)


@pytest.mark.req("FS-03", "FS-08")
async def test_no_folder_is_planned_through_a_link_to_nothing(desk: Desk):
    (desk.documents / "l").symlink_to(desk.documents / "nothing")

    for path in ("~/Documents/l", "~/Documents/l/b"):
        with pytest.raises(Refused):
            await desk.reads.gap(path)


@pytest.mark.req("FS-06")
async def test_a_pipe_is_refused_at_once(desk: Desk):
    os.mkfifo(desk.documents / "pipe")

    for read in (desk.reads.look, desk.reads.opened, desk.reads.exists, desk.reads.free):
        with pytest.raises(Refused) as said:
            await read("~/Documents/pipe")
        assert said.value.code == "path.special"
    with pytest.raises(Refused):
        await desk.reads.read("~/Documents/pipe", 10)


@pytest.mark.req("FS-13")
@pytest.mark.parametrize("name", ["-rf", "photo\u202egpj.exe", "x" * 255, " lead and trail "])
async def test_odd_names_are_taken_exactly(desk: Desk, name: str):
    path = desk.file(name)

    item = await desk.reads.look(f"~/Documents/{name}")

    assert item.path == str(path)


async def test_a_name_too_long_is_said(desk: Desk):
    with pytest.raises(ProviderError) as said:
        await desk.reads.look("~/Documents/" + "x" * 256)

    assert said.value.code == "path.too_long"
