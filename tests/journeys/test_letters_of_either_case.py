"""On a disk that takes letters of either case for one, nothing is put over a thing whose name differs in case (FS-17).

No such disk can be mounted everywhere; so every call that names something in an open folder is given the name that
stands there in another case, as such a disk would take it.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sayso.core.proposal import Origin, Proposal
from sayso.providers.disk import syscalls
from tests.journeys.attempts import FREE
from tests.journeys.ground import Ground, a_ground, in_mode, said, states, yes

CALLS = ("access", "chmod", "mkdir", "open", "readlink", "stat", "symlink", "unlink")
THERE = "~/Documents/a.txt"
OTHER_CASE = ("~/Documents/A.txt", "~/Documents/a.TXT", "~/Documents/A.TXT")
ONTO: dict[str, tuple[str, dict[str, str], str]] = {
    "move a file": ("file.move", {"source": "~/Documents/b.txt"}, "destination"),
    "copy a file": ("file.copy", {"source": "~/Documents/b.txt"}, "destination"),
    "move a folder": ("file.move", {"source": "~/Documents/folder"}, "destination"),
    "copy a folder": ("file.copy", {"source": "~/Documents/folder"}, "destination"),
    "make a folder": ("file.mkdir", {}, "path"),
}


def as_it_stands(name: str, folder: int | None) -> str:
    """Return the name of what stands in the folder under this name in whatever case."""
    if folder is None or folder < 0 or "/" in name:
        return name
    with os.scandir(folder) as entries:
        there = {entry.name for entry in entries}
    return name if name in there else next((other for other in there if other.casefold() == name.casefold()), name)


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """Return a home on such a disk."""
    ground = a_ground(tmp_path, in_mode("never"))
    ground.file("a.txt", "theirs\n")
    ground.file("b.txt", "mine\n")
    ground.file("folder/c.txt", "mine too\n")
    for name in CALLS:
        monkeypatch.setattr(os, name, _insensitive(getattr(os, name), at=1 if name == "symlink" else 0))
    rename = vars(syscalls)["_rename"]

    def renamed(old: tuple[int, str], new: tuple[int, str], *flags: int) -> None:
        rename((old[0], as_it_stands(old[1], old[0])), (new[0], as_it_stands(new[1], new[0])), *flags)

    monkeypatch.setattr(syscalls, "_rename", renamed)
    monkeypatch.setattr(syscalls, "beneath", lambda: syscalls.open_below)
    monkeypatch.setattr("sayso.providers.files.local.backend.beneath", lambda: syscalls.open_below)
    return ground


def _insensitive(call: Callable[..., Any], at: int) -> Callable[..., Any]:
    def called(*args: Any, dir_fd: int | None = None, **more: Any) -> Any:
        if dir_fd is None:
            return call(*args, **more)
        given = list(args)
        given[at] = as_it_stands(os.fsdecode(given[at]), dir_fd)
        return call(*given, dir_fd=dir_fd, **more)

    return called


@pytest.mark.req("FS-17", "T-22")
@pytest.mark.parametrize("path", OTHER_CASE)
@pytest.mark.parametrize("deed", ONTO)
async def test_nothing_is_put_over_a_name_in_another_case(ground: Ground, deed: str, path: str):
    operation, more, name = ONTO[deed]
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.take([Proposal(0, "", operation, {**more, name: path})], Origin("tools"), yes())

    assert states(report) == ["failed"], said(report)
    assert ground.tree() == before


@pytest.mark.req("FS-17", "S0-36")
async def test_a_write_to_a_name_in_another_case_keeps_what_it_replaces(ground: Ground):
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run(f'WRITE_FILE {OTHER_CASE[0]} "new"', approver=yes())
        assert states(report) == ["done"]
        assert (ground.documents / "a.txt").read_text() == "new"
        assert [path.name for path in ground.documents.iterdir() if path.name.casefold() == "a.txt"] == ["a.txt"]
        await home.undo()

    assert ground.tree() == before


@pytest.mark.req("FS-17")
async def test_a_file_whose_name_differs_in_case_and_comes_at_the_last_moment_stays(ground: Ground):
    def come(label: str) -> None:
        if label == "files.write.noted":
            (ground.documents / "Free").write_text("theirs\n")

    async with ground.opened(kill=come) as home:
        report = await home.run(f'WRITE_FILE {FREE} "mine"', approver=yes())

    assert states(report) == ["failed"]
    assert (ground.documents / "Free").read_text() == "theirs\n"
    assert not [path for path in ground.documents.iterdir() if path.name == "free"]
