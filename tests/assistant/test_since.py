"""What waited is told once it is decided, what was taken back is told, and what was stopped goes on."""

from pathlib import Path

import sayso
from sayso.assistant.asker import Asker
from sayso.core.record import State
from sayso.models.builtin import BuiltIn
from sayso.testing.fakes import FakeClock, Scripted, make_call
from tests.assistant.homes import WORLD, a_home, request

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
