"""A model is told what sayso did last, and what became of what waited."""

from pathlib import Path
from typing import cast

import pytest

import sayso
from sayso.assistant import entry_points
from sayso.assistant.asker import Asker
from sayso.assistant.history import LONGEST, session_past
from sayso.core.record import State
from sayso.dialects.base import FeedbackNote, note_json
from sayso.models.builtin import BuiltIn
from sayso.testing.fakes import FakeClock, Scripted, make_call
from sayso.testing.journal import an_exchange
from tests.assistant.homes import WORLD, a_home, request

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


YES = sayso.Client(lambda _: True)
DELETE = {"type": "file_delete", "path": "~/Documents/a.txt"}


async def test_a_yes_that_came_later_is_told_with_the_next_words_and_once(tmp_path: Path):
    model = Scripted(request(DELETE), request(), request())
    async with a_home(tmp_path) as home:
        (tmp_path / "Documents" / "a.txt").write_text("x")
        waits = await home.ask("delete a.txt", "commands", model, Asker("s"))
        await home.approve(waits.report.run, YES)
        await home.ask("and now?", "commands", model, Asker("s"))
        await home.ask("and now?", "commands", model, Asker("s"))

    told = [asked.turns[-1].text for asked in model.asked]
    assert "It waited, and is done now: Delete “~/Documents/a.txt”" in told[1]
    assert "It waited" not in told[2]


async def test_what_the_person_took_back_between_two_turns_is_told_and_once(tmp_path: Path):
    model = Scripted(request({"type": "file_mkdir", "path": "~/Documents/New"}), request(), request())
    async with a_home(tmp_path) as home:
        await home.ask("make a folder", "commands", model, Asker("s"))
        await home.undo()
        await home.ask("and now?", "commands", model, Asker("s"))
        await home.ask("and now?", "commands", model, Asker("s"))

    told = [asked.turns[-1].text for asked in model.asked]
    assert "The person took it back: Create folder “~/Documents/New”. Do not do it again" in told[1]
    assert "took it back" not in told[2]


async def test_an_open_chat_goes_on_once_what_waited_is_decided(tmp_path: Path):
    model = Scripted(
        [make_call("file_delete", "c1", path="~/Documents/a.txt")],
        "It waits for you.",
        [make_call("file_mkdir", "c2", path="~/Documents/Next")],
        "Both are done.",
    )
    async with a_home(tmp_path) as home:
        (tmp_path / "Documents" / "a.txt").write_text("x")
        waits = await home.ask("delete a.txt, then make Next", "chat", model, Asker("s"))
        nothing = await home.go_on("chat", model, Asker("s"))
        await home.approve(waits.report.run, YES)
        went_on = await home.go_on("chat", model, Asker("s"))

    assert nothing is None
    assert went_on is not None
    assert went_on.text == "Both are done."
    assert [one.record.state for one in went_on.report.outcomes] == [State.DONE]
    assert "It waited, and is done now" in model.asked[2].turns[-1].text


async def test_the_built_in_rules_never_go_on_by_themselves(tmp_path: Path):
    async with a_home(tmp_path) as home:
        (tmp_path / "Documents" / "a.txt").write_text("x")
        waits = await home.ask("delete a.txt", "commands", Scripted(request(DELETE)), Asker("s"))
        await home.approve(waits.report.run, YES)

        assert await home.go_on("commands", BuiltIn(FakeClock()), Asker("s")) is None


async def test_what_the_budget_stopped_goes_along_with_the_next_request(tmp_path: Path):
    look = request({"type": "file_list", "path": "~/Documents"})
    model = Scripted(look, request({"type": "file_mkdir", "path": "~/Documents/New"}))
    async with a_home(tmp_path, f"{WORLD}[model]\nbudget_turns = 1\n") as home:
        first = await home.ask("sort my documents", "commands", model, Asker("s"))
        await home.ask("go on", "commands", model, Asker("s"))

    assert "budget_turns" in first.stopped
    turns = [(turn.role, turn.text) for turn in model.asked[1].turns]
    assert turns[:2] == [("user", "sort my documents"), ("assistant", look)]
    assert "<results>" in turns[2][1]
    assert "go on" in turns[3][1]
