"""`sayso ask` and `chat`, a call over MCP, the library and the page: one operation, card and outcome for one wish."""

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import sayso as library
from sayso.assembly import Home
from sayso.assembly.model import open_model
from sayso.assistant.asker import Asker
from sayso.core.decision import Question
from sayso.core.ports import RecordQuery
from sayso.runtime.questions import Client
from sayso.surfaces.cli.preview import page
from sayso.surfaces.cli.text import BAR, Style
from sayso.surfaces.mcp.calls import Calls
from tests.surfaces.cli.chat.conftest import Talk, note_down, say
from tests.surfaces.cli.conftest import Scripted, Sit
from tests.surfaces.cli.person import Screen
from tests.web_env.chatting import letting_in

HANDLER = """
async def handler(params, context):
    await context.create_reminder(params["what"], due="2031-01-01 10:00")
    return {"success": True, "message": "Noted it"}
"""
WISHES: Mapping[str, tuple[str, dict[str, Any]]] = {
    "a file": ("file_delete", {"path": "~/Downloads/a.txt"}),
    "a task": ("task_add", {"text": "Pack"}),
    "an action of their own": ("template_run", {"template_id": "note_down", "params": {"what": "Milk"}}),
}
_CODE = re.compile(r", code [a-z2-7]+|\b(?:act|do|run|ask|mcp)_\w+")


class Done(NamedTuple):
    """What one entry point led to: the rows of the journal, and what the person was shown."""

    rows: list[tuple[str | None, str, str | None, str | None, str]]
    card: str


@pytest.fixture
def ground(person: Path) -> Callable[[], None]:
    """Return what makes the person's files as they were before any wish, and the action that they wrote."""

    def make() -> None:
        (person / "Downloads" / "a.txt").write_text("first\n")
        note_down(person, HANDLER)

    return make


async def rows(home: Home, before: int) -> list[Any]:
    """Return what the journal has of the rows that are new, in order."""
    found = await home.log(RecordQuery(limit=50))
    return [
        (
            one.operation,
            _CODE.sub("", json.dumps(dict(one.arguments), sort_keys=True)),
            one.marks.message,
            one.marks.error,
            one.state,
        )
        for one in reversed(found[: len(found) - before])
        if one.operation != "template.run"  # for an agent, its row comes with the next look at it
    ]


def normal(lines: list[str]) -> str:
    """Return a card without what is of one run only: the code that a yes is bound to, and ids."""
    return _CODE.sub("", "\n".join(line.rstrip() for line in lines))


def card_on(screen: Screen) -> str:
    """Return the card that stands on the screen: the lines behind the bar between sayso's own."""
    lines = screen.text.split("\n")
    first = next(number for number, line in enumerate(lines) if line.startswith(f"{BAR}  1."))
    after = next(number for number, line in enumerate(lines) if number > first and not line.startswith(BAR))
    return normal([line.removeprefix(BAR) for line in lines[first:after]])


class Seen:
    """An approver of a program, which says yes and keeps the card as a terminal of the same width shows it."""

    def __init__(self) -> None:
        self.cards: list[str] = []
        self._yes = Client(lambda question: True)

    async def ask(self, question: Question) -> Any:
        """Return a yes."""
        shown = page(question, 100 - len(BAR), Style(), whole=False)
        self.cards.append(normal(shown.lines[1:] if not shown.lines[0].strip() else list(shown.lines)))
        return await self._yes.ask(question)


NOTHING_MORE = json.dumps({"commands": [], "needs_clarification": False, "clarification_reason": None})


def answered(screen: Screen) -> str:
    """Say yes to the card on the screen, and return it."""
    screen.see("[y/N]")
    card = card_on(screen)
    screen.type("y\r")
    return card


class Entries:
    """The entry points, each with a model that proposes one call."""

    def __init__(self, sit: Sit, talk: Talk, scripted: Scripted, call: tuple[str, dict[str, Any]]) -> None:
        self.sit = sit
        self.talk = talk
        self.scripted = scripted
        self.name, self.arguments = call

    def model(self, last: str) -> str:
        """Return the model, and with it what it says when its call was answered."""
        return self.scripted({"text": "", "calls": [{"name": self.name, "arguments": self.arguments}]}, last)

    async def ask(self) -> str:
        """Ask once."""
        screen = self.sit("ask", "--model", self.model(NOTHING_MORE), "do it")
        card = answered(screen)
        assert screen.end() == 0
        return card

    async def chat(self) -> str:
        """Say it in a conversation."""
        screen = self.talk(words=("--model", self.model("Fine.\n")))
        say(screen, "do it\r")
        card = answered(screen)
        screen.see("Fine.")
        say(screen, "\x04")
        assert screen.end() == 0
        return card

    async def mcp(self) -> str:
        """Have an agent call the tool, and approve what waits."""
        async with library.open_home() as home:
            await Calls(home, 0).call(self.name, self.arguments)
            (waiting,) = await home.pending()
        screen = self.sit("approve", waiting.run)
        card = answered(screen)
        assert screen.end() == 0
        return card

    async def library(self) -> str:
        """Ask from a program."""
        seen = Seen()
        async with library.open_home() as home:
            asked = open_model(home.settings, home.tools.ids, self.model("Fine.\n"), clock=home.tools.clock)
            await home.ask("do it", "chat", asked, Asker(approver=seen))
        (card,) = seen.cards
        return card

    async def page(self) -> str:
        """Say it on the page, and say yes to the card of what waits there."""
        own = Path(os.environ["SAYSO_HOME"])
        model = self.model("Fine.\n")
        (own / "config.toml").write_text(f'[model]\nname = "{model}"\n')
        async with library.open_home() as home, letting_in(home, own.parent) as shown:
            session = await shown.begin()
            await shown.say(session, "do it")
            await shown.ended(session)
            (waits,) = (await shown.get("/api/waiting"))["waiting"]
            question = await home.question(waits["run"])
            assert [one["digest"] for one in waits["steps"]] == [one.digest for one in question.cards]
            seen = Seen()
            await seen.ask(question)
            answer = {**{name: waits[name] for name in ("run", "digest", "nonce")}, "answer": "yes"}
            assert (await shown.post("/api/decide", answer)).status_code == 200
            await shown.ended(session, 2)
        (own / "config.toml").unlink()
        (card,) = seen.cards
        return card


@pytest.mark.parametrize("wish", WISHES)
async def test_all_of_them_give_the_same_operation_card_and_outcome(
    wish: str, ground: Callable[[], None], talk: Talk, sit: Sit, scripted: Scripted
):
    entries = Entries(sit, talk, scripted, WISHES[wish])
    done: dict[str, Done] = {}

    for one in (entries.ask, entries.chat, entries.mcp, entries.library, entries.page):
        ground()
        async with library.open_home() as home:
            before = len(await home.log(RecordQuery(limit=50)))
        card = await one()
        async with library.open_home() as home:
            done[one.__name__] = Done(await rows(home, before), card)

    assert done["ask"].rows
    assert all(row[-1] == "done" for row in done["ask"].rows)
    for entry in ("chat", "mcp", "library", "page"):
        assert done[entry] == done["ask"], entry
