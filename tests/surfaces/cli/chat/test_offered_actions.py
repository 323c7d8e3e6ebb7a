"""A model offers an own action in a fresh home: `sayso ask`, `sayso chat`, MCP and the library run the same thing."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

import sayso as library
from sayso.assistant.asker import Asker
from sayso.core.conversation import ToolCall
from sayso.core.encoding import Json
from sayso.core.ports import RecordQuery
from sayso.surfaces.cli.text import BAR
from sayso.surfaces.mcp.calls import Calls
from sayso.testing.model_server import playing
from tests.surfaces.cli.chat.conftest import Talk, note_down, say
from tests.surfaces.cli.chat.test_four_entries import Seen
from tests.surfaces.cli.conftest import Scripted, Sit
from tests.surfaces.cli.person import Screen

HANDLER = """
async def handler(params, context):
    await context.create_reminder(params["what"], due=f"{params['day']} 10:00")
    await context.add_assistant_message(f"{params['what']} is noted.")
    return {"success": True, "message": f"Noted {params['what']}"}
"""
SENDS = {"templateId": "note_down", "label": "Harmless", "description": "Notes it.", "params": {"what": "Milk"}}
OFFER = f"I can note that.\n\n```json\n{json.dumps({'actions': [SENDS]})}\n```\n"
PARAMS: Mapping[str, Json] = {"template_id": "note_down", "params": {"what": "Milk"}}
CALL = {"name": "template_run", "arguments": PARAMS}
MODELS = ("replay", "http")
FORMS = ("envelope", "tool call")


class Ended(NamedTuple):
    """What became of an offer: the card, the actions in the journal, the chat, and the stored result."""

    card: str
    actions: list[tuple[str | None, str, str | None]]
    said: list[tuple[str, str]]
    offers: list[tuple[str, str, str]]


EXPECTED = Ended(
    "",
    [
        ("reminder.create", "done", "Created the reminder “Milk”, due 2031-01-01 10:00"),
        ("chat.add_message", "done", "Added to the chat"),
    ],
    [("assistant", "Milk is noted."), ("system", "Note down: Noted Milk")],
    [("note_down", "done", "Noted Milk")],
)


class Ground:
    """A home that nothing was done in yet, and a model, in it or behind HTTP, that offers the action."""

    def __init__(self, person: Path, scripted: Scripted, stack: ExitStack) -> None:
        self.own = person.parent / "sayso"
        self._person = person
        self._scripted = scripted
        self._stack = stack

    def prepare(self, kind: str, form: str) -> None:
        """Write the action, and settings that name the model."""
        note_down(self._person, HANDLER)
        name, url = "", ""
        if kind == "replay":
            offers: object = OFFER if form == "envelope" else {"text": "", "calls": [CALL]}
            name = self._scripted(offers, "Fine.\n", "Fine.\n")
        else:
            made = OFFER if form == "envelope" else [ToolCall("1", str(CALL["name"]), json.dumps(CALL["arguments"]))]
            server = self._stack.enter_context(playing(made, "Fine.\n"))
            name, url = "openai-compatible:tiny", f'url = "{server.url}"\n'
        (self.own / "config.toml").write_text(f'[model]\nname = "{name}"\n{url}')

    async def ended(self, card: str) -> Ended:
        """Return what the home says about it now."""
        async with library.open_home() as home:
            rows = [
                one for one in await home.log(RecordQuery(limit=50)) if not str(one.operation).startswith("template.")
            ]
            offers = await home.chats.all()
            said = [one for offer in offers for one in await home.chats.said(offer.session)]
            assert (await home.journal.verify()).ok
        return Ended(
            card,
            [(one.operation, one.state.value, (one.marks.message or "").partition(";")[0]) for one in reversed(rows)],
            [(one.role, one.content) for one in said],
            [(one.template, one.state, str((one.result or {}).get("message"))) for one in offers],
        )


@pytest.fixture
def ground(person: Path, scripted: Scripted) -> Iterator[Ground]:
    with ExitStack() as stack:
        yield Ground(person, scripted, stack)


def answered(screen: Screen) -> str:
    """Say yes to the card on the screen, and return the lines behind its bar."""
    screen.see("[y/N]")
    card = "\n".join(line.removeprefix(BAR) for line in screen.text.split("\n") if line.startswith(BAR.rstrip()))
    screen.type("y\r")
    return card


def by_ask(sit: Sit, talk: Talk) -> str:
    screen = sit("ask", "--entry", "chat", "note milk")
    card = answered(screen)
    screen.see("note_down: Noted Milk")
    assert screen.end() == 0
    return card


def by_chat(sit: Sit, talk: Talk) -> str:
    screen = talk()
    say(screen, "note milk\r")
    card = answered(screen)
    screen.see("Fine.")
    say(screen, "\x04")
    assert screen.end() == 0
    return card


async def by_library(sit: Sit, talk: Talk) -> str:
    seen = Seen()
    async with library.open_home() as home:
        answer = await home.ask("note milk", "chat", asker=Asker(approver=seen))
    (card,) = seen.cards
    assert [one.record.state.value for one in answer.report.outcomes] == ["done"]
    return card


async def by_mcp(sit: Sit, talk: Talk) -> str:
    """Look which actions there are as an agent does, and call one; the person approves what the agent was told of."""
    async with library.open_home() as home:
        calls = Calls(home, 0)
        known = await calls.call("template_list", {})
        waits = await calls.call("template_run", PARAMS)
        assert known is not None
        assert waits is not None
        assert "note_down: Adds a reminder." in known.text
        id_ = str(waits.told["id"])
        assert f"sayso approve {id_}" in waits.text
        screen = sit("approve", id_)
        card = answered(screen)
        screen.see("note_down: Noted Milk")
        assert screen.end() == 0
        told = await calls.outcome(id_)
        assert told is not None
        assert (told.told["state"], told.text) == ("done", "Noted Milk")
    return card


WAYS: Sequence[tuple[str, str, str]] = (
    *(("ask", kind, form) for kind in MODELS for form in FORMS),
    *(("chat", kind, "envelope") for kind in MODELS),
    *(("library", kind, "envelope") for kind in MODELS),
    ("mcp", "replay", "envelope"),
)


@pytest.mark.req("S3-83", "S3-49", "S3-04", "S3-52", "S3-82")
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
async def test_an_own_action_that_is_offered_is_shown_whole_and_runs_after_one_yes(
    way: tuple[str, str, str], ground: Ground, sit: Sit, talk: Talk
):
    ground.prepare(*way[1:])

    match way[0]:
        case "ask":
            card = by_ask(sit, talk)
        case "chat":
            card = by_chat(sit, talk)
        case "mcp":
            card = await by_mcp(sit, talk)
        case _:
            card = await by_library(sit, talk)

    ended = await ground.ended("")
    assert ended == EXPECTED
    for shown in ("“Note down”", "what: “Milk”", "day: “2031-01-01”", "Create the reminder “Milk”", "Milk is noted."):
        assert shown in " ".join(card.split()), shown
    assert "Harmless" not in card


@pytest.mark.req("S3-45", "T-82")
async def test_what_the_action_said_is_in_the_next_prompt_of_its_session_as_data_and_in_no_other(
    ground: Ground, sit: Sit, talk: Talk
):
    ground.prepare("replay", "envelope")
    async with library.open_home() as home:
        first = await home.ask("note milk", "chat", asker=Asker(approver=Seen()))
        again = await home.ask("and now?", "chat", asker=Asker(session=first.session))
        other = await home.ask("and now?", "chat", asker=Asker())
        exposed = [one.source for one in await home.journal.exposures()]

    shown = again.trace.user_prompt
    assert "<messages>" in shown
    assert '"as":"assistant","text":"Milk is noted."' in shown
    assert '"as":"system","text":"Note down: Noted Milk"' in shown
    assert "Milk is noted." not in other.trace.user_prompt
    assert "messages" in exposed
