"""For a question, a model is told what sayso did last."""

from pathlib import Path
from typing import cast

import pytest

import sayso
from sayso.assistant import entry_points
from sayso.assistant.history import LONGEST, session_past
from sayso.dialects.base import FeedbackNote, note_json
from sayso.testing.journal import an_exchange
from tests.assistant.homes import a_home

NOTE = FeedbackNote("not_found", 0, "said", "There is no such task.", (), 3)


async def test_nothing_goes_along_in_a_new_session(tmp_path: Path):
    async with a_home(tmp_path) as home:
        along = await session_past(home, entry_points.CHAT_ENTRY, "s")

    assert (along.turns, along.earlier, along.notes) == ((), (), ())


async def test_the_latest_that_fits_goes_along_in_the_chat(tmp_path: Path):
    async with a_home(tmp_path) as home:
        for second, size in enumerate((5, LONGEST - 12, 10)):
            await home.sessions.keep(an_exchange(second=second, entry="chat", words="w", reply="r" * size))

        along = await session_past(home, entry_points.CHAT_ENTRY, "s1")

    assert [len(turn.text) for turn in along.turns] == [1, LONGEST - 12, 1, 10]


async def test_only_what_was_asked_back_last_goes_along_with_commands(tmp_path: Path):
    async with a_home(tmp_path) as home:
        for second, asked_back in enumerate((True, False, True, True)):
            await home.sessions.keep(
                an_exchange(second=second, words=f"w{second}", reply=f"r{second}", asked_back=asked_back)
            )

        along = await session_past(home, entry_points.COMMANDS_ENTRY, "s1")

    assert along.earlier == ("w2", "w3")
    assert [turn.text for turn in along.turns] == ["w2", "r2", "w3", "r3"]


async def test_what_was_said_at_another_entry_point_stays_there(tmp_path: Path):
    async with a_home(tmp_path) as home:
        await home.sessions.keep(an_exchange(entry="chat"))

        assert (await session_past(home, entry_points.COMMANDS_ENTRY, "s1")).turns == ()


async def test_notes_that_were_not_told_yet_go_along_once(tmp_path: Path):
    async with a_home(tmp_path) as home:
        await home.sessions.keep(an_exchange(trace={"notes": [note_json(NOTE)]}))
        first = await session_past(home, entry_points.COMMANDS_ENTRY, "s1")
        await home.sessions.keep(an_exchange(second=1))
        second = await session_past(home, entry_points.COMMANDS_ENTRY, "s1")

    assert (first.notes, second.notes) == ((NOTE,), ())


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
    assert (rows[0]["said"], rows[1]["said"]) == ("“~/Documents/none” is not there", "Create folder “~/Documents/10”")
