"""Facts differ exactly when the thing does, and a tree that holds sayso's own folder is no thing to act on."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core.errors import Refused
from sayso.providers.files.facts import Unchanged
from sayso.providers.files.local.measure import HASHED, difference, hash_of
from tests.providers.files.local.desk import Desk

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
async def test_a_file_over_the_limit_is_told_apart_without_reading_it(one_desk: Desk):
    path = one_desk.file("big", b"")
    with path.open("r+b") as file:
        file.truncate(HASHED + 1)

    item = await one_desk.reads.look(str(path))

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
