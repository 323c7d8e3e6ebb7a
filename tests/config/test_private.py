"""Sayso's own folders are closed to others, but for one that the person named."""

from pathlib import Path

import pytest

from sayso.config.places import Places
from sayso.config.private import open_to_others


def a_folder(path: Path, mode: int) -> Path:
    path.mkdir(parents=True)
    path.chmod(mode)
    return path


@pytest.mark.req("X-15")
@pytest.mark.parametrize("mode", [0o755, 0o701, 0o770, 0o702])
def test_folders_of_the_default_name_are_closed(tmp_path: Path, mode: int):
    home, config = a_folder(tmp_path / "share/sayso", mode), a_folder(tmp_path / "config/sayso", mode)

    left = list(open_to_others(Places(home, config / "config.toml", tmp_path), named=False))

    assert left == []
    assert [folder.stat().st_mode & 0o7777 for folder in (home, config)] == [0o700, 0o700]


def test_a_folder_that_the_person_named_is_left_and_told(tmp_path: Path):
    home = a_folder(tmp_path / "shared", 0o755)

    left = list(open_to_others(Places(home, home / "config.toml", tmp_path), named=True))

    assert left == [home]
    assert home.stat().st_mode & 0o777 == 0o755


def test_a_link_in_its_place_is_left_and_told(tmp_path: Path):
    target = a_folder(tmp_path / "dotfiles", 0o755)
    (tmp_path / "sayso").symlink_to(target)

    left = list(open_to_others(Places(tmp_path / "sayso", tmp_path / "sayso/config.toml", tmp_path), named=False))

    assert left == [tmp_path / "sayso"]
    assert target.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("named", [True, False])
def test_what_is_closed_or_not_there_is_no_matter(tmp_path: Path, named: bool):
    home = a_folder(tmp_path / "sayso", 0o700)

    left = list(open_to_others(Places(home, tmp_path / "none/config.toml", tmp_path), named=named))

    assert left == []
    assert list(tmp_path.iterdir()) == [home]
