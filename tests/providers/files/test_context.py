"""For a question a model is told the files changed last, and the projects, beneath the roots and nowhere else."""

import os
from pathlib import Path
from typing import Any

import pytest

import sayso
from sayso.core.context import Around
from sayso.core.ports import Ground
from sayso.providers.files import context
from sayso.providers.files.memory import build
from sayso.testing.fakes import FakeClock, NumberedIds


def put(home: Path, path: str, changed: int) -> None:
    file = home / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(path)
    os.utime(file, (changed, changed))


async def told(home: Path, own: Path) -> dict[str, Any]:
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text('[policy]\nallowed_operations = ["file.list"]\n')
    async with sayso.open_home(str(own), environ={"HOME": str(home)}) as opened:
        return (await opened.context(query=True)).data


def names(rows: list[dict[str, str]]) -> list[str]:
    return [row["name"] for row in rows]


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
async def test_the_list_has_twenty_and_a_root_that_is_not_there_none(tmp_path: Path):
    home = tmp_path / "home"
    for number in range(25):
        put(home, f"Documents/{number}", 1000 + number)

    data = await told(home, tmp_path / "own")

    assert names(data["recent_files"]) == [str(number) for number in range(24, 4, -1)]


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


async def test_nothing_is_looked_at_where_no_question_is_to_be_answered():
    reads = build(Ground({}, "/h", "/h/own", ("/h/Documents", "/h/Documents"), FakeClock(), NumberedIds())).reads

    assert await context.recent(reads, Around(("/h/Documents",))) == ()
    assert len(await context.recent(reads, Around(("/h/Documents", "/h/Documents", "/h"), query=True))) == 2
