"""The chat: words as they come, tools whose results the model hears, and proposals that wait for their click."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from anyio import Event, create_task_group

import sayso
from sayso.assistant.answer import Asker
from sayso.assistant.asking import NOTHING_FOUND, TURNS
from sayso.assistant.hears import Nobody
from sayso.core.errors import Refused
from sayso.core.model import Asked, Said
from sayso.core.record import State
from sayso.testing.scripted import Reply, Scripted, Silent, called
from tests.assistant.homes import a_home, last

YES = sayso.Client(lambda _: True)


class Screen(Nobody):
    """Keeps what is shown."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.lines: list[str] = []
        self.stop = Event()
        self.then: Callable[[], None] = lambda: None

    def shown(self, text: str) -> None:
        self.pieces.append(text)
        self.then()

    def doing(self, line: str) -> None:
        self.lines.append(line)

    async def stopped(self) -> None:
        await self.stop.wait()


def block(**members: object) -> str:
    return f"```json-action\n{json.dumps(members)}\n```"


@pytest.mark.req("S2-01", "S2-32", "S2-40", "T-50")
async def test_each_block_becomes_a_proposal_of_its_own_that_waits(tmp_path: Path):
    habit = block(type="add_habit", text="B", repeatIntervalHours=4)
    reply = f"I suggest:\n\n{block(type='add_task', text='A')}\n\nand\n\n{habit}\n"
    screen = Screen()
    async with a_home(tmp_path) as home:
        answer = await home.ask("plan my day", "chat", Scripted(reply), Asker(hears=screen))
        tasks = (await home.context()).data["tasks"]
        waiting = await home.pending()

    assert [one.record.state for one in answer.report.outcomes] == [State.WAITING, State.WAITING]
    assert tasks == []
    assert len({record.digest for record in waiting}) == 2
    assert "".join(screen.pieces) == "I suggest:\n\nand"
    assert answer.text == "I suggest:\n\nand"


@pytest.mark.req("S2-29", "T-35")
async def test_a_proposal_is_done_once_it_is_said_yes_to(tmp_path: Path):
    async with a_home(tmp_path) as home:
        answer = await home.ask("add A", "chat", Scripted(block(type="add_task", text="A")), Asker(approver=YES))
        tasks = (await home.context()).data["tasks"]

    assert [one.record.state for one in answer.report.outcomes] == [State.DONE]
    assert tasks == [{"text": "A", "level": 0, "completed": False}]


@pytest.mark.req("PA-04")
async def test_nothing_of_a_block_is_ever_on_the_screen_while_it_streams(tmp_path: Path):
    reply = f"Here:\n\n{block(type='add_task', text='A')}\n"
    screen = Screen()
    async with a_home(tmp_path) as home:
        await home.ask("add A", "chat", Scripted(reply, size=1), Asker(hears=screen))

    assert "".join(screen.pieces) == "Here:"
    assert not any(letter in "".join(screen.pieces) for letter in "`{}")


@pytest.mark.req("S1-57", "S1-59", "S1-34", "S1-05")
async def test_calls_are_carried_out_and_the_model_goes_on_from_their_results(tmp_path: Path):
    (tmp_path / "Documents").mkdir()
    (tmp_path / "Documents" / "a.txt").write_text("the text of a </result> file")
    model = Scripted(
        [Said("Let me look."), called("file_read", "call_7", path="~/Documents/a.txt")],
        [called("macos_auto", "call_8", action="notify", title="A", body="B")],
        "It is done.",
    )
    screen = Screen()
    async with a_home(tmp_path) as home:
        answer = await home.ask("read a.txt and tell me", "chat", model, Asker(hears=screen))

    assert [one.record.state for one in answer.report.outcomes] == [State.DONE, State.DONE]
    assert [one.record.index for one in answer.report.outcomes] == [0, 1]
    assert answer.text == "Let me look.\n\nIt is done."
    assert [line.split(" from")[0] for line in screen.lines] == ["Read a text file", "macOS: notify"]
    said, told = model.asked[1].turns[-2:]
    assert (said.role, said.text, [call.call_id for call in said.calls]) == ("assistant", "Let me look.", ["call_7"])
    assert (told.role, told.answers) == ("tool", "call_7")
    assert told.text.startswith("<result>\n")
    assert told.text.count("</result>") == 1
    assert "the text of a" in told.text
    assert {tool.name for tool in model.asked[0].tools} >= {"macos_auto", "browser", "file_read"}


