"""What of a session's past goes along: as much as fits, of this entry point, and only what was not told yet."""

from pathlib import Path

from sayso.assistant import chat, commands
from sayso.assistant.past import LONGEST, past
from sayso.dialects.feedback import Note, note_json
from sayso.testing.sessions import an_exchange
from tests.assistant.homes import a_home

NOTE = Note("not_found", 0, "said", "There is no such task.", (), 3)


async def test_nothing_goes_along_in_a_new_session(tmp_path: Path):
    async with a_home(tmp_path) as home:
        along = await past(home, chat.ENTRY, "s")

    assert (along.turns, along.earlier, along.notes) == ((), (), ())


async def test_the_latest_that_fits_goes_along_in_the_chat(tmp_path: Path):
    async with a_home(tmp_path) as home:
        for second, size in enumerate((5, LONGEST - 12, 10)):
            await home.sessions.keep(an_exchange(second=second, entry="chat", words="w", reply="r" * size))

        along = await past(home, chat.ENTRY, "s1")

    assert [len(turn.text) for turn in along.turns] == [1, LONGEST - 12, 1, 10]


async def test_only_what_was_asked_back_last_goes_along_with_commands(tmp_path: Path):
    async with a_home(tmp_path) as home:
        for second, asked_back in enumerate((True, False, True, True)):
            await home.sessions.keep(
                an_exchange(second=second, words=f"w{second}", reply=f"r{second}", asked_back=asked_back)
            )

        along = await past(home, commands.ENTRY, "s1")

    assert along.earlier == ("w2", "w3")
    assert [turn.text for turn in along.turns] == ["w2", "r2", "w3", "r3"]


async def test_what_was_said_at_another_entry_point_stays_there(tmp_path: Path):
    async with a_home(tmp_path) as home:
        await home.sessions.keep(an_exchange(entry="chat"))

        assert (await past(home, commands.ENTRY, "s1")).turns == ()


async def test_notes_that_were_not_told_yet_go_along_once(tmp_path: Path):
    async with a_home(tmp_path) as home:
        await home.sessions.keep(an_exchange(trace={"notes": [note_json(NOTE)]}))
        first = await past(home, commands.ENTRY, "s1")
        await home.sessions.keep(an_exchange(second=1))
        second = await past(home, commands.ENTRY, "s1")

    assert (first.notes, second.notes) == ((NOTE,), ())
