"""A model is told the files changed last, the folders and the projects, beneath the roots and nowhere else."""

import os
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

import sayso
from sayso.core.conversation import ContextLimits
from sayso.core.ports import BackendContext
from sayso.providers.files import context
from sayso.providers.files.local.backend import build as local
from sayso.providers.files.memory import build
from sayso.providers.files.store import Files, Glance, Glancing
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock, NumberedIds
from tests.patience import patience


def put(home: Path, path: str, changed: int) -> None:
    file = home / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(path)
    os.utime(file, (changed, changed))


async def told(home: Path, own: Path) -> dict[str, Any]:
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text('[policy]\nallowed_operations = ["file.list"]\n')
    async with sayso.open_home(str(own), environ={"HOME": str(home)}) as opened:
        return (await opened.context()).data


def names(rows: list[dict[str, str]]) -> list[str]:
    return [row["name"] for row in rows]


async def test_a_file_that_the_wish_names_is_told_before_forty_newer_ones(tmp_path: Path):
    home, own = tmp_path / "home", tmp_path / "own"
    for changed in range(45):
        put(home, f"Documents/new/{changed}.md", 2000 + changed)
    put(home, "Documents/b.txt", 1000)
    put(home, "Documents/old/tax letter-2019.odt", 1001)
    own.mkdir(mode=0o700)

    async with sayso.open_home(str(own), environ={"HOME": str(home)}) as opened:
        unnamed = (await opened.context()).data
        by_name = (await opened.context(words="delete b.txt")).data
        by_words = (await opened.context(words="open the tax letter 2019 please")).data

    assert "b.txt" not in names(cast("list[dict[str, str]]", unnamed["recent_files"]))
    assert names(cast("list[dict[str, str]]", by_name["recent_files"]))[:2] == ["b.txt", "44.md"]
    assert len(cast("list[Any]", by_name["recent_files"])) == 40
    assert names(cast("list[dict[str, str]]", by_words["recent_files"]))[0] == "tax letter-2019.odt"


@pytest.mark.req("S4-44")
async def test_the_newest_files_come_first_and_nothing_hidden_made_or_outside_is_told(tmp_path: Path):
    home = tmp_path / "home"
    for changed, path in enumerate(
        ["Documents/old.md", "Documents/deep/er/new.md", "Desktop/newest.txt", "Documents/.secret", ".bashrc"], 1000
    ):
        put(home, path, changed)
    put(home, "Documents/site/node_modules/lib/index.js", 9000)
    put(home, "elsewhere/x", 9000)
    (home / "Documents/link").symlink_to(home / "elsewhere")

    data = await told(home, tmp_path / "own")

    assert names(data["recent_files"]) == ["newest.txt", "new.md", "old.md"]
    assert data["recent_files"][0] == {
        "name": "newest.txt",
        "path": f"{home}/Desktop/newest.txt",
        "changed": "1970-01-01T00:16:42Z",
    }


@pytest.mark.req("S4-44")
async def test_a_folder_that_holds_what_projects_hold_is_one_and_what_lies_in_it_is_part_of_it(tmp_path: Path):
    home = tmp_path / "home"
    for changed, path in enumerate(
        [
            "Documents/code/older/Makefile",
            "Documents/code/newer/pyproject.toml",
            "Documents/code/newer/web/package.json",
            "Documents/notes/a.md",
            "Documents/Makefile",
        ],
        1000,
    ):
        put(home, path, changed)
    for folder in ("older", "newer/web"):
        os.utime(home / "Documents/code" / folder, (500, 500))

    data = await told(home, tmp_path / "own")

    assert names(data["projects"]) == ["newer", "older"]


@pytest.mark.req("S4-44")
async def test_the_list_has_forty_and_a_root_that_is_not_there_none(tmp_path: Path):
    home = tmp_path / "home"
    for number in range(45):
        put(home, f"Documents/{number}", 1000 + number)

    data = await told(home, tmp_path / "own")

    assert names(data["recent_files"]) == [str(number) for number in range(44, 4, -1)]


