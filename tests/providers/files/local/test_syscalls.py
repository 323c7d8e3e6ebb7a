"""Folders are opened without following a link, and names are exchanged or given only when free, by either mechanism."""

import errno
import os
from pathlib import Path

import pytest

from sayso.providers.files.local.syscalls import (
    FOLDER,
    Beneath,
    beneath,
    exchange,
    openat2,
    rename_to_free,
    sync,
    sync_file_system,
    walked,
)


@pytest.fixture
def here(tmp_path: Path):
    opened = os.open(tmp_path, FOLDER)
    yield opened
    os.close(opened)


def test_a_folder_below_is_opened(way: Beneath, tmp_path: Path, here: int):
    (tmp_path / "a/b").mkdir(parents=True)

    for path, folder in (("a/b", tmp_path / "a/b"), ("", tmp_path), ("a", tmp_path / "a")):
        opened = way(here, path)
        assert os.fstat(opened).st_ino == folder.stat().st_ino
        os.close(opened)


@pytest.mark.parametrize(
    ("path", "wrong"),
    [("l", errno.ELOOP), ("l/b", errno.ELOOP), ("a/../..", errno.EXDEV), ("f", errno.ENOTDIR), ("x", errno.ENOENT)],
)
def test_links_and_ways_out_are_not_followed(way: Beneath, tmp_path: Path, here: int, path: str, wrong: int):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "l").symlink_to("a")
    (tmp_path / "f").touch()

    with pytest.raises(OSError, match=r".") as said:
        way(here, path)

    assert said.value.errno == wrong


def test_openat2_is_chosen_where_the_kernel_has_it():
    assert beneath() in {openat2, walked}


def test_a_name_is_given_only_when_it_is_free(tmp_path: Path, here: int):
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")

    with pytest.raises(FileExistsError):
        rename_to_free(here, "a", here, "b")
    rename_to_free(here, "a", here, "c")

    assert (tmp_path / "b").read_text() == "b"
    assert (tmp_path / "c").read_text() == "a"


def test_two_names_are_exchanged(tmp_path: Path, here: int):
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")

    exchange(here, "a", here, "b")

    assert ((tmp_path / "a").read_text(), (tmp_path / "b").read_text()) == ("b", "a")
    with pytest.raises(FileNotFoundError):
        exchange(here, "a", here, "none")


def test_folders_and_file_systems_are_synced(here: int):
    sync(here)
    sync_file_system(here)

    with pytest.raises(OSError, match=r"."):
        sync_file_system(-1)
