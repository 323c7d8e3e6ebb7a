"""For a question, a model is told what sayso did last."""

from pathlib import Path
from typing import cast

import pytest

import sayso


@pytest.mark.req("S4-36")
async def test_the_last_actions_are_told_newest_first_with_what_became_of_them(tmp_path: Path):
    (tmp_path / "Documents").mkdir()
    (tmp_path / "own").mkdir(mode=0o700)
    (tmp_path / "own" / "config.toml").write_text('[policy]\nallowed_operations = ["file.mkdir", "file.move"]\n')
    async with sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path)}) as home:
        for number in range(11):
            await home.run(f"CREATE_FOLDER ~/Documents/{number}")
        await home.run("MOVE_FILE ~/Documents/none ~/Documents/x")

        rows = cast("list[dict[str, str]]", (await home.context(query=True)).data["history"])

    assert [(row["operation"], row["state"]) for row in rows] == [
        ("file.move", "failed"),
        *[("file.mkdir", "done")] * 9,
    ]
    assert (rows[0]["said"], rows[1]["said"]) == (
        "“~/Documents/none” is not there",
        "Create folder “~/Documents/10”",
    )
