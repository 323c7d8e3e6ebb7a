"""What goes for asking at every entry point: refusals, replies that end oddly, and the brake."""

from pathlib import Path

import pytest

from sayso.assistant.answer import Asker
from sayso.assistant.hears import Nobody
from sayso.core.errors import ProviderError, Refused, SetupError
from sayso.core.model import Ended, Said
from sayso.models.fallback import Fallback
from sayso.testing.scripted import Scripted
from tests.assistant.homes import WORLD, a_home, last

ENTRIES = ("commands", "automation", "chat")


@pytest.mark.req("T-53")
@pytest.mark.parametrize("entry", ENTRIES)
async def test_while_everything_is_paused_no_model_is_asked(entry: str, tmp_path: Path):
    model = Scripted()
    async with a_home(tmp_path, f"[policy]\npaused = true\n{WORLD}") as home:
        with pytest.raises(Refused, match="paused"):
            await home.ask("x", entry, model)

    assert model.asked == []


async def test_an_entry_point_that_there_is_not_is_named(tmp_path: Path):
    async with a_home(tmp_path) as home:
        with pytest.raises(SetupError, match="commands, automation, chat"):
            await home.ask("x", "talk", Scripted())


class Told(Nobody):
    """Keeps the lines that it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def doing(self, line: str) -> None:
        self.lines.append(line)


async def test_who_answers_in_the_place_of_another_is_told_with_the_reason(tmp_path: Path):
    told = Told()
    model = Fallback((Scripted(ProviderError("a is down"), name="a"), Scripted('{"commands": []}', name="b")))
    async with a_home(tmp_path) as home:
        answer = await home.ask("x", "commands", model, Asker(hears=told))

    assert (answer.model, told.lines) == ("b", ["b answers instead: a is down"])


@pytest.mark.parametrize("entry", ENTRIES)
async def test_a_model_that_refuses_is_told_as_such(entry: str, tmp_path: Path):
    async with a_home(tmp_path) as home:
        with pytest.raises(ProviderError, match="m refused to answer"):
            await home.ask("x", entry, Scripted([Ended("m", "refused")]))


async def test_a_chat_reply_that_was_cut_off_keeps_its_words_and_its_open_block_never_runs(tmp_path: Path):
    cut = [Said('Adding:\n\n```json-action\n{"type": "add_task", "text": "A'), Ended("m", "length")]
    async with a_home(tmp_path) as home:
        answer = await home.ask("x", "chat", Scripted(cut, "Sorry."))
        waiting = await home.pending()

    assert answer.text == "Adding:\n\nSorry."
    assert waiting == []


@pytest.mark.parametrize("entry", ENTRIES)
async def test_a_session_is_made_where_none_is_named_and_is_named_after_the_words(entry: str, tmp_path: Path):
    async with a_home(tmp_path) as home:
        empty = '{"commands": []}' if entry == "commands" else "# No action needed"
        answer = await home.ask("what a day", entry, Scripted(empty))
        (session,) = await home.sessions.all()

    assert (session.id, session.name, session.entry) == (answer.session, "what a day", entry)
    assert answer.session.startswith("ask_")


async def test_the_tokens_that_it_took_are_in_the_trace(tmp_path: Path):
    async with a_home(tmp_path) as home:
        await home.ask("x", "chat", Scripted([Said("Hi."), Ended("m-7", "stop", 100, 2)]), Asker("s"))
        kept = (await last(home, "s")).trace

    assert '"tokens_in": 100, "tokens_out": 2' in str(kept["turns"]).replace("'", '"')
    assert kept["model"] == "m-7"
