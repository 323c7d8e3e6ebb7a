"""One line is said when the same yes was said three times, and then at every tenth."""

from pathlib import Path

import sayso
from sayso.runtime.outcome import Report
from sayso.surfaces.cli.hinting import hinted
from sayso.testing.fakes import Says


async def test_the_line_comes_with_the_third_yes_and_not_with_the_fourth(scratch_home: Path, tmp_path: Path):
    folder = scratch_home / "Documents"
    folder.mkdir()
    said: list[int] = []
    async with sayso.open_home(str(tmp_path / "own")) as home:
        for number in range(4):
            (folder / f"{number}.txt").write_text("x")
            text = f"MOVE_FILE ~/Documents/{number}.txt ~/Documents/moved-{number}.txt"
            done = await home.run(text, approver=Says(True))
            told = await hinted(home, [done])
            assert isinstance(told, list)
            said.append(sum("“sayso grants suggest”" in warning for warning in told[-1].warnings))

        alone = await hinted(home, done)

    assert said == [0, 0, 1, 0]
    assert alone == done


async def test_nothing_is_said_where_nobody_was_asked(tmp_path: Path, scratch_home: Path):
    nothing = Report("run_1", "lines", ())
    async with sayso.open_home(str(tmp_path / "own")) as home:
        assert await hinted(home, nothing) is nothing
        assert await hinted(home, []) == []
