"""What is sayso's own beyond its folder."""

import os
from pathlib import Path

import pytest

from sayso.config.own import also_own, ways
from sayso.config.places import in_folder


@pytest.mark.req("FS-11")
def test_every_link_on_the_way_is_part_of_a_form(tmp_path: Path):
    for name in ("own", "real"):
        (tmp_path / name).mkdir()
    (tmp_path / "real" / "x.toml").touch()
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "hop").symlink_to(tmp_path / "folder" / "x.toml")
    (tmp_path / "own" / "config.toml").symlink_to("../hop")

    forms = ways(str(tmp_path / "own" / "config.toml"))

    names = ("own/config.toml", "hop", "folder/x.toml", "real/x.toml")
    assert forms == tuple(str(tmp_path / name) for name in names)


def test_a_way_ends_where_the_system_says_it_ends(tmp_path: Path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "l").symlink_to("a/b")
    (tmp_path / "up").symlink_to("l/../c")

    for name in ("up", "l", "a/b", "gone/x", "l/.."):
        assert ways(f"{tmp_path}/{name}")[-1] == os.path.realpath(tmp_path / name)


def test_links_in_a_circle_come_to_an_end(tmp_path: Path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    assert {str(tmp_path / "a"), str(tmp_path / "b")} <= set(ways(str(tmp_path / "a")))


def test_what_lies_in_saysos_folder_needs_no_mention(tmp_path: Path):
    (tmp_path / "own").mkdir()

    assert also_own(in_folder(tmp_path / "own", tmp_path / "ana")) == ()


@pytest.mark.req("FS-11")
def test_actions_of_the_person_are_protected_where_a_link_leads(tmp_path: Path):
    (tmp_path / "own").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "own" / "actions").symlink_to(tmp_path / "mine")

    assert also_own(in_folder(tmp_path / "own", tmp_path / "ana")) == (str(tmp_path / "mine"),)
