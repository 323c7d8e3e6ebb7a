"""A tree is walked whole however deep it goes, and a folder that is moved away is not followed."""

import os
import subprocess
from pathlib import Path

import pytest

from sayso.core.errors import Refused
from sayso.providers.files.local.syscalls import FOLDER
from sayso.providers.files.local.walk import Way, walk


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

    met = [(one.way, one.path) for one in walk(here, lambda met: True)]

    listed = subprocess.run(
        ["find", ".", "-mindepth", "1", "-printf", r"%P\n"], cwd=tmp_path, capture_output=True, check=True
    )
    assert sorted(path for way, path in met if way is not Way.OUT) == sorted(listed.stdout.decode().splitlines())
    assert met.index((Way.OUT, "a/b")) > met.index((Way.THING, "a/b/c"))
    assert met[-1] == (Way.OUT, "a")


def test_a_folder_that_is_not_entered_is_a_thing(tmp_path: Path, here: int):
    (tmp_path / "a/b").mkdir(parents=True)

    assert [(one.way, one.path) for one in walk(here, lambda met: False)] == [(Way.THING, "a")]


def test_three_thousand_folders_deep(tmp_path: Path, here: int):
    below = os.dup(here)
    for _ in range(3000):
        os.mkdir("d", dir_fd=below)
        deeper = os.open("d", FOLDER, dir_fd=below)
        os.close(below)
        below = deeper
    os.close(below)

    assert sum(one.way is Way.INTO for one in walk(here, lambda met: True)) == 3000
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
            if met.way is Way.INTO:
                (tmp_path / "a").rename(tmp_path / "b")
                (tmp_path / "a").symlink_to("/etc")

    with pytest.raises((Refused, OSError)):
        look()
