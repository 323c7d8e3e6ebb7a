"""A path is followed through its links to where the kernel would go, and no further than forty of them."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProviderError
from sayso.providers.files.local.resolve import resolved


@pytest.fixture(scope="module")
def maze(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("maze").resolve()
    (base / "a/b").mkdir(parents=True)
    (base / "f").touch()
    for name, target in (
        ("l", "a"),
        ("a/up", ".."),
        ("abs", str(base / "a")),
        ("a/b/far", "../../l/b"),
        ("dead", "no/x"),
        ("dots", "./a/.//./b/."),
    ):
        (base / name).symlink_to(target)
    return base


@given(names=st.lists(st.sampled_from(["a", "b", "up", "l", "abs", "far", "dead", "dots", "f", "x"]), max_size=7))
def test_it_leads_where_the_system_says(maze: Path, names: list[str]):
    path = "/".join([str(maze), *names])

    assert resolved(path, path) == os.path.realpath(path)


def test_forty_links_are_followed_and_one_more_is_too_many(tmp_path: Path):
    (tmp_path / "0").touch()
    for number in range(1, 42):
        (tmp_path / str(number)).symlink_to(str(number - 1))

    assert resolved(f"{tmp_path}/40", "x").endswith("/0")
    with pytest.raises(ProviderError, match="“~/x”"):
        resolved(f"{tmp_path}/41", "~/x")


def test_a_path_that_is_too_long_is_said():
    with pytest.raises(ProviderError) as said:
        resolved("/" + "x/" * 4000, "~/x")

    assert said.value.code == "path.too_long"


def test_a_path_may_be_as_long_as_the_system_takes_it():
    longest = "/" + "x/" * 2046 + "yy"

    assert len(longest) == os.pathconf("/", "PC_PATH_MAX") - 1
    assert resolved(longest, "~/x") == longest
    with pytest.raises(ProviderError) as said:
        resolved(longest + "y", "~/x")
    assert said.value.code == "path.too_long"


def test_a_link_with_dots_in_it_leads_where_the_system_says(maze: Path):
    assert resolved(f"{maze}/dots/far", "x") == os.path.realpath(f"{maze}/dots/far")
    assert resolved(f"{maze}/dots", "x") == str(maze / "a" / "b")
