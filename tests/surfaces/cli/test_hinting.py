"""One line is said when the same yes was said three times, and then at every tenth."""

from pathlib import Path

import sayso
from sayso.assembly import Home
from sayso.runtime.outcome import Report
from sayso.surfaces.cli.hinting import hinted
from sayso.testing.fakes import Says


async def moved(home: Home, folder: Path, number: int) -> Report:
    """Move a file with the person's yes."""
    (folder / f"{number}.txt").write_text("x")
    text = f"MOVE_FILE ~/Documents/{number}.txt ~/Documents/moved-{number}.txt"
    return await home.run(text, approver=Says(True))


async def test_the_line_comes_with_the_third_yes_and_not_with_the_fourth(scratch_home: Path, tmp_path: Path):
    folder = scratch_home / "Documents"
    folder.mkdir()
    async with sayso.open_home(str(tmp_path / "own")) as home:
        told = [await hinted(home, await moved(home, folder, number)) for number in range(4)]
        several = await hinted(home, [await moved(home, folder, 4)])

    lines = [sum("“sayso grants suggest”" in line for line in one.warnings) for one in told if isinstance(one, Report)]
    assert lines == [0, 0, 1, 0]
    assert isinstance(several, list)
    assert several[0].warnings == ()


async def test_nothing_is_said_where_nobody_was_asked(tmp_path: Path, scratch_home: Path):
    nothing = Report("run_1", "lines", ())
    async with sayso.open_home(str(tmp_path / "own")) as home:
        assert await hinted(home, nothing) is nothing
        assert await hinted(home, []) == []
