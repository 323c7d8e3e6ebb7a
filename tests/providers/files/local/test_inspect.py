"""What is seen of a path is what `stat` and `find` say, and facts differ exactly when the thing does."""

import hashlib
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TextIO

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Refused
from sayso.providers.disk.syscalls import FOLDER
from sayso.providers.files.local.measure import HASHED, WalkEntry, WalkEvent, difference, hash_of, walk
from sayso.providers.files.model import Free, Replace, SameFolder, Unchanged
from sayso.providers.files.store import Gap, Item
from tests.descriptors import open_descriptors
from tests.fails import fails
from tests.providers.files.local.desk import TOKEN, Desk, said_by, tree


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


@pytest.fixture
def here(tmp_path: Path):
    opened = os.open(tmp_path, FOLDER)
    yield opened
    os.close(opened)


def test_everything_is_met_once_and_folders_are_left_after_what_is_in_them(tmp_path: Path, here: int):
    for name in ("a/b/c", "a/d", "e"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "a/l").symlink_to("..")

    met = [(one.event, one.path) for one in walk(here, lambda met: True)]

    listed = subprocess.run(
        ["find", ".", "-mindepth", "1", "-printf", r"%P\n"], cwd=tmp_path, capture_output=True, check=True
    )
    assert sorted(path for way, path in met if way is not WalkEvent.OUT) == sorted(listed.stdout.decode().splitlines())
    assert met.index((WalkEvent.OUT, "a/b")) > met.index((WalkEvent.THING, "a/b/c"))
    assert met[-1] == (WalkEvent.OUT, "a")


def test_a_folder_that_is_not_entered_is_a_thing(tmp_path: Path, here: int):
    (tmp_path / "a/b").mkdir(parents=True)

    assert [(one.event, one.path) for one in walk(here, lambda met: False)] == [(WalkEvent.THING, "a")]


def test_folders_deeper_than_python_calls_itself(tmp_path: Path, here: int):
    below = os.dup(here)
    for _ in range(1200):
        os.mkdir("d", dir_fd=below)
        deeper = os.open("d", FOLDER, dir_fd=below)
        os.close(below)
        below = deeper
    os.close(below)

    assert sum(one.event is WalkEvent.INTO for one in walk(here, lambda met: True)) == 1200
    subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)


@pytest.mark.req("FS-09")
def test_a_folder_moved_out_during_the_walk_stops_it(tmp_path: Path, here: int):
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "secret").touch()
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/x").touch()
    names: list[str] = []

    def look() -> None:
        for met in walk(here, lambda met: True):
            names.append(met.name)
            if met.name == "x":
                (tmp_path / "a/b").rename(outside / "b")

    with pytest.raises(Refused):
        look()

    assert "secret" not in names


def test_a_folder_swapped_for_a_link_before_it_is_entered_stops_it(tmp_path: Path, here: int):
    (tmp_path / "a").mkdir()

    def look() -> None:
        for met in walk(here, lambda met: True):
            if met.event is WalkEvent.INTO:
                (tmp_path / "a").rename(tmp_path / "b")
                (tmp_path / "a").symlink_to("/etc")

    with pytest.raises((Refused, OSError)):
        look()


def test_what_is_in_a_folder_is_met_by_name_its_folders_last(tmp_path: Path, here: int):
    things = [f"t{number:02}" for number in range(30)]
    for name in reversed(things):
        (tmp_path / name).touch()
    for name in ("b", "a", "c"):
        (tmp_path / name).mkdir()

    met = [one.path for one in walk(here, lambda met: True) if one.event is not WalkEvent.OUT]

    assert met == [*things, "a", "b", "c"]


def test_what_goes_away_during_the_walk_is_not_met_and_all_else_is(tmp_path: Path, here: int):
    for name in ("a", "b", "c"):
        (tmp_path / name).touch()
    names: list[str] = []

    for met in walk(here, lambda met: True):
        names.append(met.name)
        (tmp_path / "b").unlink(missing_ok=True)

    assert names == ["a", "c"]


def test_only_a_folder_is_asked_about_before_it_is_entered(tmp_path: Path, here: int):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/x").touch()
    (tmp_path / "l").symlink_to("a")
    asked: list[str] = []

    def enter(met: WalkEntry) -> bool:
        asked.append(met.path)
        return met.name != "b"

    ways = {one.path: one.event for one in walk(here, enter) if one.event is not WalkEvent.OUT}

    assert asked == ["a", "a/b"]
    assert ways == {"l": WalkEvent.THING, "a": WalkEvent.INTO, "a/x": WalkEvent.THING, "a/b": WalkEvent.THING}


