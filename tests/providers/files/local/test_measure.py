"""Facts differ exactly when the thing does, and a tree that holds sayso's own folder is no thing to act on."""

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
from sayso.providers.files.model import Replace, Unchanged
from tests.descriptors import open_descriptors
from tests.fails import fails
from tests.providers.files.local.desk import TOKEN, Desk, tree


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
