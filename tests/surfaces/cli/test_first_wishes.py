"""Wishes are shown only where they come out as a plan, and looking at them leaves no conversation behind."""

import os
from collections.abc import Callable
from pathlib import Path

from sayso.assembly import open_home
from sayso.surfaces.cli.first_wishes import Works, candidates, wishes
from tests.surfaces.cli.person import tree

Settings = Callable[[str], None]


async def found() -> list[Works]:
    async with open_home(environ=os.environ) as home:
        there = await wishes(home)
        assert not await home.sessions.all()
    return there


async def test_three_wishes_are_planned_and_none_is_done(person: Path):
    before = tree(person)

    there = await found()

    assert there[0].words == "make a folder called Plans in Documents"
    assert there[0].would == "Create folder “~/Documents/Plans”"
    assert len(there) == 3
    assert tree(person) == before


async def test_what_cannot_be_planned_here_is_left_out(person: Path, settings: Settings):
    (person / "Documents" / "Plans").write_text("in the way")
    settings('[policy]\nallowed_operations = ["task.*", "file.*"]\n')

    assert [one.words for one in await found()] == ["add water the plants to my tasks"]


async def test_where_everything_is_paused_none_works(person: Path, settings: Settings):
    settings("[policy]\npaused = true\n")

    assert await found() == []


def test_a_folder_with_a_name_that_nobody_types_is_in_no_wish():
    odd = ["/home/ana/a\x1b[31mb", "/"]

    assert not any("\x1b" in words or "Plans" in words for words in candidates(odd))
