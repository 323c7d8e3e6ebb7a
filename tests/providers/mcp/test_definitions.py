"""The file of a server's accepted tools: a write that was killed leaves the file as it was."""

import os
from pathlib import Path
from typing import NoReturn

import pytest

from sayso.core.errors import SetupError
from sayso.providers.mcp.definitions import Pinned, keep, kept, place_of
from sayso.providers.mcp.servers import WrappedServer


def _dies(self: Path, target: str | os.PathLike[str]) -> NoReturn:  # its data was written
    os._exit(0)


def test_a_write_that_was_killed_leaves_the_file_as_it_was_and_the_next_one_clears_away_what_it_left(tmp_path: Path):
    keep(str(tmp_path), "small", Pinned("first"))
    died: list[int] = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            Path.replace = _dies
            keep(str(tmp_path), "small", Pinned("second"))
            os._exit(1)
        died.append(os.waitpid(child, 0)[1])
    left = sorted(file.name for file in (tmp_path / "mcp").iterdir())
    whole = kept(str(tmp_path), WrappedServer("small"))
    keep(str(tmp_path), "small", Pinned("third"))

    assert died == [0, 0]
    assert left == [".small.json.new", "small.json"]
    assert whole == Pinned("first")
    assert [file.name for file in (tmp_path / "mcp").iterdir()] == ["small.json"]
    assert kept(str(tmp_path), WrappedServer("small")) == Pinned("third")


def test_a_file_that_cannot_be_replaced_is_named(tmp_path: Path):
    place_of(str(tmp_path), "small").with_name(".small.json.new").joinpath("x").mkdir(parents=True)

    with pytest.raises(SetupError) as no:
        keep(str(tmp_path), "small", Pinned("first"))

    assert no.value.code == "mcp.file"