async def test_no_more_folders_are_looked_into_than_a_person_would_wait_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(context, "MOST_FOLDERS", 3)
    home = tmp_path / "home"
    for number in range(5):
        put(home, f"Documents/{number}/file-{number}", 1000)
        os.utime(home / "Documents" / str(number), (2000 + number, 2000 + number))

    data = await told(home, tmp_path / "own")

    assert names(data["recent_files"]) == ["file-3", "file-4"]


@pytest.mark.req("S4-44")
async def test_a_git_checkout_is_a_project_and_nothing_within_git_is_told(tmp_path: Path):
    home = tmp_path / "home"
    put(home, "Documents/plan/.git/config", 9000)
    put(home, "Documents/plan/chapter.md", 1000)

    data = await told(home, tmp_path / "own")

    assert names(data["projects"]) == ["plan"]
    assert names(data["recent_files"]) == ["chapter.md"]


async def test_a_folder_is_told_by_its_path_a_project_once_and_a_root_apart(tmp_path: Path):
    home = tmp_path / "home"
    put(home, "Documents/Invoices/may.pdf", 1000)
    put(home, "Documents/code/Makefile", 1000)
    put(home, "Desktop/.hidden/x", 1000)

    data = await told(home, tmp_path / "own")

    assert names(data["folders"]) == ["Invoices"]
    assert data["roots"] == [f"{home}/Documents", f"{home}/Desktop"]
    assert names(data["projects"]) == ["code"]
    assert data["folders"][0]["path"] == f"{home}/Documents/Invoices"


async def test_of_a_folder_with_very_many_files_the_newest_are_told_whatever_they_are_called(tmp_path: Path):
    home = tmp_path / "home"
    for number in range(1500):
        put(home, f"Downloads/a{number}", 1000)
    put(home, "Downloads/zebra.pdf", 2000)

    data = await told(home, tmp_path / "own")

    assert data["recent_files"][0]["name"] == "zebra.pdf"


class SlowFiles:
    """Reads of a disk on which nothing ever answers."""

    async def glance(self, path: str, marks: frozenset[str], most: int, seconds: float) -> Glance:
        self.asked = seconds
        await anyio.sleep_forever()
        raise AssertionError


async def test_a_disk_that_never_answers_holds_nothing_up_and_it_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(context, "SECONDS", 0.01)
    monkeypatch.setattr(context, "GRACE", 0.02)

    with anyio.fail_after(patience()):
        pieces = await context.recent(cast("Files", SlowFiles()), ContextLimits(("/h/Documents",)))

    assert [piece.data for piece in pieces[1:]] == [[], [], []]
    assert pieces[1].left_out == context.LEFT_OUT


class LongClock(FakeClock):
    """A clock on which each look takes a second."""

    looks = 0.0

    def monotonic(self) -> float:
        self.looks += 1
        return self.looks


async def test_a_folder_is_looked_into_for_so_long_and_what_was_seen_until_then_is_told(tmp_path: Path):
    root = tmp_path / "Documents"
    for number in range(20):
        put(tmp_path, f"Documents/{number}", 1000)
    ground = BackendContext({}, str(tmp_path), str(tmp_path / "own"), (str(root),), LongClock(), RandomIds())
    reads = local(ground).reads
    assert isinstance(reads, Glancing)

    seen = await reads.glance(str(root), frozenset(), 100, 5)

    assert (len(seen.entries), seen.whole) == (5, False)


async def test_a_store_that_can_only_list_is_listed():
    reads = build(
        BackendContext({}, "/h", "/h/own", ("/h/Documents", "/h/Documents"), FakeClock(), NumberedIds())
    ).reads

    roots, recent, folders, projects = await context.recent(
        reads, ContextLimits(("/h/Documents", "/h/Documents", "/h"))
    )

    assert roots.data == ["/h/Documents", "/h/Documents", "/h"]
    assert (recent.data, folders.data, projects.data) == ([], [], [])
    assert recent.left_out == ""