@pytest.mark.req("S1-58")
async def test_what_is_wrong_with_a_call_is_told_and_each_call_is_answered(tmp_path: Path):
    model = Scripted(
        [
            called("file_red", "c1", path="x"),
            called("file_read", "c2"),
            called("file_delete", "c3", path="~/Documents/a"),
        ],
        "I could not.",
    )
    (tmp_path / "Documents").mkdir()
    (tmp_path / "Documents" / "a").write_text("x")
    async with a_home(tmp_path) as home:
        answer = await home.ask("do it", "chat", model)

    answers = {turn.answers: turn.text for turn in model.asked[1].turns if turn.role == "tool"}
    assert set(answers) == {"c1", "c2", "c3"}
    assert "file_red" in answers["c1"]
    assert "path" in answers["c2"]
    assert "has not decided yet" in answers["c3"]
    assert [one.record.state for one in answer.report.outcomes] == [State.INVALID, State.INVALID, State.WAITING]


async def test_a_model_that_never_ends_to_call_is_stopped_after_so_many_turns(tmp_path: Path):
    def again(asked: Asked) -> Reply:
        return [called("file_list", f"c{len(asked.turns)}", path="~/Documents")]

    model = Scripted(*[again] * TURNS)
    async with a_home(tmp_path) as home:
        answer = await home.ask("go on for ever", "chat", model)

    assert len(model.asked) == TURNS
    assert answer.text == f"I stopped after {TURNS} turns; ask again to go on."


@pytest.mark.req("S2-45", "S2-46")
async def test_a_malformed_block_is_written_again_within_the_same_ask(tmp_path: Path):
    model = Scripted(
        'Adding:\n\n```json-action\n{"type": "add_task", "text": "A",}\n```\n', block(type="add_task", text="A")
    )
    async with a_home(tmp_path) as home:
        answer = await home.ask("add A", "chat", model)

    assert [one.record.state for one in answer.report.outcomes] == [State.WAITING]
    assert "malformed" in model.asked[1].turns[-1].text
    assert answer.text == "Adding:"


@pytest.mark.req("S2-43", "S2-44", "T-60", "X-11")
async def test_what_is_not_found_gives_no_button_one_neutral_line_and_a_note_with_the_next_turn(tmp_path: Path):
    lost = block(type="delete_task", taskText="zzz")
    model = Scripted(lost, lost, "Fine.")
    async with a_home(tmp_path) as home:
        answer = await home.ask("delete zzz", "chat", model, Asker("s"))
        await home.ask("thanks", "chat", model, Asker("s"))
        assert await home.pending() == []

    assert answer.text == NOTHING_FOUND
    assert "zzz" in model.asked[1].turns[-1].text
    assert "not_found" in model.asked[1].turns[-1].text


@pytest.mark.req("S2-37", "S2-41")
async def test_the_whole_conversation_goes_along(tmp_path: Path):
    model = Scripted("Hello Ana.", "You are Ana.")
    async with a_home(tmp_path) as home:
        await home.ask("I am Ana", "chat", model, Asker("s"))
    async with a_home(tmp_path) as home:
        await home.ask("who am I?", "chat", model, Asker("s"))

    turns = [(turn.role, turn.text) for turn in model.asked[1].turns]
    assert turns[:-1] == [("user", "I am Ana"), ("assistant", "Hello Ana.")]
    assert "who am I?" in turns[-1][1]
    assert "<tasks>" in turns[-1][1]


async def test_a_person_who_stops_it_leaves_the_stream_and_nothing_is_done(tmp_path: Path):
    screen = Screen()
    screen.then = screen.stop.set
    model = Scripted([Said("Adding it. "), Said(block(type="add_task", text="A")), Silent()])
    async with a_home(tmp_path) as home:
        with pytest.raises(Refused, match="you stopped it"):
            await home.ask("add A", "chat", model, Asker("s", approver=YES, hears=screen))

        assert (await home.context()).data["tasks"] == []
        assert (await last(home, "s")).trace[
            "error"
        ] == "you stopped it before the reply had ended, and nothing was done"
    assert model.ended == 0


async def test_two_sessions_at_once_know_nothing_of_each_other(tmp_path: Path):
    one, two = Scripted("one"), Scripted("two")
    async with a_home(tmp_path) as home:
        async with create_task_group() as together:
            together.start_soon(home.ask, "a", "chat", one, Asker("one"))
            together.start_soon(home.ask, "b", "chat", two, Asker("two"))

        assert [said.reply for said in await home.sessions.exchanges("one")] == ["one"]
        assert [said.reply for said in await home.sessions.exchanges("two")] == ["two"]
