"""What is seen of a path is what `stat` says of it, and of a folder what `find` counts."""

import hashlib
import os

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.providers.files.model import Free, SameFolder, Unchanged
from sayso.providers.files.store import Gap, Item
from tests.fails import fails
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
        with fails(ProviderError, code, match="“~/Documents/"):
            await asked


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
        with fails(Refused, "path.special"):
            await read("~/Documents/pipe")
    with pytest.raises(Refused):
        await desk.reads.read("~/Documents/pipe", 10)


@pytest.mark.req("FS-13")
@pytest.mark.parametrize("name", ["-rf", "photo\u202egpj.exe", "x" * 255, " lead and trail "])
async def test_odd_names_are_taken_exactly(desk: Desk, name: str):
    path = desk.file(name)

    item = await desk.reads.look(f"~/Documents/{name}")

    assert item.path == str(path)


async def test_a_name_too_long_is_said(desk: Desk):
    with fails(ProviderError, "path.too_long"):
        await desk.reads.look("~/Documents/" + "x" * 256)


async def test_a_folder_is_listed_by_name(desk: Desk):
    desk.file("b.txt", "12")
    (desk.documents / "a").mkdir()
    (desk.documents / "l").symlink_to("/etc/passwd")

    listing = await desk.reads.list("~/Documents", 10)

    assert [(entry.name, entry.kind) for entry in listing.entries] == [
        ("a", "folder"),
        ("b.txt", "file"),
        ("l", "link"),
    ]
    assert listing.omitted == 0
    assert [entry.size for entry in listing.entries][:2] == [0, 2]


@pytest.mark.req("FS-09", "FS-10")
async def test_what_is_not_to_be_shown_is_counted(desk: Desk):
    for name in (".ssh/id", "a", "b", "c"):
        desk.file(name)
    os.mkfifo(desk.documents / "pipe")

    listing = await desk.reads.list("~/Documents", 2)

    assert [entry.name for entry in listing.entries] == ["a", "b"]
    assert listing.omitted == 3


@pytest.mark.req("FS-09")
async def test_a_search_goes_through_loops_and_links_without_following(desk: Desk):
    desk.file("a/b/Report.TXT")
    desk.file(".ssh/report.txt")
    (desk.documents / "a/up").symlink_to("..")
    (desk.outside / "report.txt").write_text("canary")
    (desk.documents / "out").symlink_to(desk.outside)

    listing = await desk.reads.find("~/Documents", "report*", 10)

    assert [entry.path for entry in listing.entries] == [str(desk.documents / "a/b/Report.TXT")]
    assert listing.omitted == 1


@pytest.mark.req("FS-09")
@pytest.mark.timeout(120)
@pytest.mark.parametrize("many", [500, pytest.param(100_000, marks=pytest.mark.thorough)])
async def test_many_entries_are_counted_and_searched(desk: Desk, many: int):
    folder = desk.documents / "big"
    folder.mkdir()
    here = os.open(folder, os.O_RDONLY)
    for number in range(many):
        os.close(os.open(f"f{number}", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)

    item = await desk.reads.look("~/Documents/big")
    listing = await desk.reads.list("~/Documents/big", 50)
    found = await desk.reads.find("~/Documents", f"f{many // 10 - 1}?", 5)

    assert item.entries == many
    assert (len(listing.entries), listing.omitted) == (50, many - 50)
    assert (len(found.entries), found.omitted) == (5, 5)


@pytest.mark.req("FS-13")
async def test_a_name_that_is_no_text_is_escaped_and_flagged(desk: Desk):
    here = os.fsencode(desk.documents)
    os.close(os.open(here + b"/\xff.txt", os.O_CREAT | os.O_WRONLY))

    (entry,) = (await desk.reads.list("~/Documents", 10)).entries
    (found,) = (await desk.reads.find("~/Documents", "*.txt", 10)).entries

    assert (entry.name, entry.flagged) == ("\\xff.txt", True)
    assert found.path == f"{desk.documents}/\\xff.txt"


async def test_text_is_read_up_to_the_limit_and_no_character_is_cut(desk: Desk):
    desk.file("a.txt", "aé")

    cut = await desk.reads.read("~/Documents/a.txt", 2)
    whole = await desk.reads.read("~/Documents/a.txt", 100)

    assert (cut.text, cut.total, cut.exact) == ("a", 3, False)
    assert (whole.text, whole.total, whole.exact) == ("aé", 3, True)


async def test_what_is_no_text_is_read_but_not_called_exact(desk: Desk):
    desk.file("a.bin", b"\xff\x00ok")

    content = await desk.reads.read("~/Documents/a.bin", 100)

    assert not content.exact
    assert content.text.endswith("ok")


async def test_reading_a_folder_and_listing_a_file_are_said(desk: Desk):
    desk.file("a")

    with pytest.raises(ProviderError):
        await desk.reads.read("~/Documents", 10)
    with pytest.raises(ProviderError):
        await desk.reads.list("~/Documents/a", 10)


@pytest.mark.req("FS-02", "FS-09")
async def test_a_folder_that_is_a_link_out_is_not_listed(desk: Desk):
    (desk.documents / "out").symlink_to(desk.outside)

    for look in (desk.reads.list("~/Documents/out", 10), desk.reads.find("~/Documents/out", "*", 10)):
        with pytest.raises(Refused):
            await look


async def test_reading_leaves_the_times_of_a_file_alone(desk: Desk):
    path = desk.file("a.txt")
    os.utime(path, ns=(1, 1))

    await desk.reads.read(str(path), 10)
    await desk.reads.look(str(path))

    found = path.stat()
    assert (found.st_atime_ns, found.st_mtime_ns) == (1, 1)