@pytest.mark.parametrize("ends", ["by itself", "early", "by a change"])
def test_nothing_stays_open_however_the_walk_ends(ends: str, tmp_path: Path, here: int):
    (tmp_path / "a/b").mkdir(parents=True)
    before = open_descriptors()

    met = walk(here, lambda met: True)
    for one in met:
        if ends == "early" and one.name == "b":
            break
        if ends == "by a change" and one.name == "b":
            (tmp_path / "a/b").rename(tmp_path / "a/c")
            (tmp_path / "a/b").mkdir()
            with pytest.raises(Refused):
                next(met)
            break
    del met

    assert open_descriptors() <= before
    os.fstat(here)


SEEN = Unchanged("/a", "file", 1, 2, size=3, mtime_ns=4, sha256="5")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, ""),
        ({"inode": 9}, "another file"),
        ({"kind": "folder"}, "another folder"),
        ({"size": 12}, "it is now 12 bytes"),
        ({"sha256": "6"}, "content"),
        ({"mtime_ns": 5}, "written to"),
        ({"sha256": ""}, ""),
    ],
)
def test_the_difference_is_said(change: dict[str, object], words: str):
    said = difference(SEEN, replace(SEEN, **change))

    assert words in said
    assert bool(said) == bool(words)


def test_a_folder_differs_by_what_it_holds_and_not_by_its_time():
    folder = Unchanged("/a", "folder", 1, 2, size=10, entries=3)

    assert difference(folder, replace(folder, mtime_ns=7)) == ""
    assert "4 things" in difference(folder, replace(folder, entries=4))
    assert "1 thing, 1 byte" in difference(folder, replace(folder, entries=1, size=1))
    assert difference(folder, None) == "it is gone"


@pytest.mark.req("FS-06")
async def test_a_file_over_the_limit_is_told_apart_without_reading_it(desk: Desk):
    path = desk.file("big", b"")
    with path.open("r+b") as file:
        file.truncate(HASHED + 1)

    item = await desk.reads.look(str(path))

    assert isinstance(item.fact, Unchanged)
    assert (item.fact.sha256, item.fact.size) == ("", HASHED + 1)
    opened = os.open(path, os.O_RDONLY)
    assert hash_of(opened, HASHED + 1) == ""
    os.close(opened)


@pytest.mark.req("FS-11")
async def test_a_tree_with_saysos_own_folder_is_refused_under_whatever_name(tmp_path: Path):
    desk = Desk(tmp_path, more_roots=(tmp_path,))
    desk.own.rename(tmp_path / "renamed")
    (tmp_path / "holder").mkdir()
    (tmp_path / "renamed").rename(tmp_path / "holder" / "own2")
    (desk.own).symlink_to(tmp_path / "holder" / "own2")

    with pytest.raises(Refused) as said:
        await desk.reads.look(str(tmp_path / "holder"))

    assert said.value.code.startswith("path.own_home")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")
@pytest.mark.req("UN-02")
@pytest.mark.parametrize("append", [True, False])
async def test_a_file_that_is_open_for_writing_is_not_replaced(desk: Desk, append: bool):
    path = desk.file("app.log", "line 1\n")
    step = Replace(str(path), "note\n", TOKEN, append=append)
    before = tree(desk.documents)
    facts = await desk.facts(path)

    with closing(path.open("a")) as log:
        with fails(ProviderError, "world.open", match="open for writing by another program; close it there first"):
            await desk.do(step, facts)
        assert tree(desk.documents) == before
        log.write("line 2\n")

    assert path.read_text() == "line 1\nline 2\n"
    assert not (desk.own / "trash" / TOKEN).exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")
async def test_a_program_that_opens_it_at_the_last_moment_keeps_it(tmp_path: Path):
    logs: list[TextIO] = []
    path = tmp_path / "home/Documents/app.log"

    def come(label: str) -> None:
        if label == "files.replace.noted":
            logs.append(path.open("a"))

    desk = Desk(tmp_path, kill=come)
    desk.file("app.log", "line 1\n")

    with fails(ProviderError, "world.open"):
        await desk.do(Replace(str(path), "note\n", TOKEN), await desk.facts(path))

    logs[0].close()
    assert path.read_text() == "line 1\n"
    assert list((desk.own / "trash").iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")
async def test_readers_are_in_nobodys_way(desk: Desk):
    path = desk.file("a", "old\n")

    with closing(path.open()) as reading:
        await desk.do(Replace(str(path), "new\n", TOKEN), await desk.facts(path))
        assert reading.read() == "old\n"

    assert path.read_text() == "new\n"
